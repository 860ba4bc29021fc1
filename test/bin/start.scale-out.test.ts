import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { requireProgram } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { dropleaf, type RunningService, startDropleaf } from './command.ts';
import { publish } from './home.ts';
import { type OwnServers, openOwnServers } from './own-servers.ts';

describe('dropleaf start on MongoDB and Redis', function () {
  this.timeout(60_000); // each test starts several processes
  const DATA_DIR = join(makeTempDir(), 'none');
  let servers: OwnServers;
  let env: Record<string, string>;
  let service: RunningService | undefined;

  before(async () => {
    servers = await openOwnServers();
    env = { ...servers.env, DATA_DIR };
  });
  afterEach(async () => {
    service?.kill('SIGTERM');
    await service?.ended();
    service = undefined;
  });
  after(() => servers?.remove());

  it('prepares MongoDB, publishes, and works through the jobs', async () => {
    service = await startDropleaf(env);
    const { stdout: token } = await dropleaf(['token', '--user', 'me'], env);
    const drop = await publish(service.url, token.trim(), '<h1>Tried out</h1>');
    expect(await (await fetch(drop.raw_url)).text()).to.contain('<h1>Tried out</h1>');
    expect((await fetch(drop.url)).status).to.equal(200);
    await servers.untilDocuments('renders', 1);
  });

  it('prints where the data is without credentials, and what the second terminal must have', async () => {
    const REDIS_URL = withUser(servers.env.REDIS_URL, 'default', 'p4ss-word');
    service = await startDropleaf({ ...env, REDIS_URL });
    const { stdout, stderr } = service.output;
    const mongodb = new URL(servers.env.MONGODB_URI).host;
    expect(stdout).to.contain(`data in MongoDB (${mongodb}) and Redis (${new URL(REDIS_URL).host}).`);
    expect(stdout).to.contain('terminal with the same values of MONGODB_URI, REDIS_URL, REDIS_PREFIX:');
    expect(stdout + stderr).not.to.contain('p4ss-word');
  });

  it('prints commands that publish a page in a shell that has those settings', async function () {
    requireProgram(this, 'curl');
    service = await startDropleaf(env);
    const commands = service.output.stdout
      .split('\n')
      .filter((line) => /^ {2,}(cd|TOKEN=|curl|-)/.test(line));
    const { PATH = '' } = process.env;
    const { stdout } = await run('sh', ['-euc', commands.join('\n')], {
      cwd: '/',
      env: { PATH, ...servers.env },
    });
    expect(JSON.parse(stdout)).to.include({ title: 'Hello' });
  });

  it('keeps the sign-in key that dropleaf sign-in-key prints, and prints it nowhere itself', async () => {
    const { stdout: key } = await dropleaf(['sign-in-key'], env);
    expect(key).to.match(/^\S{20,}\n$/);
    service = await startDropleaf(env);
    expect(service.output.stdout)
      .to.match(/^ {2}.* sign-in-key$/m)
      .and.not.to.contain(key.trim());
    expect((await dropleaf(['sign-in-key'], env)).stdout).to.equal(key);
  });

  it('does not start without Redis, and names it without credentials', async () => {
    const REDIS_URL = 'redis://user:p4ss-word@127.0.0.1:1';
    const { stdout, stderr, code } = await dropleaf(['start'], {
      ...env,
      REDIS_URL,
      PORT: '0',
      LOG_LEVEL: 'debug',
    });
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr)
      .to.match(/^dropleaf: Redis at 127\.0\.0\.1:1 cannot be reached\n/m)
      .and.not.to.contain('p4ss-word');
  });

  it('leaves DATA_DIR alone, and so do all commands', async () => {
    service = await startDropleaf(env);
    const commands = [['token', '--user', 'me'], ['sign-in-key'], ['jobs'], ['migrate']];
    for (const { stderr, code } of await Promise.all(commands.map((args) => dropleaf(args, env)))) {
      expect(code, stderr).to.equal(0);
    }
    expect(existsSync(DATA_DIR)).to.equal(false);
  });
});

function withUser(address: string, user: string, password: string): string {
  const url = new URL(address);
  return Object.assign(url, { username: user, password }).href;
}

const run = promisify(execFile);
