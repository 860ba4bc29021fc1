import { userInfo } from 'node:os';
import { expect } from 'chai';
import { startOidcServer } from '../support/oidc-server.ts';
import { createAdminScene } from './admin-scene.ts';
import { dropleaf } from './command.ts';
import { makeData, useHome } from './home.ts';

describe('bin/dropleaf.js admin', () => {
  const home = useHome();
  beforeEach(() => makeData(home.dir));
  let url = '';
  const { admin, act, fail, newToken, publisher, statusOf, statusOfPatch } = createAdminScene(
    () => ({ ...home.env, ...(url !== '' && { BASE_URL: url }) }),
    () => url,
  );

  async function startService(): Promise<void> {
    url = (await home.start()).url;
  }

  it('takedown and restore take effect at once in the running service, by slug and by URL', async () => {
    await startService();
    const { slug, url: page, raw_url: raw } = await publisher('me');
    for (const address of [page, raw]) expect(await statusOf(address)).to.equal(200);
    expect(await act('takedown', slug, '--reason', 'phishing')).to.match(/^\w+ "A title" is offline: .*410/);
    for (const address of [page, raw]) expect(await statusOf(address)).to.equal(410);
    expect(await act('restore', `${raw}?v=1`)).to.include('is online again');
    for (const address of [page, raw]) expect(await statusOf(address)).to.equal(200);
  });

  it('takedown of an offline page prints the earlier time and reason; restore of an online page says so', async () => {
    await startService();
    const { slug } = await publisher('me');
    await act('takedown', slug, '--reason', 'phishing');
    const again = await act('takedown', slug, '--reason', 'malware');
    expect(again).to.match(/is offline already, since 20\S+Z; its reason was: phishing/);
    expect(await act('find', slug)).to.match(/state {5}taken down on 20\S+Z: malware/);
    await act('restore', slug);
    expect(await act('restore', slug)).to.include('is not offline');
  });

  it('takedown warns on stderr if the edge does not confirm the purge; the page is offline anyway', async () => {
    await startService();
    const { slug, raw_url: raw } = await publisher('me');
    const edge = { EDGE_PURGER: 'http', EDGE_PURGE_URL: 'http://127.0.0.1:9/' };
    const scene = createAdminScene(
      () => ({ ...home.env, ...edge }),
      () => url,
    );
    const { stderr, code } = await scene.admin('takedown', slug, '--reason', 'phishing');
    expect(code).to.equal(0);
    expect(stderr).to.match(/edge did not confirm the purge/);
    expect(await statusOf(raw)).to.equal(410);
    expect(await act('log', '--limit', '2')).to.include('outcome  done; the edge did not confirm');
  });

  it('delete-comment deletes a comment in the running service, prints what it said, and is logged', async () => {
    await startService();
    const { slug, token } = await publisher('me');
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ text: 'You \u001b[2J idiot' });
    const written = await fetch(`${url}/api/drops/${slug}/comments`, { method: 'POST', headers, body });
    const { id } = (await written.json()) as { id: string }; // proof: the description
    const done = await act('delete-comment', id, '--reason', 'insult');
    expect(done).to.include(`${id} of ${slug} is deleted`).and.include('You').and.not.include('\u001b');
    const left = await fetch(`${url}/api/comments?state=all`, { headers });
    expect(await left.json()).to.deep.include({ data: [] });
    expect(await fail(1, 'delete-comment', id)).to.include(`there is no comment "${id}"`);
    expect(await act('log')).to.match(new RegExp(`delete-comment ${slug} ${id}\n  reason   insult`));
  });

  it('suspend makes an account read-only (403), unsuspend undoes it, by name in any case and by id', async () => {
    await startService();
    const { slug, token, url: page } = await publisher('me');
    expect(await act('suspend', 'ME', '--reason', 'spam')).to.match(/\(me, local\) is read-only now/);
    expect(await statusOfPatch(slug, token)).to.equal(403);
    expect(await statusOfPatch(slug, await newToken('me'))).to.equal(403);
    expect(await statusOf(page)).to.equal(200);
    expect(await act('suspend', 'me')).to.include('is suspended already');
    const [, id = ''] = /account {3}(\w+)/.exec(await act('find', 'me')) ?? [];
    expect(await act('unsuspend', id)).to.include('can write again');
    expect(await statusOfPatch(slug, token)).to.equal(200);
    expect(await act('unsuspend', id)).to.include('is not suspended');
  });

  it('revoke-tokens revokes every token of the account', async () => {
    await startService();
    const { slug, token } = await publisher('me');
    await newToken('me');
    expect(await act('revoke-tokens', 'me')).to.include(
      '2 tokens revoked, 0 sessions and 0 approved sign-ins ended',
    );
    expect(await statusOfPatch(slug, token)).to.equal(401);
  });

  it('find prints a page, its account and its tokens, by slug, URL, name, token and token id', async () => {
    await startService();
    const { slug, token, raw_url: raw } = await publisher('me');
    const ofPage = await act('find', slug);
    expect(ofPage).to.match(
      new RegExp(`^page {6}${slug}\n {2}title {5}A title\n {2}account {3}\\w+ \\(me, local\\)`),
    );
    expect(ofPage).to.include('state     online');
    expect(await act('find', raw)).to.equal(ofPage);
    const ofAccount = await act('find', 'Me');
    expect(ofAccount)
      .to.include(`    ${slug}  A title`)
      .and.to.match(/state {5}active\n {2}tokens {4}1\n/);
    const [, tokenId = ''] = /^ {4}([0-9a-f]{12}) {2}\(no label\)$/m.exec(ofAccount) ?? [];
    const ofToken = await act('find', tokenId);
    expect(ofToken).to.match(/^token {5}\w+\n {2}account {3}\w+ \(me, local\)\n/);
    expect(await act('find', token), 'the token itself').to.equal(ofToken);
    expect(await act('log'), 'the log')
      .to.include(`find ${tokenId}`)
      .and.not.include(token);
  });

  it('link lets an account sign in by another way; an identity of another account is refused; both are logged', async () => {
    await newToken('me');
    await newToken('you');
    expect(await act('link', 'me', 'github', '583231')).to.match(
      /\(me, local\) now signs in as 583231 \(github:https:\/\/github.com\), too/,
    );
    expect(await act('link', 'ME', 'github', '583231')).to.include('signs in already as');
    expect(await fail(1, 'link', 'you', 'github', '583231')).to.include('has an account already');
    expect(await fail(1, 'link', 'you', 'local', 'me')).to.include('me (local) has an account already');
    expect(await act('find', 'me')).to.match(
      /by these ways:\n {4}local, me \(me\)\n {4}github:https:\/\/github.com, 583231 \(583231\)\n/,
    );
    expect(await act('link', 'me', 'local', 'Second', '--reason', 'asked')).to.include('as second (local)');
    const { stdout } = await dropleaf(['token', '--user', 'second'], home.env);
    expect(await act('find', stdout.trim()), 'a local name that is linked').to.match(
      /account {3}\w+ \(me, local\)/,
    );
    const log = await act('log');
    for (const [target, outcome] of [
      ['me github:https://github.com 583231', 'done'],
      ['me github:https://github.com 583231', 'no change'],
      ['you github:https://github.com 583231', 'refused: another account has it'],
    ])
      expect(log).to.match(new RegExp(`: link \\w+ ${target}\n  outcome  ${outcome}`));
  });

  it('link names the OpenID provider as its discovery document does, and says what is wrong', async () => {
    const provider = await startOidcServer('https://drops.example/callback');
    const env = { OIDC_ISSUER: `${provider.issuer}/`, OIDC_CLIENT_ID: 'dropleaf' };
    const scene = createAdminScene(
      () => ({ ...home.env, ...env }),
      () => url,
    );
    await newToken('me');
    expect(await scene.act('link', 'me', 'oidc', 'ada-1')).to.include(`ada-1 (oidc:${provider.issuer}), too`);
    await provider.close();
    expect(await scene.fail(1, 'link', 'me', 'oidc', 'ada-2')).to.include(
      'the OpenID provider did not answer',
    );
    expect(await fail(1, 'link', 'me', 'oidc', 'ada-2')).to.include('OIDC_ISSUER is not set');
    expect(await fail(1, 'link', 'me', 'github', 'octocat')).to.include('is not a user id of GitHub');
    expect(await fail(1, 'link', 'me', 'local', 'a b')).to.include('is not a name of a local account');
    expect(await fail(2, 'link', 'me', 'oidc', 'a\u00e9')).to.include('1 to 255 ASCII characters');
    expect(await fail(2, 'link', 'me', 'saml', 'x')).to.include('Allowed choices are local, github, oidc');
  });

  it('log prints operator, act, target, reason and outcome, newest first, page by page', async () => {
    await newToken('me');
    await act('suspend', 'me', '--by', 'Alice', '--reason', 'spam');
    await act('unsuspend', 'me');
    const all = await act('log');
    const entry = (by: string, what: string) => `\\S+Z ${by}: ${what} \\w+ me\n`;
    const user = userInfo().username;
    expect(all).to.match(
      new RegExp(
        `^${entry(user, 'unsuspend')} {2}outcome {2}done\n {2}id {7}\\w+\n\n` +
          `${entry('Alice', 'suspend')} {2}reason {3}spam\n {2}outcome {2}done\n {2}id {7}\\w+\n$`,
      ),
    );
    const first = await admin('log', '--limit', '1');
    const [, before = ''] = /--before (\w+)\n$/.exec(first.stderr) ?? [];
    const second = await act('log', '--before', before);
    expect(`${first.stdout}\n${second}`).to.equal(all);
  });

  it('exits with 1 if the page or account does not exist, with 2 if the page cannot exist', async () => {
    await newToken('me');
    for (const command of ['takedown', 'restore']) {
      expect(await fail(1, command, 'none', '--reason', 'x')).to.include('there is no page "none"');
      expect(await fail(2, command, 'a b', '--reason', 'x')).to.include('"a b" is not a slug');
    }
    for (const command of ['suspend', 'unsuspend', 'revoke-tokens']) {
      expect(await fail(1, command, 'you')).to.include('there is no account "you"');
    }
    expect(await fail(1, 'find', 'you')).to.include('no page, account or token matches "you"');
    expect(await act('log'), 'acts that were none').to.match(
      /^\S+ \S+: find you\n {2}outcome .*\n {2}id .*\n$/,
    );
  });

  it('refuses the address of another service, whose slug may be that of a page here', async () => {
    await startService();
    const { slug, url: page } = await publisher('me');
    const foreign = `https://elsewhere.example/p/${slug}`;
    for (const args of [
      ['takedown', foreign, '--reason', 'x'],
      ['restore', foreign],
      ['find', foreign],
    ])
      expect(await fail(2, ...args)).to.include(
        `${foreign} is not a page of this service, ${url}: give the slug`,
      );
    expect(await fail(2, 'reports', '--page', foreign)).to.include('is not a page of this service');
    expect(await statusOf(page)).to.equal(200);
  });

  it('prints no control characters from its arguments', async () => {
    expect(await fail(1, 'suspend', 'a\u001b[31m\u202eb')).to.include('"a\ufffd[31m\ufffdb"');
    expect(await fail(2, 'takedown', 'a\u001b[31m', '--reason', 'x')).to.not.include('\u001b');
  });
});
