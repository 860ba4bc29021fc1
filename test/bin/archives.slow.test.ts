import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { fillDataDir } from '../support/archives.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { cli, dropleaf } from './command.ts';
import { killImports } from './killed-imports.ts';

describe('bin/dropleaf.js export and import as processes', () => {
  let folder: string;
  let file: string;
  let env: { DATA_DIR: string };

  before(async () => {
    folder = makeTempDir();
    file = join(folder, 'a.tar');
    env = { DATA_DIR: join(folder, 'data') };
    await fillDataDir(env, { drops: 100, documentBytes: 3_000 });
    expect((await dropleaf(['export', file], env)).code).to.equal(0);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('an import that is killed at any of 20 moments leaves nothing or a store that is refused, and can be repeated', async function () {
    this.timeout(300_000);
    const inEmpty = (use: (env: { DATA_DIR: string }) => Promise<void>) =>
      use({ DATA_DIR: join(makeTempDir(), 'data') });
    await killImports(file, { count: 20, from: 0 }, inEmpty);
  });

  it('an export whose reader goes away exits with 1', async () => {
    const exporting = spawn(process.execPath, [cli, 'export', '-'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    exporting.stdout.destroy();
    expect((await once(exporting, 'exit'))[0]).to.equal(1);
  });
});
