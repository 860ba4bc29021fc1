import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { makeTempDir } from '../support/temp-dir.ts';
import { cli, type Outcome, type Watched, watch } from './command.ts';

const unwritten = 'dropleaf: cannot write the output to stdout: ENOSPC: no space left on device, write\n';

describe('bin/dropleaf.js with an output that cannot be written', () => {
  before(function () {
    if (!existsSync('/dev/full')) this.skip();
  });

  function start(redirection: string, args: readonly string[]): Watched {
    const { PATH = '' } = process.env;
    const env = { PATH, DATA_DIR: makeTempDir(), PORT: '0' };
    const shell = ['-c', `exec "$0" "$@" ${redirection}`, process.execPath, cli, ...args];
    return watch(spawn('sh', shell, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }
  const run = (redirection: string, args: readonly string[]): Promise<Outcome> =>
    start(redirection, args).ended();

  it('exits with 1, and says so in one line', async () => {
    for (const args of [['config'], ['--help'], ['--version'], ['admin', '--help'], ['help', 'export']])
      expect(await run('>/dev/full', args), String(args)).to.include({ code: 1, stderr: unwritten });
    expect((await run('2>/dev/full', ['jobs'])).code).to.equal(1);
  });

  it('start runs and stops in order', async () => {
    const silent = start('>/dev/full', ['start']);
    await silent.firstMatch(/"(service is ready)"/);
    silent.kill('SIGTERM');
    const { stderr, code } = await silent.ended();
    expect(stderr)
      .to.contain('"stopped"')
      .and.to.match(/dropleaf: cannot write the output[^\n]*\n$/);
    expect(code).to.equal(1);
    const unlogged = start('2>/dev/full', ['start']);
    await unlogged.firstMatch(/(runs at http)/);
    unlogged.kill('SIGTERM');
    expect((await unlogged.ended()).code).to.equal(0);
  });
});
