import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const runner = join(import.meta.dirname, '..', 'run.js');
const quick = 'test/checks/documents.test.ts';

/** The runner's exit code and the lines it prints, without servers. */
function run(args: readonly string[], more: Readonly<Record<string, string>> = {}, cwd = projectDir) {
  const { MONGODB_URI, REDIS_URL, CI, ...env } = process.env;
  const command = [runner, ...args];
  const { status, stdout } = spawnSync(process.execPath, command, {
    cwd,
    env: { ...env, ...more },
    encoding: 'utf8',
  });
  return { status, lines: stdout.trimEnd().split('\n') };
}

describe('The test runner', () => {
  it('ends with the sum of the named files', () => {
    const { status, lines } = run([quick, '-g', 'settings.md']);
    expect(lines.at(-1)).to.equal('1 passed, 0 failed');
    expect(status).to.equal(0);
  });

  it('fails when a test fails, and names it again at the end', () => {
    const { status, lines } = run(['--engine=embedded', quick, '-g', 'settings.md'], {}, makeTempDir()); // which has no docs/settings.md
    expect(lines.findLast((line) => line.startsWith('FAILED'))).to.match(/settings\.md.*: ENOENT/);
    expect(lines.at(-1)).to.equal('0 passed, 1 failed');
    expect(status).to.equal(1);
  });

  const once = 'test/api/agent-files.test.ts';
  const notRun = `${once} is not run on the scale-out engine`;
  const named: readonly (readonly [paths: readonly string[], says: RegExp, status: number])[] = [
    [['test/domain'], /^[1-9]\d+ passed, 0 failed$/m, 0],
    [['--engine=scale-out', once, 'test/api/views.test.ts'], new RegExp(`^${notRun}\n`), 0],
    [['--engine=scale-out', once], new RegExp(`^${notRun}$`), 1],
    [[quick, 'test/checks/none.test.ts'], /^$/, 1],
    [[quick, 'test/none'], /^$/, 1],
  ];
  for (const [paths, says, status] of named) {
    it(`ends with ${status} for ${paths.join(' ')}`, () => {
      const ended = run(paths);
      expect(ended.lines.join('\n')).to.match(says);
      expect(ended.status).to.equal(status);
    });
  }

  it('fails when mocha does not start', () => {
    const { status, lines } = run(['--ui', 'unknown', quick]);
    expect(lines.at(-1)).to.equal('0 passed, 1 failed');
    expect(status).to.equal(1);
  });

  it('skips the scale-out engine without servers and gives the reason; fails if CI is set', () => {
    const args = ['--engine=scale-out', 'test/api/account.test.ts', 'test/api/views.test.ts'];
    const local = run(args);
    expect(local.lines.at(-2)).to.match(
      /^skipped \d+ tests: set MONGODB_URI and REDIS_URL, or run "docker compose/,
    );
    expect(local.lines.at(-1)).to.match(/^0 passed, 0 failed, [1-9]\d+ skipped$/);
    expect(local.status).to.equal(0);
    const inCi = run(args, { CI: 'true' });
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
    const { status, lines } = run(['--engine=scale-out', 'test/api/account.test.ts'], {
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    expect(lines.join('\n')).to.include('set both MONGODB_URI and REDIS_URL, or neither');
    expect(status).to.equal(1);
  });
});
