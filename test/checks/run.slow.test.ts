import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { projectDir } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const runner = join(import.meta.dirname, '..', 'run.js');
const quick = 'test/checks/documents.test.ts';

type Variables = Readonly<Record<string, string>>;

/** The variables of a machine without servers, of which no one says that it is CI. */
function variables(more: Variables = {}): NodeJS.ProcessEnv {
  const { MONGODB_URI, REDIS_URL, CI, TEST_LANDING, ...env } = process.env;
  return { ...env, ...more };
}

/** The runner's exit code, the lines that it prints and its errors. */
function run(args: readonly string[], more: Variables = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [runner, ...args], {
    cwd: projectDir,
    env: variables(more),
    encoding: 'utf8',
  });
  return { status, stderr, lines: stdout.trimEnd().split('\n') };
}

/** The option for compiled tests that are made up: code by file. */
function madeUp(files: Readonly<Record<string, string>>): string {
  const folder = makeTempDir();
  for (const [name, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), code);
  }
  return `--tests=${folder}`;
}

/** What a suite's code needs to wait. */
const pause = 'const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));';
const passing = `it('passes', () => undefined);`;

describe('The test runner', () => {
  it('ends with the sum of the named files', () => {
    const { status, lines } = run([quick, '-g', 'settings.md']);
    expect(lines.at(-1)).to.equal('1 passed, 0 failed');
    expect(status).to.equal(0);
  });

  const once = 'test/api/agent-files.test.ts';
  const notRun = `${once} is not run on the scale-out engine`;
  const named: readonly (readonly [paths: readonly string[], says: RegExp, status: number])[] = [
    [['test/domain'], /^[1-9]\d+ passed, 0 failed$/m, 0],
    [['--engine=scale-out', once, 'test/api/views.test.ts'], new RegExp(`^${notRun}\n`), 0],
    [['--engine=scale-out', once], new RegExp(`^${notRun}$`), 2],
    [['--landing', 'test/checks/rules.slow.test.ts'], /^\S+ is not run with --landing$/, 2],
  ];
  for (const [paths, says, status] of named) {
    it(`ends with ${status} for ${paths.join(' ')}`, () => {
      const ended = run(paths);
      expect(ended.lines.join('\n')).to.match(says);
      expect(ended.status).to.equal(status);
    });
  }

  for (const [args, says] of [
    [
      [quick, 'test/checks/none.test.ts'],
      /^No test file or folder is called test\/checks\/none\.test\.ts\n$/,
    ],
    [[quick, 'test/none'], /^No test file or folder is called test\/none\n$/],
    [['--engine', 'unknown'], /^--engine must be embedded or scale-out \(got unknown\)\n$/],
    [['--ui', 'unknown', quick], /^Unknown option '--ui'.*\n$/],
    [['--landing', 'test/checks/rules.slow.test.ts'], /^No tests to run\n$/],
  ] as const) {
    it(`says in one line what is wrong with ${args.join(' ')}, and ends with 2`, () => {
      const { status, stderr } = run(args);
      expect(stderr).to.match(says);
      expect(status).to.equal(2);
    });
  }

  it('says a failure when it happens, with the value and the command that repeats it, and again at the end', () => {
    const code = `
      describe("A failure's", () => {
        it('title (of it)', () => {
          throw Object.assign(new Error('not that'), { actual: ['one', 'two'], expected: ['one'], showDiff: true });
        });
        ${passing}
      });`;
    const tests = madeUp({ 'api/one.test.js': code });
    const { status, lines } = run([tests]);
    const [first = '', where, again, neighbour] = lines;
    expect(first).to.match(
      /^FAILED test\/api\/one\.test\.ts: A failure's title \(of it\): not that \(got \[ "one" "two" \]; expected \[ "one" \]\)$/,
    );
    expect(where).to.match(/^ {2}at .*one\.test\.js:4/);
    expect(again).to.equal(
      `  again: npm test -- test/api/one.test.ts -g 'A failure'\\''s title \\(of it\\)'`,
    );
    expect(neighbour).to.equal("passed: A failure's passes");
    expect(lines.slice(5, 8)).to.deep.equal(lines.slice(0, 3));
    expect(lines.at(-1)).to.equal('1 passed, 1 failed');
    expect(status).to.equal(1);
    const repeated = run([tests, 'test/api/one.test.ts', '-g', "A failure's title \\(of it\\)"]);
    expect(repeated.lines.at(-1)).to.equal('0 passed, 1 failed');
  });

  it('says of each file how long it took itself, and names the slowest tests', () => {
    const code = `${pause} it('waits', () => pause(2_000)); ${passing}`;
    const tests = madeUp({ 'a.test.js': code, 'b.test.js': passing, 'c.test.js': passing });
    const { lines } = run([tests, '--processes', '1']);
    const secondsOf = (file: string, passed: number, place: number) => {
      const counts = `${file}: ${passed} passed (`;
      const line = lines.find((one) => one.startsWith(counts)) ?? '';
      expect(line).to.match(new RegExp(` s, ${place} of 3 files\\)$`));
      return Number.parseFloat(line.slice(counts.length));
    };
    expect(secondsOf('test/a.test.ts', 2, 1)).to.be.at.least(2);
    expect(secondsOf('test/b.test.ts', 1, 2)).to.be.below(2);
    expect(secondsOf('test/c.test.ts', 1, 3)).to.be.below(2);
    const slowest = lines.indexOf('The slowest tests:');
    expect(lines[slowest + 1]).to.match(/^ {2}\d+\.\d s {2}test\/a\.test\.ts: waits$/);
  });

  it('does not run the rest of a file in which a test timed out, and the next file in another process', () => {
    const late = `
      ${pause}
      after(() => console.log('closed'));
      it('hangs', async () => { await pause(800); globalThis.isLate = true; });
      it('neighbour', () => undefined);`;
    const next = `
      ${pause}
      it('sees nothing of it', async () => {
        await pause(400);
        if (globalThis.isLate) throw new Error('the neighbour goes on');
      });`;
    const { status, lines } = run([
      madeUp({ 'a.test.js': late, 'b.test.js': next }),
      '--processes=1',
      '--timeout=500',
    ]);
    expect(lines.join('\n')).to.match(/^FAILED test\/a\.test\.ts: hangs: Timeout of 500ms exceeded/m);
    expect(lines).to.include('closed');
    expect(lines.join('\n')).to.match(/^test\/a\.test\.ts: 0 passed, 1 FAILED, 1 not run \(/m);
    expect(lines).to.include('passed: sees nothing of it');
    expect(lines.at(-1)).to.equal('1 passed, 1 failed');
    expect(status).to.equal(1);
  }).timeout(30_000);

  it('counts a process that ends as a failure of its file, and goes on', () => {
    const tests = madeUp({ 'a.test.js': `it('ends', () => process.exit(3));`, 'b.test.js': passing });
    const { lines } = run([tests, '--processes=1']);
    expect(lines[0]).to.equal(
      'FAILED test/a.test.ts: the file does not end: its process ended (exit code 3)',
    );
    expect(lines.at(-1)).to.equal('1 passed, 1 failed');
  });

  it('counts a file that does not load as a failure', () => {
    const { status, lines } = run([
      madeUp({ 'a.test.js': `throw new Error('broken')`, 'b.test.js': passing }),
    ]);
    expect(lines.join('\n')).to.include('FAILED test/a.test.ts: the file does not load: broken');
    expect(lines.at(-1)).to.equal('1 passed, 1 failed');
    expect(status).to.equal(1);
  });

  it('refuses tests that are selected in the code, with --forbid-only', () => {
    const { lines } = run([
      madeUp({ 'a.test.js': `it.only('is selected', () => undefined)` }),
      '--forbid-only',
    ]);
    expect(lines.at(-1)).to.equal('0 passed, 1 failed');
  });

  it('counts what tests leave open as a failure', () => {
    const { lines } = run([
      madeUp({ 'a.test.js': `it('waits', () => { setInterval(() => undefined, 1_000); })` }),
    ]);
    expect(lines.at(-2)).to.match(/^FAILED tests left these open: .*Timeout/);
    expect(lines.at(-1)).to.equal('1 passed, 1 failed');
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`says what failed so far when ${signal} interrupts it`, async () => {
      const code = `
        ${pause}
        it('fails', () => { throw new Error('no'); });
        it('goes on', () => {
          console.log('it goes on');
          return pause(2_000);
        });
        it('is not reached', () => undefined);`;
      const child = spawn(
        process.execPath,
        [runner, madeUp({ 'a.test.js': code, 'b.test.js': code }), '--processes=1'],
        {
          env: variables(),
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      child.stdout.on('data', (printed) => {
        if (String(printed).includes('it goes on')) child.kill(signal);
      });
      const [printed, status] = await Promise.all([text(child.stdout), ended(child)]);
      const [failure = '', ...rest] = printed.trimEnd().split('\n').slice(-5);
      expect(failure).to.equal('FAILED test/a.test.ts: fails: no');
      expect(rest.slice(1)).to.deep.equal([
        "  again: npm test -- test/a.test.ts -g 'fails'",
        'The run was interrupted after 1 of 2 files.',
        '1 passed, 1 failed',
      ]);
      expect(status).to.equal(1);
    });
  }

  it('skips the scale-out engine without servers and gives the reason; fails if CI is set', () => {
    const args = [madeUp({ 'api/one.test.js': passing }), '--engine=scale-out'];
    const local = run(args);
    expect(local.lines.at(-2)).to.match(
      /^skipped 1 test: set MONGODB_URI and REDIS_URL, or run "docker compose.*\(test\/api\/one\.test\.ts\)$/,
    );
    expect(local.lines.at(-1)).to.equal('0 passed, 0 failed, 1 skipped');
    expect(local.status).to.equal(0);
    const inCi = run(args, { CI: 'true' });
    expect(inCi.lines.at(-2)).to.equal('  again: npm test -- test/api/one.test.ts --engine scale-out');
    expect(inCi.lines.at(-1)).to.equal('0 passed, 1 failed');
    expect(inCi.status).to.equal(1);
  });

  it('skips tests that need a missing browser and gives the reason; fails if CI is set', () => {
    const args = ['test/browser/leaving.test.ts'];
    const path = { PATH: makeTempDir() };
    const local = run(args, path);
    expect(local.lines.slice(-3)).to.deep.equal([
      'skipped 2 tests: chromium is not in PATH: install it (test/browser/leaving.test.ts)',
      'skipped 2 tests: firefox-esr is not in PATH: install it (test/browser/leaving.test.ts)',
      '0 passed, 0 failed, 4 skipped',
    ]);
    expect(run(args, { ...path, CI: 'true' }).lines.at(-1)).to.match(/^0 passed, [1-9] failed$/);
  });

  it('fails if only one of MONGODB_URI and REDIS_URL is set', () => {
    const { status, lines } = run([madeUp({ 'api/one.test.js': passing }), '--engine=scale-out'], {
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    expect(lines.join('\n')).to.include('set both MONGODB_URI and REDIS_URL, or neither');
    expect(status).to.equal(1);
  });

  it('runs at a landing the slow files and those of both engines, without what is left to --all', () => {
    const tests = madeUp({
      'api/both.test.js': passing,
      'api/help.test.js': passing,
      'api/viewer.test.js': passing,
      'checks/rules.slow.test.js': passing,
      'cli/any.slow.test.js': passing,
    });
    const files = (flag: string) => {
      const { lines } = run([tests, flag]);
      return lines.filter((line) => line.startsWith('test/')).map((line) => line.split(': ')[0]);
    };
    expect(files('--landing')).to.have.members([
      'test/cli/any.slow.test.ts',
      'test/api/both.test.ts (scale-out)',
    ]);
    expect(files('--all')).to.have.members([
      'test/api/both.test.ts',
      'test/api/both.test.ts (scale-out)',
      'test/api/help.test.ts',
      'test/api/viewer.test.ts',
      'test/api/viewer.test.ts (scale-out)',
      'test/checks/rules.slow.test.ts',
      'test/cli/any.slow.test.ts',
    ]);
  });
});

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve));
}
