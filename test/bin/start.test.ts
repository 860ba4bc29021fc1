import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { requireInPath } from '../support/programs.ts';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';

describe('dropleaf start', () => {
  const home = useHome();

  it('answers at the address that it prints, which its own links name too', async () => {
    const service = await home.start();
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    const response = await fetch(`${service.url}/api/onboard`, { headers: { Accept: 'application/json' } });
    expect(await response.json()).to.have.property('public_url', service.url);
  });

  it('prints where data is kept', async () => {
    const service = await home.start();
    expect(service.output.stdout).to.contain(`data in ${home.dir}`);
  });

  it('prints the sign-in key on a terminal, beside the page that asks for it', async () => {
    const pretend = 'process.stdout.isTTY = true;';
    const service = await home.start({ NODE_OPTIONS: `--import "data:text/javascript,${pretend}"` });
    const key = readFileSync(join(home.dir, 'sign-in-key'), 'utf8').trim();
    expect(key).to.have.length.of.at.least(20);
    expect(service.output.stdout).to.contain(`${service.url}/sign-in`).and.to.contain(`\n  ${key}\n`);
    expect((await fetch(`${service.url}/sign-in`)).status).to.equal(200);
  });

  it('prints no sign-in key where stdout is kept, but the command that prints it', async () => {
    const service = await home.start();
    const key = readFileSync(join(home.dir, 'sign-in-key'), 'utf8').trim();
    expect(service.output.stdout + service.output.stderr).not.to.contain(key);
    const command = /^ {2}(.* sign-in-key)$/m.exec(service.output.stdout)?.[1] ?? 'false';
    const { stdout } = await run('sh', ['-c', command]);
    expect(stdout).to.equal(`${key}\n`);
  });

  it('names the identity provider, and no key, where one is set', async () => {
    const service = await home.start({
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'hidden-secret',
    });
    expect(service.output.stdout)
      .to.match(/signing in with GitHub/)
      .and.not.to.match(/sign-in key/);
    expect(service.output.stdout + service.output.stderr).not.to.contain('hidden-secret');
  });

  it('prints commands that publish a page when they are pasted into a shell', async function () {
    requireInPath(this, 'curl');
    const service = await home.start({ DATA_DIR: join(home.dir, "it's data") });
    const commands = service.output.stdout
      .split('\n')
      .filter((line) => /^ {2,}(cd|TOKEN=|curl|-)/.test(line));
    const { stdout } = await run('sh', ['-euc', commands.join('\n')], { cwd: '/' });
    const drop = JSON.parse(stdout);
    expect(drop.title).to.equal('Hello');
    expect(await (await fetch(drop.raw_url)).text()).to.contain('Hello, world');
  });

  it('writes to stderr nothing but a few lines of JSON', async () => {
    const service = await home.start();
    const lines = service.output.stderr.split('\n').filter((line) => line !== '');
    expect(lines.length).to.be.at.most(5);
    for (const line of lines) expect(JSON.parse(line)).to.include.keys('level', 'time', 'msg');
  });

  it('warns of a name in the environment that resembles a setting and is none', async () => {
    const service = await home.start({ WRITE_PER_MINUTE: '5', HOSTNAME: 'here' });
    service.kill('SIGTERM');
    const { stderr } = await service.ended(); // only then all of it has arrived
    const lines = stderr.trimEnd().split('\n');
    const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({
      msg: 'WRITE_PER_MINUTE is no setting and has no effect: did you mean WRITES_PER_MINUTE?',
    });
  });

  describe('refuses in one sentence, with exit code 1', () => {
    it('a port that is in use', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo; // proof: it listens on a port
      const outcome = await dropleaf(['start'], { ...home.env, PORT: String(port), LOG_LEVEL: 'error' });
      server.close();
      expectSentence(outcome, new RegExp(`^dropleaf: port ${port} of 127\\.0\\.0\\.1 is in use`));
    });

    it('an address that this machine does not have', async () => {
      const env = { ...home.env, HOST: '192.0.2.1', LOG_LEVEL: 'error' };
      expectSentence(
        await dropleaf(['start'], { ...env, PORT: '3999' }),
        /^dropleaf: HOST is "192\.0\.2\.1"/,
      );
      expectSentence(await dropleaf(['start'], { ...env, PORT: '0' }), /^dropleaf: HOST is "192\.0\.2\.1"/);
    });

    it('a data directory on which another Dropleaf runs, and leaves that one alone', async () => {
      const service = await home.start();
      const outcome = await dropleaf(['start'], { ...home.env, PORT: '0', LOG_LEVEL: 'error' });
      expectSentence(outcome, new RegExp(`^dropleaf: .*${home.dir}`));
      expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    });

    it('a data directory that cannot be made', async () => {
      const file = join(home.dir, 'file');
      writeFileSync(file, '');
      // What /proc answers sends a recursive mkdir round for ever.
      for (const dir of [join(file, 'data'), file, '/proc/no-such-directory']) {
        const outcome = await dropleaf(['start'], { DATA_DIR: dir, PORT: '0', LOG_LEVEL: 'error' });
        expectSentence(outcome, new RegExp(`^dropleaf: DATA_DIR ${dir} `));
      }
    });

    it('a configuration with faults, naming each', async () => {
      const { stdout, stderr, code } = await dropleaf(['start'], { ...home.env, PORT: 'x', PAGE_SIZE: '0' });
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.match(/^dropleaf: The configuration has 2 faults:\n {2}PORT .*\n {2}PAGE_SIZE .*\n$/);
    });
  });
});

function expectSentence(outcome: Awaited<ReturnType<typeof dropleaf>>, sentence: RegExp): void {
  expect(outcome).to.include({ stdout: '', code: 1 });
  expect(outcome.stderr)
    .to.match(sentence)
    .and.to.match(/^[^\n]+\n$/);
}

const run = promisify(execFile);
