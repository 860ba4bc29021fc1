import { userInfo } from 'node:os';
import { expect } from 'chai';
import { createAdminScene } from './admin-scene.ts';
import { useHome } from './home.ts';
import { makeData } from './make-data.ts';

describe('dropleaf admin', function () {
  this.timeout(60_000); // each test starts several processes
  const home = useHome();
  beforeEach(() => makeData(home.dir));
  let url = '';
  const { admin, act, fail, newToken, publisher, statusOf, statusOfPatch } = createAdminScene(
    () => home.env,
    () => url,
  );

  async function startService(): Promise<void> {
    url = (await home.start()).url;
  }

  it('takedown and restore work at once with a service that runs, by slug and by address', async () => {
    await startService();
    const { slug, url: page, raw_url: raw } = await publisher('me');
    for (const address of [page, raw]) expect(await statusOf(address)).to.equal(200);
    expect(await act('takedown', slug, '--reason', 'phishing')).to.match(
      /^\w+ "A title" is taken down: .*410/,
    );
    for (const address of [page, raw]) expect(await statusOf(address)).to.equal(410);
    expect(await act('restore', `${raw}?v=1`)).to.include('is shown again');
    for (const address of [page, raw]) expect(await statusOf(address)).to.equal(200);
  });

  it('takedown of a page that is down says since when and why it was; restore of one that is not, so', async () => {
    await startService();
    const { slug } = await publisher('me');
    await act('takedown', slug, '--reason', 'phishing');
    const again = await act('takedown', slug, '--reason', 'malware');
    expect(again).to.match(/was taken down already, since 20\S+Z; the reason was: phishing/);
    expect(await act('find', slug)).to.match(/state {5}taken down on 20\S+Z: malware/);
    await act('restore', slug);
    expect(await act('restore', slug)).to.include('was not taken down');
  });

  it('takedown tells on stderr of an edge that does not confirm, and the page is down all the same', async () => {
    await startService();
    const { slug, raw_url: raw } = await publisher('me');
    const edge = { EDGE_PURGER: 'http', EDGE_PURGE_URL: 'http://127.0.0.1:9/' };
    const scene = createAdminScene(
      () => ({ ...home.env, ...edge }),
      () => url,
    );
    const { stderr, code } = await scene.admin('takedown', slug, '--reason', 'phishing');
    expect(code).to.equal(0);
    expect(stderr).to.match(/edge did not confirm/);
    expect(await statusOf(raw)).to.equal(410);
    expect(await act('log', '--limit', '2')).to.include('outcome  done; the edge did not confirm');
  });

  it('suspend and unsuspend: 403 on changes and back, by name in any case and by id', async () => {
    await startService();
    const { slug, token, url: page } = await publisher('me');
    expect(await act('suspend', 'ME', '--reason', 'spam')).to.match(/\(me, local\) is suspended/);
    expect(await statusOfPatch(slug, token)).to.equal(403);
    expect(await statusOfPatch(slug, await newToken('me'))).to.equal(403);
    expect(await statusOf(page)).to.equal(200);
    expect(await act('suspend', 'me')).to.include('was suspended already');
    const [, id = ''] = /account {3}(\w+)/.exec(await act('find', 'me')) ?? [];
    expect(await act('unsuspend', id)).to.include('is not suspended any more');
    expect(await statusOfPatch(slug, token)).to.equal(200);
    expect(await act('unsuspend', id)).to.include('was not suspended');
  });

  it('revoke-tokens: none works any more', async () => {
    await startService();
    const { slug, token } = await publisher('me');
    await newToken('me');
    expect(await act('revoke-tokens', 'me')).to.include('2 tokens revoked, 0 approved sign-ins ended');
    expect(await statusOfPatch(slug, token)).to.equal(401);
  });

  it('find: a page, its account and its tokens, by each of their names', async () => {
    await startService();
    const { slug, token, raw_url: raw } = await publisher('me');
    const ofPage = await act('find', slug);
    expect(ofPage).to.match(
      new RegExp(`^page {6}${slug}\n {2}title {5}A title\n {2}account {3}\\w+ \\(me, local\\)`),
    );
    expect(ofPage).to.include('state     shown');
    expect(await act('find', raw)).to.equal(ofPage);
    const ofAccount = await act('find', 'Me');
    expect(ofAccount)
      .to.include(`    ${slug}  A title`)
      .and.to.match(/state {5}good\n {2}tokens {4}1\n/);
    const [, tokenId = ''] = /^ {4}([0-9a-f]{12}) {2}\(no label\)$/m.exec(ofAccount) ?? [];
    const ofToken = await act('find', tokenId);
    expect(ofToken).to.match(/^token {5}\w+\n {2}account {3}\w+ \(me, local\)\n/);
    expect(await act('find', token), 'the token itself').to.equal(ofToken);
    expect(await act('log'), 'the log')
      .to.include(`find ${tokenId}`)
      .and.not.include(token);
  });

  it('log: who did what to what and why, with its outcome, newest first, page by page', async () => {
    await newToken('me');
    await act('suspend', 'me', '--by', 'Alice', '--reason', 'spam');
    await act('unsuspend', 'me');
    const all = await act('log');
    const entry = (by: string, what: string) => `\\S+Z ${by}: ${what} \\w+ me\n`;
    const user = userInfo().username;
    expect(all).to.match(
      new RegExp(
        `^${entry(user, 'unsuspend')} {2}outcome {2}done\n {2}id {7}\\w+\n\n` +
          `${entry('Alice', 'suspend')} {2}why {6}spam\n {2}outcome {2}done\n {2}id {7}\\w+\n$`,
      ),
    );
    const first = await admin('log', '--limit', '1');
    const [, before = ''] = /--before (\w+)\n$/.exec(first.stderr) ?? [];
    const second = await act('log', '--before', before);
    expect(`${first.stdout}\n${second}`).to.equal(all);
  });

  it('says what is missing, and exits 1; what can be no page, and exits 2', async () => {
    await newToken('me');
    for (const command of ['takedown', 'restore']) {
      expect(await fail(1, command, 'none', '--reason', 'x')).to.include('there is no page "none"');
      expect(await fail(2, command, 'a b', '--reason', 'x')).to.include('"a b" is no slug and no address');
    }
    for (const command of ['suspend', 'unsuspend', 'revoke-tokens']) {
      expect(await fail(1, command, 'you')).to.include('there is no account "you"');
    }
    expect(await fail(1, 'find', 'you')).to.include('nothing has the slug, id or name "you"');
    expect(await act('log'), 'acts that were none').to.match(
      /^\S+ \S+: find you\n {2}outcome .*\n {2}id .*\n$/,
    );
  });

  it('obeys nothing that strangers wrote', async () => {
    expect(await fail(1, 'suspend', 'a\u001b[31m\u202eb')).to.include('"a\ufffd[31m\ufffdb"');
    expect(await fail(2, 'takedown', 'a\u001b[31m', '--reason', 'x')).to.not.include('\u001b');
  });
});
