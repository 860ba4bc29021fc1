import { expect } from 'chai';
import { HttpError } from '../../api/http/http-error.ts';
import { unavailable } from '../../shared/domain/errors.ts';
import { type Answer, lasting } from '../support/client.ts';
import { expectErrorPage } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { useService } from '../support/service.ts';

const sandboxPolicy =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads ' +
  'allow-pointer-lock allow-top-navigation-by-user-activation';

describe('All headers of raw pages and the viewer', () => {
  const safeRaw = [
    'content-security-policy',
    'cross-origin-resource-policy',
    'referrer-policy',
    'x-content-type-options',
    'x-robots-tag',
  ];
  // What caches keep and repeat has no id of a request.
  const refusedRaw = [...safeRaw, 'x-request-id'];
  const keptRaw = ['cache-control', 'etag', 'vary'];
  const safeViewer = [
    'content-security-policy',
    'cross-origin-opener-policy',
    'cross-origin-resource-policy',
    'origin-agent-cluster',
    'referrer-policy',
    'x-content-type-options',
    'x-frame-options',
    'x-request-id',
    'x-robots-tag',
  ];
  /** Tells the viewer that a link led to another site. */
  const framePolicy = 'content-security-policy-report-only';
  const content = ['content-length', 'content-type'];
  const error = [...content, 'cache-control'];

  const raw: Record<string, readonly string[]> = {
    '200': [...safeRaw, ...keptRaw, ...content],
    '200 HEAD': [...safeRaw, ...keptRaw, ...content],
    '200 br': [...safeRaw, ...keptRaw, ...content, 'content-encoding'],
    '304': [...safeRaw, ...keptRaw],
    '200 locked': [...safeRaw, ...content, 'cache-control', 'etag', 'vary'],
    '403': [...refusedRaw, ...error],
    '404': [...refusedRaw, ...error],
    '404 HEAD': [...refusedRaw, ...error],
    '405': [...refusedRaw, ...error, 'allow'],
    '410': [...refusedRaw, ...error],
    '503': [...refusedRaw, ...error, 'retry-after'],
    '503 late': [...refusedRaw, ...error, 'retry-after'],
  };
  const viewer: Record<string, readonly string[]> = {
    '200': [...safeViewer, ...content, 'cache-control', 'vary', framePolicy],
    '200 HEAD': [...safeViewer, ...content, 'cache-control', 'vary', framePolicy],
    '200 locked': [...safeViewer, ...content, 'cache-control', 'vary'],
    '403': [...safeViewer, ...error],
    '404': [...safeViewer, ...error],
    '404 HEAD': [...safeViewer, ...error],
    '405': [...safeViewer, ...error, 'allow'],
    '410': [...safeViewer, ...error],
    '503': [...safeViewer, ...error, 'retry-after'],
    '503 late': [...safeViewer, ...error, 'retry-after'],
  };

  const gate = createGate();
  const origin = 'https://drops.example';
  const service = useService({ BASE_URL: origin }, (engine) => ({
    ...engine,
    drops: gate.wrap(engine.drops),
  }));

  for (const [what, suffix, lists] of [
    ['raw', '/raw', raw],
    ['the viewer', '', viewer],
  ] as const) {
    it(`${what}, on every status`, async () => {
      const { owner, slug } = await service.newDrop();
      const path = `/p/${slug}${suffix}`;
      const isRaw = suffix !== '';
      const get = (address = path, headers: Record<string, string> = {}) => service.get(address, { headers });
      const head = (address = path) => service.request('HEAD', address);
      const answers: Record<string, Answer<unknown>> = {};
      answers['200'] = await get();
      answers['200 HEAD'] = await head();
      if (isRaw) {
        answers['200 br'] = await get(path, { 'accept-encoding': 'br' });
        answers['304'] = await get(path, { 'if-none-match': answers['200'].headers.etag ?? '' });
      }
      answers['404'] = await get(`/p/nosuchslug00${suffix}`);
      answers['404 HEAD'] = await head(`/p/nosuchslug00${suffix}`);
      answers['405'] = await service.request('DELETE', path);
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
      if (isRaw) {
        answers['403'] = await get();
        const { frame } = await service.enter(slug, 'open-sesame', { headers: { origin } });
        answers['200 locked'] = await get(frame);
      } else {
        answers['200 locked'] = await get();
        const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
        answers['403'] = await service.request('POST', path, { raw: 'passcode=wrong', headers });
      }
      gate.refuse(new HttpError(410, 'forbidden', 'This page was taken down.'));
      answers['410'] = await get();
      gate.refuse(unavailable('The database is away.', 3));
      answers['503'] = await get();
      gate.hold();
      const { config } = service.services;
      const { ANSWER_MS } = config;
      Object.assign(config, { ANSWER_MS: 100 }); // read for each request
      answers['503 late'] = await get();
      Object.assign(config, { ANSWER_MS });
      gate.open();

      for (const [name, answer] of Object.entries(answers)) {
        const expected = [...(lists[name] ?? []), 'strict-transport-security'];
        expect(`${answer.status}`, name).to.equal(name.slice(0, 3));
        expect(Object.keys(lasting(answer)), name).to.have.members(expected);
        expect(answer.headers['strict-transport-security']).to.equal('max-age=31536000');
        if (answer.status >= 400) expect(answer.headers['cache-control'], name).to.equal('private, no-store');
        if (isRaw) expect(answer.headers['content-security-policy'], name).to.equal(sandboxPolicy);
      }
      expect(Object.keys(answers)).to.have.members(Object.keys(lists));
    });
  }

  it('an error page of a raw address has the same headers, with the sandbox and a policy of its own', async () => {
    const answer = await service.view('/p/nosuchslug00/raw');
    expectErrorPage(answer, 404, 'not_found');
    const expected = [...(raw['404'] ?? []), 'strict-transport-security'];
    expect(Object.keys(lasting(answer))).to.have.members(expected);
    expect(answer.headers['content-security-policy']).to.match(
      new RegExp(`^${sandboxPolicy}; default-src 'none'; `),
    );
  });
});
