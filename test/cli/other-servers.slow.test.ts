import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { useServer } from '../support/listen.ts';
import { fakeBrowser } from './client.ts';
import { usePublisher } from './publisher.ts';

describe('dropleaf with a server that does not answer as Dropleaf does', () => {
  const publisher = usePublisher();
  const { client, path, write, publish } = publisher;
  /** Of every answer. */
  let body: unknown;
  const server = useServer((_req, res) => {
    const headers = { 'content-type': 'application/json', etag: '"x\ty"' };
    res.writeHead(200, headers).end(JSON.stringify(body));
  });

  const run = (args: readonly string[], changes: Readonly<Record<string, string>> = {}) =>
    client.run(args, { env: { DROPLEAF_URL: server.url, DROPLEAF_TOKEN: 'dl_x', ...changes } });
  const drop = {
    slug: 'abc',
    title: 'A',
    url: 'https://drops.example/p/abc',
    locked: false,
    latest_version: 1,
    view_count: 0,
    updated_at: 1_700_000_000_000,
  };
  const listOf = (changes: object) => ({
    data: [{ ...drop, ...changes }],
    pagination: { total_pages: 1, total_items: 1 },
  });

  const answers: [what: string, args: string[], answer: unknown][] = [
    ['a time that no date has', ['list'], listOf({ updated_at: 1e99 })],
    ['an expiry that is text', ['list'], listOf({ expires_at: 'soon' })],
    ['a list without pagination', ['list'], { data: [] }],
    ['a slug with a path', ['list'], listOf({ slug: 'a b/../x' })],
    ['versions that are no list', ['versions', 'abc'], {}],
    ['a number of views that is none', ['views', 'abc'], { view_count: 1, days: [{ date: '', views: -1 }] }],
    ['an account without a token', ['whoami'], { user_id: 'u', drop_count: 1 }],
    ['an index of skills that is none', ['skill', 'install', '--dir', '.'], { skills: [null] }],
    ['a page without an address', ['restore', 'abc', '1'], { ...drop, url: undefined }],
  ];
  for (const [what, args, answer] of answers) {
    it(`says so after ${what}`, async () => {
      body = answer;
      const said = /is not what a Dropleaf service answers: is this a Dropleaf service\?\n$/;
      await client.fails(1, args, [said], { env: { DROPLEAF_URL: server.url, DROPLEAF_TOKEN: 'dl_x' } });
    });
  }

  it('reads a list that says that it has more pages, and has none, to its end', async () => {
    body = { data: [], pagination: { total_pages: 1_000_000, total_items: 1_000_000 } };
    expect((await run(['list', '--all', '--json'])).stdout).to.equal('[]\n');
  });

  it('remembers nothing of it, so that .dropleaf.json stays valid for other services', async () => {
    write('a.html', '<title>A</title>1');
    const { slug } = await publish(['a.html']);
    body = { ...drop, slug: 'a b/../x' };
    expect((await run(['publish', 'a.html'])).code).to.equal(1);
    write('a.html', '<title>A</title>2');
    expect(await publish(['a.html'])).to.include({ slug, latest_version: 2 });
    body = drop;
    expect((await run(['publish', 'a.html'])).code).to.equal(0);
    const remembered = JSON.parse(readFileSync(path('.dropleaf.json'), 'utf8')).files['a.html'];
    expect(remembered[server.url]).to.include({ slug: 'abc' }).and.to.not.have.property('etag');
  });

  it('opens no address in the browser that is not http or https', async () => {
    write('a.html', '<title>A</title>');
    const browser = fakeBrowser(client.dir);
    body = { ...drop, url: 'file:///etc/passwd' };
    const { code } = await run(['publish', 'a.html', '--open'], { PATH: browser.PATH });
    expect({ code, opened: browser.opened() }).to.deep.equal({ code: 1, opened: '' });
  });

  it('stores no token that is none', async () => {
    const started = {
      code: 'A',
      verification_url: server.url,
      poll_token: 'p',
      expires_in: 600,
      poll_interval: 1,
    };
    body = { ...started, status: 'verified', api_token: 'x\r\nX-Evil: 1', user_id: 'u' };
    const { stdout, code } = await run(['login', '--json'], { DROPLEAF_TOKEN: '' });
    expect(code).to.equal(1);
    expect(JSON.parse(stdout).error.message).to.match(/is not what a Dropleaf service answers/);
    expect(existsSync(path('.config/dropleaf/credentials.json'))).to.equal(false);
  });
});
