import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { fillDataDir } from '../support/archives.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import { cli, dropleaf, launch } from './command.ts';
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

  /** 0: the table is being created. */
  function countRows(dataDir: string, table: string): number {
    const path = join(dataDir, 'dropleaf.sqlite');
    if (!existsSync(path)) return 0;
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get().n);
    } catch {
      return 0;
    } finally {
      db.close();
    }
  }

  it('an import that is killed twice resumes with the same command', async () => {
    const other = { DATA_DIR: join(folder, 'other') };
    const bytes = readFileSync(file);
    for (const [end, table, rows] of [
      [bytes.byteLength / 2, 'html_blobs', 1],
      [bytes.indexOf('records/reports-000001'), 'drops', 100],
    ] as const) {
      const importing = launch(['import', '-'], other, bytes.subarray(0, end)); // and no end of it
      await until(() => countRows(other.DATA_DIR, table) >= rows, 'a part of the archive is stored');
      importing.kill('SIGKILL');
      expect((await importing.ended()).code).to.equal(null);
    }
    const refused = await dropleaf(['start'], other);
    expect(refused.stderr).to.match(
      /these data are incomplete: .* run "bin\/dropleaf\.js import FILE" again/,
    );
    expect((await dropleaf(['import', file], other)).code).to.equal(0);
    const verified = await dropleaf(['verify', file, '--against-store'], other);
    expect(verified).to.include({ stderr: '', code: 0 });
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
