import { expect } from 'chai';
import type { Answer, RequestOptions } from './client.ts';
import { expectError } from './expect.ts';
import { parsePage } from './html.ts';
import type { Owner, TestService } from './service.ts';
import type { WireDrop } from './wire.ts';

export const contentSettings = {
  CONTENT_ORIGIN: 'https://*.drops.example',
  TRUST_PROXY: '1',
};

/** What a drop may do anywhere. */
export const sandboxTokens =
  'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads ' +
  'allow-pointer-lock allow-top-navigation-by-user-activation';
/** The policy of a page at its own host. */
export const withOrigin = `sandbox ${sandboxTokens} allow-same-origin`;

export function frameIn(viewer: Answer<unknown>) {
  const frame = parsePage(viewer.text).find('iframe');
  const url = new URL(frame?.attributes.src ?? '', 'http://relative.example');
  return {
    url,
    host: url.host,
    label: url.host.split('.')[0] ?? '',
    path: url.pathname + url.search,
    sandbox: frame?.attributes.sandbox ?? '',
  };
}

/** Sandboxed without an origin. */
export function expectNoOrigin(answer: Answer<unknown>): void {
  expect(answer.headers['content-security-policy'], `on ${answer.status}`).to.match(
    /^sandbox allow-scripts /,
  );
  expect(answer.headers['content-security-policy']).to.not.include('allow-same-origin');
  expect(answer.headers['x-content-type-options']).to.equal('nosniff');
}

/** Nothing was served, and nothing may be kept. */
export function expectNothing(answer: Answer<unknown>): void {
  expectError(answer, 404, 'not_found');
  expectNoOrigin(answer);
  expect(answer.headers['cache-control']).to.equal('private, no-store');
  expect(answer.cookies).to.deep.equal([]);
}

/** Drops with hosts of their own, and requests for them. */
export function createContentDrops(service: TestService) {
  /** The drop whose frame that is, and requests for it. */
  function partsOf(owner: Owner, drop: WireDrop, frame: ReturnType<typeof frameIn>) {
    const at = (host: string, path = frame.path, options: RequestOptions = {}, method = 'GET') =>
      service.request(method, path, { ...options, headers: { host, ...options.headers } });
    const onHost = (path?: string, headers: Record<string, string> = {}, method?: string) =>
      at(frame.host, path, { headers }, method);
    return { owner, drop, slug: drop.slug, raw: `/p/${drop.slug}/raw`, frame, at, onHost };
  }

  async function withDrop(fields: object = {}) {
    const owner = await service.newOwner();
    const drop = await owner.create(fields);
    return partsOf(owner, drop, frameIn(await service.get(`/p/${drop.slug}`)));
  }

  async function lockedDrop() {
    const owner = await service.newOwner();
    const drop = await owner.create({ passcode: 'open-sesame', html: '<p>Locked' });
    const { viewer, cookie } = await service.enter(drop.slug, 'open-sesame');
    return { ...partsOf(owner, drop, frameIn(viewer)), cookie };
  }

  return { withDrop, lockedDrop };
}
