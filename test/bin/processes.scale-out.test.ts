import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import {
  dropleaf,
  type Outcome,
  type RunningService,
  startWebProcess,
  startWorkerProcess,
  type Watched,
} from './command.ts';
import { publish } from './home.ts';
import { type OwnServers, openOwnServers } from './own-servers.ts';

describe('the processes of the Procfile', function () {
  this.timeout(60_000); // each test starts several
  let servers: OwnServers;
  let env: Record<string, string>;
  let running: Watched[];

  before(async () => {
    servers = await openOwnServers();
    env = { ...servers.env, HOST: '127.0.0.1' };
  });
  beforeEach(() => {
    running = [];
  });
  afterEach(async () => {
    for (const one of running) one.kill('SIGTERM');
    await Promise.all(running.map((one) => one.ended()));
  });
  after(() => servers?.remove());

  describe('before dropleaf migrate', () => {
    for (const command of ['web', 'worker']) {
      it(`${command} does not start, and says what to run`, async () => {
        const { stdout, stderr, code } = await dropleaf([command], { ...env, PORT: '0' });
        expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
        expect(stderr).to.match(/^dropleaf: MongoDB is not prepared [^\n]+: run "dropleaf migrate" first\n$/);
      });
    }
  });

  describe('dropleaf migrate, and after it,', () => {
    let first: Outcome;

    before(async () => {
      first = await dropleaf(['migrate'], env);
    });

    it('says what was made, and what is', () => {
      const { stdout, stderr, code } = first;
      expect(code, stderr).to.equal(0);
      expect(stderr).to.match(/"collection":"drops","made":\["drops","drops_slug",/);
      expect(stdout).to.match(/^MongoDB \(\S+\) is ready/);
    });

    it('makes nothing when it is repeated, and exits 0', async () => {
      const { stdout, stderr, code } = await dropleaf(['migrate'], env);
      expect({ stdout, code }).to.deep.equal({ stdout: first.stdout, code: 0 });
      expect(stderr).not.to.contain('"made"');
    });

    it('web publishes and serves with no worker, and a worker does the job when it comes', async () => {
      const web = await startWeb();
      const token = await makeToken();
      const drop = await publish(web.url, token, '<p>A page');
      expect(await readJobs()).to.match(/^waiting {2}1\nactive {3}0\nfailed {3}0\n$/);
      await startWorker();
      await servers.untilDocuments('renders', 1);
      await untilJobs(/^waiting {2}0\nactive {3}0\nfailed {3}0\n$/);
      expect(await (await fetch(`${web.url}/p/${drop.slug}/raw`)).text()).to.contain('A page');
    });

    it('web processes share what they need, and no key is in their logs', async () => {
      const webs = await Promise.all([startWeb(), startWeb()]);
      const token = await makeToken();
      for (const { url } of webs) {
        const response = await fetch(`${url}/api/me`, { headers: { Authorization: `Bearer ${token}` } });
        expect(response.status).to.equal(200);
      }
      const { stdout: key } = await dropleaf(['sign-in-key'], env);
      expect(key.trim()).to.match(/^\S{20,}$/);
      for (const { output } of webs) expect(output.stdout + output.stderr).not.to.contain(key.trim());
    });

    it('web listens on all addresses unless HOST is set, and warns when BASE_URL is not', async () => {
      const open = await startWeb({ HOST: '' });
      const [warning, ready, ...rest] = linesOf(open);
      expect(rest).to.deep.equal([]);
      expect(warning).to.include({ level: 'warn', baseUrl: `http://localhost:${new URL(open.url).port}` });
      expect(warning?.msg).to.match(/^BASE_URL is not set/);
      expect(ready).to.include({ level: 'info', msg: 'web process is ready', host: '0.0.0.0' });
      const told = await startWeb({ BASE_URL: 'https://drops.example' });
      expect(linesOf(told)).to.have.length(1);
      expect(linesOf(told)[0]).to.include({ host: '127.0.0.1', baseUrl: 'https://drops.example' });
    });

    it('each exits 0 on SIGTERM, without waiting where nothing runs', async () => {
      const parts = [await startWeb(), await startWorker()];
      const stoppedAt = performance.now();
      for (const part of parts) part.kill('SIGTERM');
      for (const part of parts) {
        const { stderr, code } = await part.ended();
        expect(code, stderr).to.equal(0);
        expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).to.include({ msg: 'stopped' });
      }
      expect(performance.now() - stoppedAt).to.be.below(10_000);
    });

    it('a view counts when the web process stops right after it', async () => {
      const [web, other] = await Promise.all([startWeb(), startWeb()]);
      const token = await makeToken();
      const drop = await publish(web.url, token, '<p>A page');
      const shown = await fetch(`${web.url}/p/${drop.slug}`, {
        headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140' },
      });
      expect(shown.status).to.equal(200);
      web.kill('SIGTERM');
      expect(await web.ended()).to.have.property('code', 0);
      await startWorker();
      const isCounted = async () => (await readViewCount(other.url, token, drop.slug)) === 1;
      await until(isCounted, 'the view is counted', 30_000);
    });

    it('dropleaf jobs prints a failed job with its reason, and --retry queues it again', async () => {
      const worker = await startWorker();
      await servers.enqueueBroken();
      await untilJobs(
        /^waiting {2}\d+\nactive {3}\d+\nfailed {3}1\n\nversion\.render \{"dropId":"d-1"\} after 1 attempt\n {2}\S.*\n$/,
      );
      worker.kill('SIGTERM');
      await worker.ended();
      const retried = await dropleaf(['jobs', '--retry'], env);
      expect(retried).to.deep.equal({ stdout: '1 failed job queued again.\n', stderr: '', code: 0 });
      expect(await readJobs()).to.match(/^waiting {2}1\nactive {3}0\nfailed {3}0\n$/);
    });

    it('web goes on without Redis, and stops in order', async () => {
      const REDIS_URL = 'redis://user:p4ss-word@127.0.0.1:1';
      const web = await startWeb({ REDIS_URL });
      const drop = await publish(web.url, await makeToken(), '<p>A page');
      expect((await fetch(`${web.url}/p/${drop.slug}/raw`)).status).to.equal(200);
      web.kill('SIGTERM');
      const { stderr } = await web.ended();
      expect(stderr).to.contain('127.0.0.1:1').and.not.to.contain('p4ss-word');
    });

    it('none starts where Redis refuses the password, which is not shown', async () => {
      const redis = createServer((socket) => {
        socket.on('data', () =>
          socket.write('-WRONGPASS invalid username-password pair or user is disabled.\r\n'),
        );
        socket.on('error', () => socket.destroy());
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => redis.once('listening', resolve));
      const { port } = redis.address() as AddressInfo; // proof: it listens on a port
      const REDIS_URL = `redis://us3r:p4ss-word@127.0.0.1:${port}`;
      for (const args of [['start'], ['web'], ['worker'], ['jobs']]) {
        const { stdout, stderr, code } = await dropleaf(args, {
          ...env,
          REDIS_URL,
          PORT: '0',
          LOG_LEVEL: 'debug',
        });
        expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
        expect(stderr).to.match(/^dropleaf: Redis at 127\.0\.0\.1:\d+ refuses the user or the password/m);
        expect(stderr).not.to.match(/p4ss-word|us3r/);
      }
      redis.close();
    });
  });

  async function startWeb(settings: Record<string, string> = {}): Promise<RunningService> {
    const web = await startWebProcess({ ...env, ...settings });
    running.push(web);
    return web;
  }

  async function startWorker(): Promise<Watched> {
    const worker = await startWorkerProcess(env);
    running.push(worker);
    return worker;
  }

  async function makeToken(): Promise<string> {
    const { stdout, stderr, code } = await dropleaf(['token', '--user', 'me'], env);
    expect(code, stderr).to.equal(0);
    return stdout.trim();
  }

  async function readJobs(): Promise<string> {
    const { stdout, stderr, code } = await dropleaf(['jobs'], env);
    expect(code, stderr).to.equal(0);
    return stdout;
  }

  /** Waits until the line of jobs, which other processes move, reads so. */
  async function untilJobs(pattern: RegExp): Promise<void> {
    await until(async () => pattern.test(await readJobs()), `the jobs read ${pattern}`, 30_000);
  }
});

async function readViewCount(base: string, token: string, slug: string): Promise<unknown> {
  const response = await fetch(`${base}/api/drops/${slug}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return JSON.parse(await response.text()).view_count;
}

/** What a process has logged. */
function linesOf({ output }: Watched): { level: string; msg: string }[] {
  const lines = output.stderr.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
