import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { writeAsGuest } from '../support/comments.ts';
import { listen } from '../support/listen.ts';
import { useOwner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { clientFile, fakeBrowser, useClient } from './client.ts';
import { runInTerminal } from './terminal.ts';

const commands =
  'login logout whoami tokens open mcp skill publish share unshare shared comments reply resolve reopen'.split(
    ' ',
  );

describe('dropleaf, the client, on the command line', () => {
  const service = useService();
  const owner = useOwner(service);
  const client = useClient();

  it('--help lists every command, the environment and the exit codes', async () => {
    const { stdout, stderr, code } = await client.run(['--help']);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    for (const command of commands) expect(stdout).to.match(new RegExp(`^ +${command}\\b`, 'm'));
    for (const name of ['DROPLEAF_URL', 'DROPLEAF_TOKEN', 'NO_COLOR', 'Exit codes']) {
      expect(stdout).to.contain(name);
    }
  });

  const noAddress = (got: string) => new RegExp(`--url must be the address of a service.*got ${got}`);
  const misuses: [what: string, args: string[], answer: RegExp][] = [
    ['no command', [], /Usage: /],
    ['an unknown command', ['whoam'], /unknown command 'whoam'\n\(Did you mean whoami\?\)/],
    ['an unknown option', ['whoami', '--jsn'], /unknown option '--jsn'/],
    ['a timeout of nothing', ['whoami', '--timeout', '0'], /It must be a number from 1/],
    ['a timeout of years', ['whoami', '--timeout', '99999999'], /It must be at most 86400/],
    ['no service', ['whoami'], /no service is chosen: set DROPLEAF_URL, or add --url/],
    ['a service over http', ['whoami', '--url', 'http://drops.example'], /must begin with https:\/\//],
    [
      'an address with a path',
      ['whoami', '--url', 'https://drops.example/p/x'],
      /without user, path and query/,
    ],
    ['text that is no address', ['whoami', '--url', 'drops'], noAddress('drops')],
    ['an address without https://', ['whoami', '--url', 'localhost:3000'], noAddress('localhost:3000')],
    [
      'a command for operators',
      ['migrate'],
      /"migrate" is a command for operators: run bin\/dropleaf\.js migrate/,
    ],
  ];
  for (const [what, args, answer] of misuses) {
    it(`exits with 2 on ${what}, and says on stderr what to do`, async () => {
      await client.fails(2, args, [answer]);
    });
  }

  it('says which Node it needs if it runs on an older one', async () => {
    const pretend = "Object.defineProperty(process, 'versions', { value: { node: '20.18.3' } });";
    const nodeArgs = ['--import', `data:text/javascript,${pretend}`];
    expect(await client.run(['--help'], { nodeArgs })).to.deep.equal({
      stdout: '',
      stderr: 'dropleaf: Node 20.18.3 is too old: install Node 20.19 or newer\n',
      code: 1,
    });
  });

  it('whoami prints the account of DROPLEAF_TOKEN, and with --json what the service answers', async () => {
    const owner = await service.newOwner('ada');
    const env = { DROPLEAF_URL: service.url, DROPLEAF_TOKEN: owner.token };
    const { stdout, code } = await client.run(['whoami'], { env });
    expect(code).to.equal(0);
    expect(stdout).to.contain(`account  ada (${owner.userId})\n`).and.to.contain('from DROPLEAF_TOKEN');
    const json = await client.run(['whoami', '--json'], { env });
    expect(JSON.parse(json.stdout).user_id).to.equal(owner.userId);
    const { slug } = await owner.create({ comments: 'anyone' });
    await writeAsGuest(service, { owner, slug }, 'Waits');
    expect((await client.run(['whoami'], { env })).stdout).to.contain('comments 1 to approve, 0 new\n');
  });

  it('exits with 4 and says how to sign in without a token, and with one that is not valid', async () => {
    const env = { DROPLEAF_URL: service.url };
    await client.fails(4, ['whoami'], [/not signed in to http:.* login, or set DROPLEAF_TOKEN/], { env });
    const refused = ['does not accept the token in DROPLEAF_TOKEN'];
    const wrong = { env: { ...env, DROPLEAF_TOKEN: 'drop_wrong' } };
    expect(await client.fails(4, ['whoami'], refused, wrong)).not.to.contain('drop_wrong');
  });

  it('says how long to wait where the service or a proxy asks for more than a minute, unless waiting does not help', async () => {
    let answer: object = {};
    let status = 503;
    const server = createServer((_req, res) => {
      const headers = { 'content-type': 'application/json', 'retry-after': '40000' };
      res.writeHead(status, headers).end(JSON.stringify(answer));
    });
    const env = { DROPLEAF_URL: `http://127.0.0.1:${await listen(server)}`, DROPLEAF_TOKEN: 'dl_x' };
    const down = await client.run(['list', '--json'], { env });
    expect(down.stderr).to.match(/status 503\nTry again in 12 hours\.\n$/);
    expect(JSON.parse(down.stdout).error.details).to.deep.equal({ retry_after_seconds: 40_000 });
    status = 429;
    const details = { limit: 500, retry_after_seconds: 40_000 };
    answer = { error: { code: 'daily_quota_exceeded', message: 'At most 500 writes a day.', details } };
    const day = await client.run(['list'], { env });
    expect(day.stderr).to.match(
      /a day\. \(daily_quota_exceeded\)\n {2}limit: 500\nTry again in 12 hours\.\n$/,
    );
    answer = { error: { code: 'quota_exceeded', message: 'Full', details } };
    expect((await client.run(['list'], { env })).stderr).to.match(/ {2}limit: 500\n$/);
    server.close();
  });

  it('whoami works with a service that is older, and refuses to include what waits', async () => {
    const token = { id: '0123456789ab', label: null, created_at: 0, last_used_at: null };
    const caller = { user_id: 'u', created_at: 0, drop_count: 0, token, name: 'ada' };
    const server = createServer((req, res) => {
      const isKnown = req.url === '/api/me?include=name';
      const refusal = { error: { code: 'invalid_arg', message: 'include must be one of name' } };
      res.writeHead(isKnown ? 200 : 400, { 'content-type': 'application/json' });
      res.end(JSON.stringify(isKnown ? caller : refusal));
    });
    const env = { DROPLEAF_URL: `http://127.0.0.1:${await listen(server)}`, DROPLEAF_TOKEN: 'dl_x' };
    const { stdout, code } = await client.run(['whoami'], { env });
    expect([code, stdout.includes('account  ada (u)'), stdout.includes('comments')]).to.deep.equal([
      0,
      true,
      false,
    ]);
    server.close();
  });

  it('gives up a service that never answers after --timeout', async () => {
    const silent = createServer();
    const env = { DROPLEAF_URL: `http://127.0.0.1:${await listen(silent)}`, DROPLEAF_TOKEN: 'dl_x' };
    const said = ['has not answered yet', 'did not answer within 1 s'];
    await client.fails(3, ['list', '--timeout', '1'], said, { env });
    silent.close();
  });

  it('open starts the browser and prints the address', async () => {
    const browser = fakeBrowser(client.dir);
    const env = { DROPLEAF_URL: service.url, PATH: browser.PATH };
    const address = `${service.url}/p/abc?v=2`;
    const { stdout, code } = await client.run(['open', address], { env });
    expect({ stdout, code }).to.deep.equal({ stdout: `${address}\n`, code: 0 });
    await until(() => browser.opened() === `${address}\n`, 'the browser was opened');
    const without = await client.run(['open', 'abc'], { env: { ...env, PATH: client.dir } });
    expect(without).to.deep.include({ stdout: `${service.url}/p/abc\n`, code: 1 });
    expect(without.stderr).to.contain('no browser could be started');
  });

  it('text from the service cannot steer the terminal', async () => {
    const label = 'a\u001b[31m\u202eb\nnext';
    const { token } = await service.newToken(owner, label);
    const env = { DROPLEAF_URL: service.url, DROPLEAF_TOKEN: token };
    for (const command of ['whoami', 'tokens']) {
      const { stdout } = await client.run([command], { env });
      expect(stdout.replaceAll('\n', ' ')).to.not.match(/[\p{Cc}\u202e]/u);
      expect(stdout).to.not.match(/^next/m);
      const json = await client.run([command, '--json'], { env });
      expect(json.stdout.trim()).to.not.match(/[\p{Cc}\u202e]/u);
      expect(JSON.stringify(JSON.parse(json.stdout))).to.contain(JSON.stringify(label));
    }
  });

  it('colours are for terminals, unless NO_COLOR is set', async function () {
    const env = { DROPLEAF_URL: service.url };
    const coloured = runInTerminal(this, client, ['whoami'], env);
    expect(await coloured.ended()).to.equal(4);
    expect(coloured.output()).to.contain('\u001b[31mdropleaf:\u001b[0m not signed in');
    const plain = runInTerminal(this, client, ['whoami'], { ...env, NO_COLOR: '1' });
    expect(await plain.ended()).to.equal(4);
    expect(plain.output()).to.match(/^dropleaf: not signed in/);
  });

  it('a reader that ends early ends it quietly', async () => {
    const { slug } = await owner.create({ html: 'a'.repeat(1_500_000) });
    const { stdout, stderr } = await promisify(execFile)(
      'sh',
      ['-c', '"$0" "$1" get "$2" | head -c 3; "$0" "$1" --help | true', process.execPath, clientFile, slug],
      { env: { ...process.env, DROPLEAF_URL: service.url, DROPLEAF_TOKEN: owner.token } },
    );
    expect({ stdout, stderr }).to.deep.equal({ stdout: 'aaa', stderr: '' });
  });

  it('--help loads none of the modules of Node that only other commands need', async () => {
    const report = "process.on('exit', () => console.error(process.moduleLoadList.join('\\n')))";
    const nodeArgs = ['--import', `data:text/javascript,${report}`];
    const { stderr } = await client.run(['--help'], { nodeArgs, env: { NODE_V8_COVERAGE: '' } });
    const loaded = stderr.split('\n').map((line) => line.replace(/^NativeModule /, ''));
    expect(loaded).to.include('fs'); // the list is what it is taken for
    const forOthers = ['http', 'https', 'tls', 'zlib', 'readline', 'internal/deps/undici/undici'];
    expect(loaded.filter((name) => forOthers.includes(name))).to.deep.equal([]);
  });
});
