import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeTempDir } from '../support/temp-dir.ts';
import { dropleaf, launch } from './command.ts';

const credentials = { user: 'us3r-name', password: 'p4ss-word' };
/** No server listens at these addresses. */
const MONGODB_URI = `mongodb://${credentials.user}:${credentials.password}@127.0.0.1:1/drops`;
const REDIS_URL = `redis://${credentials.user}:${credentials.password}@127.0.0.1:1`;

describe('bin/dropleaf.js web and bin/dropleaf.js worker', () => {
  for (const [unset, env] of [
    ['MONGODB_URI, REDIS_URL', {}],
    ['MONGODB_URI', { REDIS_URL }],
    ['REDIS_URL', { MONGODB_URI }],
  ] as const) {
    it(`exit with 2 without ${unset}, and name the command for a single machine`, async () => {
      for (const command of ['web', 'worker']) {
        const { stdout, stderr, code } = await dropleaf([command], env);
        expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
        expect(stderr).to.contain(
          `"bin/dropleaf.js ${command}" needs MONGODB_URI and REDIS_URL (not set: ${unset})`,
        );
        expect(stderr).to.match(/^dropleaf: [^\n]*"npm start" or "bin\/dropleaf\.js start"\n$/);
      }
    });
  }

  it('exit within SHUTDOWN_SECONDS if SIGTERM arrives while they start', async () => {
    const silent = createServer((socket) => socket.on('error', () => socket.destroy()));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo; // proof: it listens on a port
    const env = { MONGODB_URI: `mongodb://127.0.0.1:${port}`, REDIS_URL, SHUTDOWN_SECONDS: '1' };
    const worker = launch(['worker'], env);
    await once(silent, 'connection'); // from here on it waits for MongoDB, for more than a second
    worker.kill('SIGTERM');
    const { stderr, code } = await worker.ended();
    silent.close();
    expect(code).to.equal(1);
    expect(stderr).to.match(/"stopping"\}\n.*"stopping took longer than SHUTDOWN_SECONDS"\}\n$/);
  });
});

describe('bin/dropleaf.js migrate', () => {
  it('exits with 2 on any invalid setting, so that a release that cannot start is not deployed', async () => {
    const { stderr, code } = await dropleaf(['migrate'], { MONGODB_URI, REDIS_URL, PAGE_SIZE: '0' });
    expect(code).to.equal(2);
    expect(stderr).to.match(/^ {2}PAGE_SIZE must be at least 1/m);
  });
});

describe('MONGODB_URI and REDIS_URL', () => {
  it('must both be set for every command', async () => {
    for (const command of ['start', 'migrate', 'token --user me', 'jobs']) {
      const { stderr, code } = await dropleaf(command.split(' '), { MONGODB_URI });
      expect(code).to.equal(2);
      expect(stderr).to.match(/^ {2}REDIS_URL /m);
    }
  });

  it('are not printed if they are malformed, nor by "bin/dropleaf.js config"', async () => {
    const malformed = {
      MONGODB_URI: MONGODB_URI.replace('//', '/'),
      REDIS_URL: REDIS_URL.replace('//', '/'),
    };
    const refused = await dropleaf(['start'], { ...malformed, LOG_LEVEL: 'debug' });
    expect(refused.code).to.equal(2);
    expect(refused.stderr).to.match(/^ {2}MONGODB_URI must start with mongodb:\/\/ or mongodb\+srv:\/\/$/m);
    expect(refused.stderr).to.match(/^ {2}REDIS_URL must start with redis:\/\/ or rediss:\/\/$/m);
    const config = await dropleaf(['config'], { MONGODB_URI, REDIS_URL });
    expect(config.stdout).to.match(/^MONGODB_URI +\(set, hidden\)\nREDIS_URL +\(set, hidden\)$/m);
    for (const { stdout, stderr } of [refused, config]) expectNoCredentials(stdout + stderr);
  });

  it('can come from files, and are printed without credentials if MongoDB cannot be reached', async () => {
    const commands = ['start', 'web', 'worker', 'migrate', 'token --user me', 'sign-in-key', 'jobs'];
    const dir = makeTempDir();
    const files = { MONGODB_URI_FILE: join(dir, 'mongodb'), REDIS_URL_FILE: join(dir, 'redis') };
    writeFileSync(files.MONGODB_URI_FILE, `${MONGODB_URI}\n`);
    writeFileSync(files.REDIS_URL_FILE, `${REDIS_URL}\n`);
    const env = { ...files, PORT: '0', LOG_LEVEL: 'debug' };
    const outcomes = await Promise.all(commands.map((command) => dropleaf(command.split(' '), env)));
    for (const { stdout, stderr, code } of outcomes) {
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.match(/^dropleaf: MongoDB at 127\.0\.0\.1:1 cannot /m);
      expectNoCredentials(stderr);
    }
  });
});

function expectNoCredentials(text: string): void {
  for (const secret of Object.values(credentials)) expect(text).not.to.contain(secret);
}
