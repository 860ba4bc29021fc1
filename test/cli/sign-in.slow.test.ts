import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Watched } from '../bin/command.ts';
import { listen } from '../support/listen.ts';
import { createPerson } from '../support/person.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { fakeBrowser, useClient } from './client.ts';
import { runInTerminal } from './terminal.ts';

describe('dropleaf login, logout and tokens', () => {
  const service = useService({ POLL_INTERVAL_SECONDS: '1', SIGN_IN_STARTS_PER_MINUTE: '1000' });
  const client = useClient();
  const env = () => ({ DROPLEAF_URL: service.url });
  const run = (args: readonly string[]) => client.run(args, { env: env() });
  const start = (args: readonly string[]) => client.start(args, { env: env() });
  const addressOf = (login: Watched) => login.firstMatch(/(http\S+\/sign-in\?code=[\w-]+)/);
  const tokenLabel = async () => JSON.parse((await run(['whoami', '--json'])).stdout).token.label;
  const file = () => join(client.dir, '.config', 'dropleaf', 'credentials.json');
  const stored = () => JSON.parse(readFileSync(file(), 'utf8'))[service.url];

  /** Opens the address that the client prints, and approves or denies. */
  async function decide(login: Watched, decision = 'approve'): Promise<void> {
    await approve(await addressOf(login), decision);
  }

  async function approve(address: string, decision = 'approve'): Promise<void> {
    const { pathname, search } = new URL(address);
    const person = createPerson(service);
    const local = await person.submit(await person.open(pathname + search), {});
    const key = service.services.signInKey ?? '';
    const asked = await person.submit(local, { name: 'ada', key });
    const isNew = asked.path === '/sign-in/local';
    const request = isNew ? await person.submit(asked, { answer: 'create' }) : asked;
    await person.submit(request, { decision });
  }

  async function signIn(args: readonly string[] = []) {
    const login = start(['login', ...args]);
    await decide(login);
    return login.ended();
  }

  it('login prints code and address on stderr, waits for the approval, and stores the token for the user alone', async () => {
    const { stdout, stderr, code } = await signIn(['--label', 'laptop']);
    expect({ stdout, code }, stderr).to.deep.equal({ stdout: '', code: 0 });
    const { token } = stored();
    expect(stderr)
      .to.match(/^Code: +[A-Z]{4}-[A-Z]{4}$/m)
      .and.to.contain(`Signed in to ${service.url} as ada.`)
      .and.not.to.contain(token);
    expect(statSync(file()).mode & 0o777).to.equal(0o600);
    expect(statSync(dirname(file())).mode & 0o777).to.equal(0o700);
    expect(await tokenLabel()).to.equal('laptop');
  });

  it('login --json prints the account when it is signed in; the code is on stderr', async () => {
    const { stdout } = await signIn(['--json']);
    const account = { status: 'signed_in', url: service.url, user_id: stored().user_id };
    expect(JSON.parse(stdout)).to.deep.equal(account);
  });

  it('login --scope publish gets a token that may only publish, which whoami shows, and which logout revokes', async () => {
    await signIn(['--scope', 'publish', '--label', 'agent']);
    expect((await run(['whoami'])).stdout).to.contain('"agent", scope publish, from');
    const says = ['may not', '(forbidden)', 'scope: all'];
    await client.fails(7, ['tokens'], says, { env: env() });
    expect((await run(['logout'])).stderr).to.contain('Signed out');
    await client.fails(2, ['login', '--scope', 'read'], ['It must be all or publish.'], { env: env() });
  });

  it('login --scope starts anew if a login for another scope is under way; without --scope it continues', async () => {
    const begin = async (...args: string[]) =>
      JSON.parse((await run(['login', '--no-wait', '--json', ...args])).stdout).code;
    const all = await begin();
    expect(await begin('--scope', 'all')).to.equal(all);
    const publish = await begin('--scope', 'publish');
    expect(publish).not.to.equal(all);
    expect(await begin('--scope', 'publish')).to.equal(publish);
    expect(await begin()).to.equal(publish);
  });

  it('login exits with 4 if the sign-in is denied, and stores nothing', async () => {
    const login = start(['login']);
    await decide(login, 'deny');
    const { stderr, code } = await login.ended();
    expect(code).to.equal(4);
    const renewed = await run(['login', '--no-wait']);
    expect(renewed.stderr).to.not.contain(/Code: +(\S+)/.exec(stderr)?.[1]);
    expect(stderr).to.contain('the code was denied: run');
    expect(existsSync(file())).to.equal(false);
  });

  it('login changes nothing if the stored token works, and signs in again if it was revoked', async () => {
    await signIn();
    const before = stored();
    const again = await run(['login']);
    expect(again).to.deep.include({ stdout: '', code: 0 });
    expect(again.stderr).to.contain(`You are signed in to ${service.url} as ada.`);
    const id = JSON.parse((await run(['whoami', '--json'])).stdout).token.id;
    await service.request('DELETE', `/api/tokens/${id}`, { token: before.token });
    await signIn();
    expect(stored().token).to.not.equal(before.token);
  });

  it('login refuses while DROPLEAF_TOKEN is set', async () => {
    const withToken = { env: { ...env(), DROPLEAF_TOKEN: 'dl_x' } };
    const stderr = await client.fails(2, ['login'], ['DROPLEAF_TOKEN is set'], withToken);
    expect(stderr).not.to.contain('dl_x');
  });

  it('a login that was stopped exits with 130, and continues with its code when it runs again', async () => {
    const stopped = start(['login']);
    const code = await stopped.firstMatch(/^Code: +(\S+)$/m);
    await stopped.firstMatch(/(approve it within)/);
    stopped.kill('SIGINT');
    expect((await stopped.ended()).code).to.equal(130);
    await approve(await addressOf(stopped));
    const again = await run(['login']);
    expect(again.code).to.equal(0);
    expect(again.stderr).to.contain(code).and.to.contain('Signed in to');
    expect(readdirSync(dirname(file())).sort()).to.deep.equal(['credentials.json', 'pending-sign-ins.json']);
    expect(readFileSync(join(dirname(file()), 'pending-sign-ins.json'), 'utf8')).to.equal('{}\n');
  });

  it('login --no-wait prints the code and ends, and login after the approval stores the token', async () => {
    const { stdout, stderr, code } = await run(['login', '--no-wait', '--json']);
    expect(code, stderr).to.equal(0);
    const pending = JSON.parse(stdout);
    expect(pending)
      .to.include({ status: 'pending', expires_in: 600 })
      .and.to.have.keys(['status', 'code', 'verification_url', 'expires_in']);
    expect(stderr).to.match(/After the approval, run: .* login --json\n$/);
    expect(statSync(join(dirname(file()), 'pending-sign-ins.json')).mode & 0o777).to.equal(0o600);
    const early = await run(['login', '--no-wait', '--json']);
    expect(JSON.parse(early.stdout).code).to.equal(pending.code);
    await approve(pending.verification_url);
    const done = await run(['login', '--json']);
    expect(JSON.parse(done.stdout).user_id).to.equal(stored().user_id);
  });

  it('login continues a sign-in whatever label or address began it, and --no-wait prints the command that does', async () => {
    const first = await client.run(['login', '--no-wait', '--label', 'ci', '--json', '--url', service.url]);
    const [, args = ''] = /After the approval, run: node \S+ (.+)$/m.exec(first.stderr) ?? [];
    expect(args).to.equal(`--url ${service.url} login --json`);
    const other = await run(['login', '--no-wait', '--json', '--label', 'other']);
    expect(JSON.parse(other.stdout).code).to.equal(JSON.parse(first.stdout).code);
    expect(other.stderr).to.contain('a login is under way, so the token keeps its label: "ci"');
    await approve(JSON.parse(first.stdout).verification_url);
    const done = await client.run(args.split(' '));
    expect(done.code, done.stderr).to.equal(0);
    expect(await tokenLabel()).to.equal('ci');
  });

  it('login that cannot store the token revokes it', async () => {
    const login = start(['login', '--label', 'unstored']);
    const address = await addressOf(login);
    const lock = `${file()}.lock`;
    mkdirSync(lock); // no file can be made there
    utimesSync(lock, 0, 0);
    await approve(address);
    const { stderr, code } = await login.ended();
    expect(code).to.equal(1);
    expect(stderr).to.contain(`cannot write ${file()}: `);
    const owner = await service.newOwner('ada');
    const labels = (await owner.get<{ label: string }[]>('/api/tokens')).body.map(({ label }) => label);
    expect(labels).to.not.include('unstored');
  });

  it('login continues after polls that fail, and says if the answer with the token was lost', async () => {
    const answers = [503, { status: 'pending' }, null, { status: 'claimed' }];
    const started = {
      code: 'BCDF-GHJK',
      verification_url: 'http://127.0.0.1/sign-in',
      poll_token: 'p',
      expires_in: 60,
      poll_interval: 0,
    };
    const server = createServer((req, res) => {
      const answer = req.method === 'POST' ? started : answers.shift();
      res.setHeader('content-type', 'application/json');
      if (answer === null) res.destroy();
      else if (typeof answer === 'number') res.writeHead(answer).end();
      else res.end(JSON.stringify(answer));
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    const lost = 'the connection was lost while the service sent the token: run ';
    await client.fails(1, ['login', '--url', url], [lost]);
    server.close();
    expect(answers).to.deep.equal([]);
  });

  it('login with --timeout ends in time with pending and the command that continues, and keeps the code', async () => {
    const { stdout, stderr, code } = await run(['login', '--timeout', '1', '--json']);
    expect(code, stderr).to.equal(0);
    const pending = JSON.parse(stdout);
    expect(pending).to.include({ status: 'pending' });
    expect(pending.command).to.match(/ login --json$/);
    const text = await run(['login', '--timeout', '3']);
    expect(text).to.include({ stdout: '', code: 0 });
    expect(text.stderr, 'the service answered each poll').not.to.contain('does not answer');
    expect(text.stderr)
      .to.contain(pending.code)
      .and.match(/After the approval, run: node \S+ login\n$/);
    await approve(pending.verification_url);
    expect(JSON.parse((await run(['login', '--json'])).stdout).status).to.equal('signed_in');
  });

  /** A service that answers polls with these, in turn. */
  async function startDouble(expiresIn: number, answers: (string | object)[]) {
    const started = {
      code: 'BCDF-GHJK',
      verification_url: 'http://127.0.0.1/sign-in',
      poll_token: 'p',
      expires_in: expiresIn,
      poll_interval: 1,
    };
    const server = createServer((req, res) => {
      const answer = req.method === 'POST' ? started : (answers.shift() ?? '<h1>Sign in to this network');
      if (answer === 'redirect')
        return void res.writeHead(302, { location: 'http://captive.example/' }).end();
      const isPage = typeof answer === 'string';
      res.setHeader('content-type', isPage ? 'text/html' : 'application/json');
      res.end(isPage ? answer : JSON.stringify(answer));
    });
    return { server, url: `http://127.0.0.1:${await listen(server)}` };
  }

  it('login continues to poll while a network answers with pages of its own, until the code expires', async () => {
    const verified = { status: 'verified', api_token: 'dl_x', user_id: 'u' };
    const { server, url } = await startDouble(60, [
      '<h1>Sign in',
      'redirect',
      { status: 'pending' },
      verified,
    ]);
    const { stdout, stderr, code } = await client.run(['login', '--json', '--url', url]);
    server.close();
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ status: 'signed_in', user_id: 'u' });
    expect(stderr.match(/does not answer as it should/g)).to.have.length(1);
  });

  it('login tells a code that was denied from one that has expired', async () => {
    for (const [expiresIn, answers, reason] of [
      [60, [{ status: 'expired' }], 'denied'],
      [2, [], 'expired'],
    ] as const) {
      const { server, url } = await startDouble(expiresIn, [...answers]);
      const { stdout, code } = await client.run(['login', '--json', '--url', url]);
      server.close();
      expect(code).to.equal(4);
      expect(JSON.parse(stdout).error).to.deep.include({ code: 'not_signed_in', details: { reason } });
    }
  });

  it('reads credentials with a byte order mark, and a token with line breaks from files and the environment', async () => {
    await signIn();
    const { token, user_id } = stored();
    writeCredentials(`\ufeff${JSON.stringify({ [service.url]: { token: `${token}\r\n`, user_id } })}`);
    expect((await run(['whoami'])).code).to.equal(0);
    const env = { DROPLEAF_URL: ` ${service.url}\r\n`, DROPLEAF_TOKEN: `${token}\r\n` };
    expect((await client.run(['whoami'], { env })).stdout).to.contain('from DROPLEAF_TOKEN');
  });

  it('on a terminal the Enter key opens the browser', async function () {
    const browser = fakeBrowser(client.dir);
    const login = runInTerminal(this, client, ['login'], { ...env(), PATH: browser.PATH });
    await login.answer('Press Enter', '\r');
    await until(() => browser.opened() !== '', 'the browser was opened');
    const [, address = ''] = /Address: +(\S+)/.exec(login.output()) ?? [];
    expect(browser.opened()).to.equal(`${address}\n`);
    await approve(address);
    expect(await login.ended()).to.equal(0);
    expect(login.output()).to.contain('Signed in to');
  });

  it('on a terminal publish signs in first; without one it exits with 4', async function () {
    writeFileSync(join(client.dir, 'page.html'), '<title>A page</title>');
    const without = await run(['publish', 'page.html']);
    expect(without).to.deep.include({ stdout: '', code: 4 });
    const publish = runInTerminal(this, client, ['publish', 'page.html', '--lock'], env());
    await until(() => publish.output().includes('Press Enter'), 'the code is shown');
    await approve(/Address: +(\S+)/.exec(publish.output())?.[1] ?? '');
    await publish.answer('Passcode for viewers: ', 'open-sesame\r');
    await publish.answer('The same again: ', 'open-sesame\r');
    expect(await publish.ended(), publish.output()).to.equal(0);
    expect(publish.output()).to.match(/Signed in to.*Published "A page".*\/p\/\w+/s);
  });

  it('on a terminal Ctrl+C ends login with 130', async function () {
    const login = runInTerminal(this, client, ['login'], env());
    await login.answer('Press Enter', '\u0003');
    expect(await login.ended()).to.equal(130);
  });

  it('logout revokes the token and forgets it; a second logout says that nobody is signed in', async () => {
    await signIn();
    const { token } = stored();
    const { stderr, code } = await run(['logout']);
    expect({ stderr, code }).to.deep.equal({ stderr: `Signed out of ${service.url}.\n`, code: 0 });
    expect((await service.get('/api/me', { token })).status).to.equal(401);
    expect(stored()).to.equal(undefined);
    const again = await run(['logout']);
    expect(again).to.deep.include({ stderr: `You are not signed in to ${service.url}.\n`, code: 0 });
  });

  it('logout keeps the sign-in if the service cannot be reached', async () => {
    const entries = { 'http://127.0.0.1:9': { token: 'dl_x', user_id: 'u' } };
    writeCredentials(JSON.stringify(entries));
    await client.fails(3, ['logout', '--url', 'http://127.0.0.1:9'], ['cannot reach http://127.0.0.1:9']);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).to.deep.equal(entries);
  });

  it('tokens lists the tokens of the account without the tokens; revoke of the own one signs out', async () => {
    await signIn(['--label', 'this laptop']);
    const { token } = stored();
    const { stdout } = await run(['tokens']);
    expect(stdout)
      .to.match(/^ID .* LABEL\n/)
      .and.not.to.contain(token);
    const [, id = ''] = /^([0-9a-f]{12}) .*this laptop {2}\(this one\)$/m.exec(stdout) ?? [];
    const json = await run(['tokens', '--json']);
    expect(JSON.parse(json.stdout).map((one: { id: string }) => one.id)).to.contain(id);
    const { stderr, code } = await run(['tokens', 'revoke', id]);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.contain('you are signed out');
    expect(stored()).to.equal(undefined);
    const wrong = await client.fails(2, ['tokens', 'revoke', 'x'], [], { env: env() });
    expect(wrong).to.equal("dropleaf: a token's id is 12 hexadecimal digits (got x)\n");
  });

  it('two logins at the same time both end signed in, and keep the sign-ins to other services', async () => {
    writeCredentials(JSON.stringify({ 'https://other.example': { token: 'dl_other', user_id: 'u' } }));
    const { stdout } = await run(['login', '--no-wait', '--json']);
    const logins = [1, 2].map(() => start(['login']));
    await Promise.all(logins.map((login) => login.firstMatch(/(approve it within)/)));
    await approve(JSON.parse(stdout).verification_url);
    for (const login of logins) expect(await login.ended()).to.include({ code: 0 });
    expect(JSON.parse(readFileSync(file(), 'utf8'))).to.include.keys(service.url, 'https://other.example');
  });

  it('a token goes to its own origin alone', async () => {
    writeCredentials(JSON.stringify({ 'https://other.example': { token: 'dl_other', user_id: 'u' } }));
    await client.fails(4, ['whoami'], [`not signed in to ${service.url}`], { env: env() });
  });

  it('the only service that the user signed in to needs no --url', async () => {
    await signIn();
    expect((await client.run(['whoami'])).stdout).to.contain(service.url);
    await client.fails(2, ['whoami'], [], { env: { DROPLEAF_TOKEN: 'dl_x' } }); // it may be for another service
  });

  const entry = '{"https://a.example": {"token": "a b", "user_id": "u"}}';
  for (const text of ['{', '[]', '{"https://a.example": {}}', entry]) {
    it(`says that the credentials ${text} are not valid, and leaves them as they are`, async () => {
      writeCredentials(text);
      const message = `dropleaf: ${file()} is not valid: move it away, then sign in again. Nothing was changed\n`;
      for (const command of ['whoami', 'login', 'logout'])
        expect(await client.fails(1, [command], [], { env: env() })).to.equal(message);
      expect(readFileSync(file(), 'utf8')).to.equal(text);
    });
  }

  it('the file of the service is all that is needed: it knows where it came from', async () => {
    const served = join(client.dir, 'cli.mjs');
    writeFileSync(served, (await service.get('/cli.mjs')).text);
    const hint = `not signed in to ${service.url}. Run: node cli.mjs login`;
    await client.fails(4, ['whoami'], [hint], { file: served });
  });

  function writeCredentials(text: string): void {
    mkdirSync(dirname(file()), { recursive: true, mode: 0o700 });
    writeFileSync(file(), text);
    chmodSync(file(), 0o600);
  }
});
