import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { openFlakyProxy } from '../support/flaky-proxy.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import {
  dropleaf,
  logOf,
  type RunningService,
  runHere,
  startWebProcess,
  startWorkerProcess,
  type Watched,
} from './command.ts';
import { makeData, publish } from './home.ts';
import { type OwnServers, openOwnServers } from './own-servers.ts';

const password = 'p4ss-word';
const unreachableRedis = `redis://user:${password}@127.0.0.1:1`;

describe('The processes of the Procfile', () => {
  const DATA_DIR = join(makeTempDir(), 'none');
  let servers: OwnServers;
  let env: Record<string, string>;
  let running: Watched[];

  before(async () => {
    servers = await openOwnServers();
    env = { ...servers.env, DATA_DIR, HOST: '127.0.0.1', PORT: '0' };
  });
  beforeEach(() => {
    running = [];
  });
  afterEach(async () => {
    for (const one of running) one.kill('SIGTERM');
    for (const { code, stderr } of await Promise.all(running.map((one) => one.ended()))) {
      expect(code, stderr).to.equal(0);
    }
  });
  after(() => servers?.remove());

  it('web and worker do not start before bin/dropleaf.js migrate, and say so', async () => {
    for (const command of ['web', 'worker']) {
      const { stdout, stderr, code } = await dropleaf([command], env);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.match(/^dropleaf: MongoDB lacks [^\n]+: run "bin\/dropleaf\.js migrate" first\n$/);
    }
  });

  it('migrate logs what it creates, and creates nothing when it runs again', async () => {
    const first = await dropleaf(['migrate'], env);
    expect(first.code, first.stderr).to.equal(0);
    expect(first.stderr).to.match(/"collection":"drops","made":\["drops","drops_slug",/);
    expect(first.stdout).to.match(/^MongoDB \(\S+\) is ready for this release/);
    const second = await dropleaf(['migrate'], env);
    expect(second).to.include({ stdout: first.stdout, code: 0 });
    expect(second.stderr).not.to.contain('"made"');
  });

  it('web publishes a page without a worker; a worker started later runs the waiting job', async () => {
    const web = await startWeb();
    const drop = await publish(web.url, await createToken(), '<p>A page');
    expect(await readRenders()).to.include({ waiting: 1, active: 0, failed: 0 });
    await startWorker();
    await servers.untilDocuments('artefacts', 1);
    await until(isRendered, 'the job is done');
    expect(await (await fetch(`${web.url}/p/${drop.slug}/raw`)).text()).to.contain('A page');
  });

  it('web listens on all addresses unless HOST is set, and warns if BASE_URL is not set', async () => {
    const [warning, ready] = logOf((await startWeb({ HOST: '' })).output);
    expect(warning).to.include({ level: 'warn' });
    expect(warning?.msg).to.match(/^BASE_URL is not set/);
    expect(ready).to.include({ level: 'info', msg: 'web process is ready', address: '0.0.0.0' });
    const { output } = await startWeb({ BASE_URL: 'https://drops.example' });
    const lines = logOf(output);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ address: '127.0.0.1', baseUrl: 'https://drops.example' });
  });

  it('web warns if DATA_DIR holds data of the embedded engine, and says how to move them', async () => {
    const dir = makeTempDir();
    await makeData(dir);
    const { output } = await startWeb({ DATA_DIR: dir, BASE_URL: 'https://drops.example' });
    const [warning] = logOf(output);
    expect(warning).to.include({ level: 'warn', dataDir: dir });
    expect(warning?.msg).to.match(
      /unset both and run "bin\/dropleaf.js export FILE", then set both and run "[^"]+ import FILE"/,
    );
  });

  it('a view is counted if the web process stops right after it', async () => {
    const web = await startWeb();
    const other = await startWeb();
    const token = await createToken();
    const drop = await publish(web.url, token, '<p>A page');
    const browser = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140' };
    expect((await fetch(`${web.url}/p/${drop.slug}`, { headers: browser })).status).to.equal(200);
    web.kill('SIGTERM');
    await web.ended();
    await startWorker();
    const url = `${other.url}/api/drops/${drop.slug}`;
    const readViews = async () => {
      const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
      return JSON.parse(await response.text()).view_count;
    };
    await until(async () => (await readViews()) === 1, 'the view is counted');
  });

  it('web works and stops while Redis is down; start and jobs fail', async () => {
    const web = await startWeb({ REDIS_URL: unreachableRedis });
    const drop = await publish(web.url, await createToken(), '<p>A page');
    expect((await fetch(`${web.url}/p/${drop.slug}/raw`)).status).to.equal(200);
    expect(web.output.stderr).not.to.contain(password);
    for (const command of ['start', 'jobs']) {
      const outcome = await dropleaf([command], { ...env, REDIS_URL: unreachableRedis, LOG_LEVEL: 'debug' });
      expect(outcome).to.include({ stdout: '', code: 1 });
      expect(outcome.stderr).to.match(/^dropleaf: Redis at 127\.0\.0\.1:1 cannot be reached/m);
      expect(outcome.stderr).not.to.contain(password);
    }
  });

  it('no command starts if Redis refuses the password, which is not printed', async () => {
    const redis = createServer((socket) => {
      socket.on('data', () =>
        socket.write('-WRONGPASS invalid username-password pair or user is disabled.\r\n'),
      );
      socket.on('error', () => socket.destroy());
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => redis.once('listening', resolve));
    const { port } = redis.address() as AddressInfo; // proof: it listens on a port
    const REDIS_URL = `redis://us3r:${password}@127.0.0.1:${port}`;
    for (const command of ['start', 'web', 'worker', 'jobs']) {
      const { stdout, stderr, code } = await dropleaf([command], { ...env, REDIS_URL, LOG_LEVEL: 'debug' });
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.match(/^dropleaf: Redis at 127\.0\.0\.1:\d+ /m);
      expect(stderr).not.to.match(/p4ss-word|us3r/);
    }
    redis.close();
  });

  it('start migrates MongoDB, publishes, runs jobs, and prints the servers without credentials', async () => {
    const REDIS_URL = Object.assign(new URL(env.REDIS_URL ?? ''), { username: 'default', password }).href;
    const service = runHere(['start'], { ...env, REDIS_URL });
    running.push(service);
    const url = await service.firstMatch(/runs at (http\S+)/);
    const drop = await publish(url, await createToken(), '<h1>Tried out</h1>');
    expect(await (await fetch(drop.raw_url)).text()).to.contain('<h1>Tried out</h1>');
    await until(isRendered, 'the job is done');
    const { stdout, stderr } = service.output;
    const mongodb = new URL(env.MONGODB_URI ?? '').host;
    const redis = new URL(REDIS_URL).host;
    expect(stdout).to.contain(`data in MongoDB (${mongodb}) and Redis (${redis}).`);
    expect(stdout).to.contain('terminal with the same values of MONGODB_URI, REDIS_URL, REDIS_PREFIX:');
    const { stdout: key } = await dropleaf(['sign-in-key'], env);
    expect(key).to.match(/^\S{20,}\n$/);
    expect(stdout).to.contain(' sign-in-key\n').and.not.to.contain(key.trim());
    expect(stdout + stderr).not.to.contain(password);
  });

  it('web and worker have few log lines while MongoDB is away, with a count and without a stack', async () => {
    const proxy = await openFlakyProxy(servers.defaultMongoUri);
    const MONGODB_URI = proxy.throughProxy(servers.defaultMongoUri);
    const web = await startWeb({ MONGODB_URI });
    const worker = await startWorker({ MONGODB_URI });
    const requests = 40;
    proxy.refuse();
    for (let n = 0; n < requests; n++)
      expect((await fetch(`${web.url}/p/${'x'.repeat(12)}`)).status).to.equal(503);
    await worker.firstMatch(/(jobs wait because)/); // views.aggregate, every 5 s
    proxy.restore();
    for (const process of [web, worker]) {
      process.kill('SIGTERM');
      await process.ended();
      const failures = logOf(process.output).filter(({ level }) => level === 'warn' || level === 'error');
      const text = JSON.stringify(failures);
      expect(failures.length, text).to.be.below(7);
      expect(text).not.to.match(/ at |stack/);
      expect(text.length).to.be.below(3_000);
    }
    const refused = logOf(web.output).filter(({ msg }) => msg === 'a request was answered 503');
    expect(refused.map(({ count }) => count)).to.deep.equal([undefined, requests - 1]);
    expect(refused[1]?.cause).to.match(/^The database is unavailable: /);
    await proxy.close();
  });

  it('no command creates DATA_DIR', () => {
    expect(existsSync(DATA_DIR)).to.equal(false);
  });

  async function startWeb(settings: Record<string, string> = {}): Promise<RunningService> {
    const web = await startWebProcess({ ...env, ...settings }, runHere);
    running.push(web);
    return web;
  }

  async function startWorker(settings: Record<string, string> = {}): Promise<Watched> {
    const worker = await startWorkerProcess({ ...env, ...settings }, runHere);
    running.push(worker);
    return worker;
  }

  async function createToken(): Promise<string> {
    const { stdout, stderr, code } = await dropleaf(['token', '--user', 'me'], env);
    expect(code, stderr).to.equal(0);
    return stdout.trim();
  }

  /** The counts of `version.render`. */
  async function readRenders(): Promise<{ waiting: number; active: number; failed: number }> {
    const { stdout, stderr, code } = await dropleaf(['jobs', '--json'], env);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout).jobs.find(({ name }: { name: string }) => name === 'version.render');
  }

  async function isRendered(): Promise<boolean> {
    const { waiting, active, failed } = await readRenders();
    return waiting + active + failed === 0;
  }
});
