import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { findFault } from '../servers/reach.ts';
import { projectDir, script } from '../servers/scripts.ts';
import { requireInPath } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const runner = join(import.meta.dirname, '..', 'run.js');

describe('the test runner', () => {
  let dir: string;

  beforeEach(() => {
    dir = makeTempDir();
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('runs the named files of an engine; the last line is the sum', () => {
    const { status, lines } = runTests(['--engine', 'embedded', 'test/checks/readme.test.ts']);
    expect(lines.slice(-2)).to.deep.equal(['embedded engine: 1 passed, 0 failed', '1 passed, 0 failed']);
    expect(status).to.equal(0);
  });

  it('a failed test: a failed run', () => {
    const elsewhere = dir; // where there is no README.md to be read
    const { status, lines } = runTests(['--engine=embedded', 'test/checks/readme.test.ts'], {}, elsewhere);
    expect(lines.at(-1)).to.equal('0 passed, 1 failed');
    expect(status).to.equal(1);
  });

  it('a mocha that never begins counts as failed', () => {
    const { status, lines } = runTests([
      '--engine=embedded',
      '--ui',
      'none-such',
      'test/checks/readme.test.ts',
    ]);
    expect(lines.at(-1)).to.equal('0 passed, 1 failed');
    expect(status).to.equal(1);
  });

  it('a machine that can have no servers: the closing lines count the skipped tests and say why; under CI it fails', () => {
    const args = ['--engine=scale-out', 'test/api/tokens.test.ts', 'test/api/views.test.ts'];
    const alone = runTests(args, { PATH: dir });
    const report = alone.lines.join('\n');
    const [, count] =
      /^SKIPPED: scale-out engine, (\d+) tests: it needs MongoDB and Redis\./m.exec(report) ?? [];
    expect(Number(count), report).to.be.above(5);
    expect(alone.lines).to.include('  - MONGODB_URI and REDIS_URL are not set');
    expect(alone.lines.slice(-3)).to.deep.equal([
      '  To run: npm test -- --engine scale-out test/api/tokens.test.ts test/api/views.test.ts',
      `scale-out engine: 0 passed, 0 failed, ${count} skipped`,
      `0 passed, 0 failed, ${count} skipped`,
    ]);
    expect(alone.status).to.equal(0);
    const underCi = runTests(args, { PATH: dir, CI: 'true' });
    expect(underCi.lines.join('\n')).to.match(/^The scale-out engine was not tested: .*\n {2}- MONGODB_URI/m);
    expect(underCi.lines.at(-1)).to.equal('0 passed, 1 failed');
    expect(underCi.status).to.equal(1);
  });

  it('a machine without Chromium: the closing lines name what was skipped, why and how to run it; under CI it fails', function () {
    this.timeout(120_000);
    const files = readdirSync(join(projectDir, 'test/browser')).filter((file) => file.endsWith('.test.ts'));
    const args = ['--engine=embedded', ...files.map((file) => `test/browser/${file}`)];
    const alone = runTests(args, { PATH: dir, CHROMIUM: '' });
    const skipped = /^0 passed, 0 failed, (\d+) skipped$/.exec(alone.lines.at(-1) ?? '')?.[1];
    expect(Number(skipped), alone.lines.join('\n')).to.be.above(files.length);
    expect(alone.lines.slice(-4, -2)).to.deep.equal([
      `SKIPPED: embedded engine, ${skipped} tests: there is no chromium: install it, or set CHROMIUM to where it is`,
      '  To run: npm test -- --engine embedded test/browser/*.test.ts',
    ]);
    expect(alone.status).to.equal(0);
    const underCi = runTests(args, { PATH: dir, CHROMIUM: '', CI: 'true' });
    expect(underCi.lines.join('\n')).to.include('CI must not skip these tests: there is no chromium');
    expect(underCi.lines.at(-1)).to.match(/^0 passed, [1-9]\d* failed$/);
    expect(underCi.status).to.equal(1);
  });

  it('one address alone: fails, and says which is missing', () => {
    const { status, lines } = runTests(['--engine=scale-out'], { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(lines).to.include('  - REDIS_URL is set, and MONGODB_URI is not: set both, or neither');
    expect(status).to.equal(1);
  });

  it('servers that do not answer: the addresses and reasons, never credentials', async () => {
    const fault = await findFault(
      {
        mongodbUri: 'mongodb://someone:hush@127.0.0.1:1/db?authSource=admin',
        redisUrl: 'redis://:hush@127.0.0.1:1',
      },
      200,
    );
    expect(fault)
      .to.include('MONGODB_URI: 127.0.0.1:1 does not serve: connect ECONNREFUSED')
      .and.include('REDIS_URL: 127.0.0.1:1 does not serve: connect ECONNREFUSED')
      .and.not.match(/hush|someone/);
  });

  it('a runner that is killed: what it started is taken down', async () => {
    const program = stub(dir, 'docker', `echo "$*" >>${dir}/calls`);
    const holder = hold(['sh', script('docker.sh'), 'compose.yaml', 'a-project'], {
      PATH: pathWith(program),
    });
    await until(() => calls(dir).some((call) => call.includes(' up ')));
    holder.kill('SIGKILL');
    await until(() => calls(dir).some((call) => call.includes('--project-name a-project down --volumes')));
  });

  it('a runner that is killed: what it runs ends', async () => {
    const holder = hold(['sh', script('held.sh'), 'sh', '-c', `echo $$ >${dir}/pid; exec sleep 600`]);
    await until(() => existsSync(join(dir, 'pid')) && readFileSync(join(dir, 'pid'), 'utf8') !== '');
    const pid = Number(readFileSync(join(dir, 'pid'), 'utf8'));
    expect(isAlive(pid)).to.equal(true);
    holder.kill('SIGKILL');
    await until(() => !isAlive(pid));
  });

  it('a part is built once, also by two runs at a time, and anew after a failure', async function () {
    requireInPath(this, 'flock'); // without it two runs may build the same part twice
    const cache = join(dir, 'cache');
    stub(dir, 'go', 'exit 1');
    expect(await build(dir, cache)).to.equal(1);
    stub(dir, 'go', `echo "$*" >>${dir}/calls; sleep 0.2; mkdir -p "$GOBIN"; echo it >"$GOBIN/ferretdb"`);
    expect(await Promise.all([build(dir, cache), build(dir, cache)])).to.deep.equal([0, 0]);
    expect(calls(dir)).to.have.length(1);
    expect(readFileSync(join(cache, 'bin', 'ferretdb'), 'utf8')).to.equal('it\n');
  });
});

/** The runner's exit code and what it prints, in an environment that names no servers. */
function runTests(args: readonly string[], more: Readonly<Record<string, string>> = {}, cwd = projectDir) {
  const { MONGODB_URI, REDIS_URL, CI, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, [runner, ...args], {
    cwd,
    env: { ...env, ...more },
    encoding: 'utf8',
  });
  return { status, lines: stdout.trimEnd().split('\n') };
}

/** A process that holds a program by `createKeepers`, as the runner does. */
function hold(command: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const keepers = JSON.stringify(join(import.meta.dirname, '..', 'servers', 'keepers.js'));
  const code = `(await import(${keepers})).createKeepers().start(${JSON.stringify(command)});`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
}

/** A program of that name in a folder. @returns the folder */
function stub(dir: string, name: string, text: string): string {
  const folder = join(dir, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, name), 0o755);
  return folder;
}

const pathWith = (folder: string) => `${folder}:${process.env.PATH}`;

function calls(dir: string): string[] {
  const file = join(dir, 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

function build(dir: string, cache: string): Promise<number | null> {
  const env = { ...process.env, PATH: pathWith(join(dir, 'bin')) };
  const child = spawn('sh', [script('build.sh'), cache, 'ferretdb'], { env, stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', resolve));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH
  }
}

/** Waits for what other processes do; the test's own time limit ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(20);
}
