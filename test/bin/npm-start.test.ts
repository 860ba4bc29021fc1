import { spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { requireInPath } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import { type Watched, watch } from './command.ts';
import { copyDeployed, projectDir } from './deployed.ts';

describe('npm start', () => {
  let folder: string;
  let npm: Watched;
  let pid: number;

  before(function () {
    requireInPath(this, 'npm');
    folder = copyDeployed();
    symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
  });

  beforeEach(() => {
    const { PATH = '' } = process.env;
    const child = spawn('npm', ['start'], {
      cwd: folder,
      env: {
        PATH,
        HOME: makeTempDir(),
        DATA_DIR: makeTempDir(),
        PORT: '0',
        npm_config_update_notifier: 'false',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own, as a shell gives to what it runs
    });
    npm = watch(child);
    if (child.pid === undefined) throw new Error('npm could not be started');
    pid = child.pid;
  });
  afterEach(() => {
    if (isThere(-pid)) process.kill(-pid, 'SIGKILL');
  });

  it('SIGTERM to npm ends the service in order, and npm with it', async () => {
    const url = await npm.firstMatch(/runs at (http\S+)/);
    npm.kill('SIGTERM');
    await npm.ended();
    await until(() => !isThere(-pid), 'the process group is empty');
    await refuses(url);
    expectOneStop(npm.output.stderr);
  });

  it('Ctrl+C, which reaches the whole process group, is one request to stop', async () => {
    const url = await npm.firstMatch(/runs at (http\S+)/);
    process.kill(-pid, 'SIGINT');
    await npm.ended();
    await until(() => !isThere(-pid), 'the process group is empty');
    await refuses(url);
    expectOneStop(npm.output.stderr);
  });
});

/** The log of a service that was asked once and stopped in order. */
function expectOneStop(stderr: string): void {
  const messages = [...stderr.matchAll(/"msg":"(stopping|stopped)"/g)].map(([, message]) => message);
  expect(messages, stderr).to.deep.equal(['stopping', 'stopped']);
}

async function refuses(url: string): Promise<void> {
  const response = await fetch(url).catch(() => null);
  expect(response, `${url} still answers`).to.equal(null);
}

/** Whether there is such a process, or for a negative number any process of that group. */
function isThere(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false; // ESRCH
  }
}
