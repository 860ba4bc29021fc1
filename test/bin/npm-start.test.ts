import { spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { requireProgram } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import { type Watched, watch } from './command.ts';
import { copyDeployed, projectDir } from './deployed.ts';

describe('npm start', () => {
  let folder: string;
  let groups: number[];

  before(function () {
    requireProgram(this, 'npm');
    folder = copyDeployed();
    symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
  });
  beforeEach(() => {
    groups = [];
  });
  afterEach(() => {
    for (const group of groups.filter(isThere)) process.kill(group, 'SIGKILL');
  });

  for (const shell of ['sh', 'bash', 'dash']) {
    it(`SIGTERM to npm, where ${shell} runs its scripts, ends the service in order, and npm with it`, async function () {
      requireProgram(this, shell);
      const { npm, url, group } = await start(shell);
      npm.kill('SIGTERM');
      await expectOneStop(npm, url, group);
    });
  }

  it('Ctrl+C, which reaches the whole process group, is one request to stop', async () => {
    const { npm, url, group } = await start('sh');
    process.kill(group, 'SIGINT');
    await expectOneStop(npm, url, group);
  });

  /** @returns npm, the service's address, and the process group of both as `kill` takes it */
  async function start(shell: string): Promise<{ npm: Watched; url: string; group: number }> {
    const { PATH = '' } = process.env;
    const npmSettings = { npm_config_update_notifier: 'false', npm_config_script_shell: shell };
    const child = spawn('npm', ['start'], {
      cwd: folder,
      env: { PATH, HOME: makeTempDir(), DATA_DIR: makeTempDir(), PORT: '0', ...npmSettings },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own, as a shell gives to what it runs
    });
    const npm = watch(child);
    if (child.pid === undefined) throw new Error('npm could not be started');
    const group = -child.pid;
    groups.push(group);
    return { npm, url: await npm.firstMatch(/runs at (http\S+)/), group };
  }
});

/** Waits until all processes of the group have ended, and reads in the log that the service was asked once. */
async function expectOneStop(npm: Watched, url: string, group: number): Promise<void> {
  await npm.ended();
  await until(() => !isThere(group), 'the process group is empty');
  const response = await fetch(url).catch(() => null);
  expect(response, `${url} still answers`).to.equal(null);
  const { stderr } = npm.output;
  const messages = [...stderr.matchAll(/"msg":"(stopping|stopped)"/g)].map(([, message]) => message);
  expect(messages, stderr).to.deep.equal(['stopping', 'stopped']);
}

/** Whether there is such a process, or for a negative number any process of that group. */
function isThere(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false; // ESRCH
  }
}
