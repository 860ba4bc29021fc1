import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { dropleaf, launch } from './command.ts';

const credentials = { user: 'us3r-name', password: 'p4ss-word' };
/** Servers that refuse every connection. */
const MONGODB_URI = `mongodb://${credentials.user}:${credentials.password}@127.0.0.1:1/drops`;
const REDIS_URL = `redis://${credentials.user}:${credentials.password}@127.0.0.1:1`;

describe('dropleaf web and dropleaf worker', () => {
  for (const command of ['web', 'worker']) {
    for (const [unset, env] of [
      ['MONGODB_URI, REDIS_URL', {}],
      ['MONGODB_URI', { REDIS_URL }],
      ['REDIS_URL', { MONGODB_URI }],
    ] as const) {
      it(`${command} does not start without ${unset}, and says what serves one machine`, async () => {
        const { stdout, stderr, code } = await dropleaf([command], env);
        expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
        expect(stderr)
          .to.contain(`dropleaf ${command}`)
          .and.to.contain(`(unset: ${unset})`)
          .and.to.match(/^dropleaf: [^\n]*"npm start" \(dropleaf start\) serves one machine[^\n]*\n$/);
      });
    }
  }

  it('end within SHUTDOWN_SECONDS when they are told to stop while they start', async () => {
    const silent = createServer((socket) => socket.on('error', () => socket.destroy())).listen(
      0,
      '127.0.0.1',
    );
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // proof: it listens on a port
    const env = { MONGODB_URI: `mongodb://127.0.0.1:${port}`, REDIS_URL, SHUTDOWN_SECONDS: '1' };
    const worker = launch(['worker'], env);
    await once(silent, 'connection'); // it waits for MongoDB now, for longer than a second
    worker.kill('SIGTERM');
    const { stderr, code } = await worker.ended();
    silent.close();
    expect(code).to.equal(1);
    expect(stderr).to.match(/"stopping"\}\n.*"the stop took too long"\}\n$/);
  });
});

describe('dropleaf migrate', () => {
  it('exits 2 on the engine of one machine, and says that it prepares itself', async () => {
    const { stdout, stderr, code } = await dropleaf(['migrate']);
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
    expect(stderr).to.match(/^dropleaf: MONGODB_URI is unset: [^\n]*"dropleaf start"\n$/);
  });

  it('is stopped by a fault in any setting, so that a release that could not start does not go out', async () => {
    const { stderr, code } = await dropleaf(['migrate'], { MONGODB_URI, REDIS_URL, PAGE_SIZE: '0' });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^dropleaf: The configuration has a fault:\n {2}PAGE_SIZE /);
  });
});

describe('addresses of servers', () => {
  const everything = [
    ['start'],
    ['web'],
    ['worker'],
    ['migrate'],
    ['token', '--user', 'me'],
    ['sign-in-key'],
    ['jobs'],
  ];

  it('must both be set, whatever is done', async () => {
    for (const args of [['start'], ['migrate'], ['token', '--user', 'me'], ['jobs']]) {
      const { stderr, code } = await dropleaf(args, { MONGODB_URI });
      expect(code).to.equal(1);
      expect(stderr).to.match(/^ {2}REDIS_URL is unset while MONGODB_URI is set/m);
    }
  });

  it('are not shown when they are malformed, nor by the configuration', async () => {
    const malformed = {
      MONGODB_URI: MONGODB_URI.replace('//', '/'),
      REDIS_URL: REDIS_URL.replace('//', '/'),
    };
    const refused = await dropleaf(['start'], { ...malformed, LOG_LEVEL: 'debug' });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(/^ {2}MONGODB_URI must begin with mongodb:\/\/ or mongodb\+srv:\/\/$/m);
    expect(refused.stderr).to.match(/^ {2}REDIS_URL must begin with redis:\/\/ or rediss:\/\/$/m);
    const shown = await dropleaf(['config'], { MONGODB_URI, REDIS_URL });
    expect(shown.stdout).to.match(/^MONGODB_URI +\(set, hidden\)\nREDIS_URL +\(set, hidden\)$/m);
    for (const { stdout, stderr } of [refused, shown]) expectNoCredentials(stdout + stderr);
  });

  it('are named without their credentials when MongoDB cannot be reached', async function () {
    this.timeout(60_000); // seven processes at once
    const env = { MONGODB_URI, REDIS_URL, PORT: '0', LOG_LEVEL: 'debug' };
    for (const { stdout, stderr, code } of await Promise.all(everything.map((args) => dropleaf(args, env)))) {
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.match(/^dropleaf: MongoDB at 127\.0\.0\.1:1 cannot be reached \([^\n]+ECONNREFUSED/m);
      expectNoCredentials(stderr);
    }
  });
});

function expectNoCredentials(text: string): void {
  for (const secret of Object.values(credentials)) expect(text).not.to.contain(secret);
}
