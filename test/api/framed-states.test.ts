import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import { useOwner, useService } from '../support/service.ts';

const minute = 60_000;
/** 32 characters: a version id of nobody. */
const foreignId = '0'.repeat(32);

/** How the raw page is asked for. */
const variants = {
  latest: () => '',
  'version 1': () => 'v=1',
  'a version that is not there': () => 'v=9',
  'an invalid version': () => 'v=0',
  'the address of the frame': ({ id }) => `v=1&id=${id}`,
  'the id of an unknown version': () => `v=1&id=${foreignId}`,
  'the id of another drop': ({ otherId }) => `v=1&id=${otherId}`,
  'with a grant': ({ grant }) => `g=${grant}`,
  'the address of the frame with a grant': ({ id, grant }) => `v=1&id=${id}&g=${grant}`,
  'with the grant of another drop': ({ otherGrant }) => `v=1&g=${otherGrant}`,
  'with a broken grant': () => 'g=a.b.c.d',
  'with other parameters': () => 'utm=1&v=1',
} as const satisfies Record<string, (given: Given) => string>;

/** `id`: of version 1; `other`: of another drop. */
interface Given {
  readonly id: string;
  readonly otherId: string;
  readonly grant: string;
  readonly otherGrant: string;
}

describe('GET /p/{slug}/raw?framed=1 is answered as /raw', () => {
  const service = useService();
  const owner = useOwner(service);

  /** What becomes of a page that was public and in memory. */
  const states = {
    'a public page': () => undefined,
    'a locked page': (slug: string) => lock(slug, 'open sesame'),
    'a page with another passcode': async (slug: string) => {
      await lock(slug, 'open sesame');
      await lock(slug, 'another one');
    },
    'a page that was taken down': (slug: string) => takeDown(slug),
    'a locked page that was taken down': async (slug: string) => {
      await lock(slug, 'open sesame');
      await takeDown(slug);
    },
    'an expired page': async (slug: string) => {
      const fields = { expires_at: service.clock.now() + minute };
      await owner.request('PATCH', `/api/drops/${slug}`, { body: fields });
      service.clock.advance(minute + 1);
    },
    'a deleted page': (slug: string) => owner.request('DELETE', `/api/drops/${slug}`),
    'a page whose version 1 was deleted': async (slug: string) => {
      await owner.put(slug, { html: '<title>Two</title><p>Two' });
      await service.settle();
      await owner.request('DELETE', `/api/drops/${slug}/versions/1`);
    },
    'a page of a suspended account': async () => {
      await service.services.moderation.suspend(await service.accountOf(owner), { by: 'root', reason: null });
    },
  } as const;

  for (const [state, change] of Object.entries(states))
    it(`${state}: status, body and headers, with GET, HEAD and a condition`, async () => {
      const { slug, id } = await withPage();
      const other = await withPage();
      const given = {
        id,
        otherId: other.id,
        grant: await grantOf(slug),
        otherGrant: await grantOf(other.slug),
      };
      for (const query of ['', '?framed=1']) await ask('GET', `/p/${slug}/raw${query}`);
      await change(slug);
      const locked = await lockedGrant(slug, given);
      for (const [variant, queryOf] of Object.entries(variants))
        for (const method of ['GET', 'HEAD'] as const) {
          const query = queryOf(locked);
          const raw = await ask(method, `/p/${slug}/raw?${query}`);
          const framed = await ask(method, `/p/${slug}/raw?framed=1&${query}`);
          expect(shown(framed), `${variant}, ${method}`).to.deep.equal(shown(raw));
          expect(await freshStatus(framed, `/p/${slug}/raw?framed=1&${query}`)).to.equal(
            await freshStatus(raw, `/p/${slug}/raw?${query}`),
          );
        }
    });

  for (const slug of ['nobody', 'x', '%61bc', 'a..b'])
    it(`the slug ${slug}, which no page has`, async () => {
      const raw = await ask('GET', `/p/${slug}/raw`);
      expect(raw.status).to.be.within(400, 404);
      expect(shown(await ask('GET', `/p/${slug}/raw?framed=1`))).to.deep.equal(shown(raw));
    });

  async function withPage(): Promise<{ slug: string; id: string }> {
    const { slug } = await owner.create({ html: '<!doctype html><title>T</title><p>x' });
    await service.settle();
    const id = (await service.services.pages.find(slug, null)).version?.id ?? '';
    return { slug, id };
  }

  function ask(method: 'GET' | 'HEAD', path: string, more: Record<string, string> = {}): Promise<Answer> {
    return service.request(method, path, { headers: { 'accept-encoding': 'br', ...more } });
  }

  /** Of an answer with an ETag, if it is asked for again; else its own. */
  async function freshStatus({ status, headers }: Answer, path: string): Promise<number> {
    if (headers.etag === undefined) return status;
    return (await ask('GET', path, { 'if-none-match': headers.etag })).status;
  }

  async function lock(slug: string, passcode: string): Promise<void> {
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode } });
  }

  async function takeDown(slug: string): Promise<void> {
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'phishing' });
  }

  async function grantOf(slug: string): Promise<string> {
    const { pages, passcodes } = service.services;
    return (await passcodes.issue('grant', await pages.find(slug, null))) ?? 'no.grant.is.there';
  }

  /** With a grant of the page as it is now, if it is there. */
  async function lockedGrant(slug: string, given: Given): Promise<Given> {
    const grant = await grantOf(slug).catch(() => given.grant);
    return { ...given, grant };
  }
});

const script = /<script data-viewer="[^"]*">.*?<\/script>/s;

/** What does not differ with the script, the moment or the request. */
function shown({ status, headers, bytes }: Answer) {
  const { date: _, 'content-length': length, etag, 'x-request-id': id, ...others } = headers;
  const text = headers['content-encoding'] === 'br' && bytes.length > 0 ? brotliDecompressSync(bytes) : bytes;
  const body = text
    .toString()
    .replace(script, '')
    .replaceAll(id ?? '\0', '');
  return {
    status,
    others,
    body,
    has: [length, etag, id].map((header) => header !== undefined),
  };
}
