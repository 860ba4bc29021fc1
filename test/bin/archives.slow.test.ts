import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { readConfig } from '../../shared/config/config.ts';
import { openStores } from '../../shared/open-stores.ts';
import { start } from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { fillStores } from '../support/fill-stores.ts';
import { createRandom } from '../support/random.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { cli, dropleaf, launch } from './command.ts';
import { killImport, timeImport } from './killed-imports.ts';

describe('bin/dropleaf.js export and import as processes', () => {
  let folder: string;
  let file: string;
  let env: { DATA_DIR: string };

  before(async () => {
    folder = makeTempDir();
    file = join(folder, 'a.tar');
    env = { DATA_DIR: join(folder, 'data') };
    const deps = { log: createRecordingLog(), role: 'service', clock: createTestClock(start) } as const;
    const engine = await openStores(readConfig(env), deps);
    await fillStores(engine, { drops: 100, documentBytes: 3_000, now: start });
    await engine.close();
    expect((await dropleaf(['export', file], env)).code).to.equal(0);
  });
  after(() => rmSync(folder, { recursive: true }));

  const stored = (dataDir: string) => {
    const path = join(dataDir, 'dropleaf.sqlite');
    if (!existsSync(path)) return { blobs: 0, drops: 0 };
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get().n);
      return { blobs: count('html_blobs'), drops: count('drops') };
    } catch {
      return { blobs: 0, drops: 0 }; // it is being created
    } finally {
      db.close();
    }
  };

  it('an import that is killed goes on with the same command', async function () {
    this.timeout(60_000);
    const other = { DATA_DIR: join(folder, 'other') };
    const bytes = readFileSync(file);
    for (const [end, isStored] of [
      [bytes.byteLength / 2, () => stored(other.DATA_DIR).blobs > 0],
      [bytes.indexOf('records/reports-000001'), () => stored(other.DATA_DIR).drops === 100],
    ] as const) {
      const importing = launch(['import', '-'], other, bytes.subarray(0, end)); // and no end of it
      await until(isStored, 'a part of the archive is stored');
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

  it('an import that is killed at any of 20 moments leaves nothing or a store that is refused, and can be repeated', async function () {
    this.timeout(300_000);
    const random = createRandom(24);
    const duration = await timeImport(file, { DATA_DIR: join(folder, 'timed') });
    for (let n = 0; n < 20; n++)
      await killImport(file, { DATA_DIR: join(folder, `killed-${n}`) }, (duration * (n + random())) / 20);
  });

  it('an export whose reader goes away exits with 1', async function () {
    this.timeout(60_000);
    const exporting = spawn(process.execPath, [cli, 'export', '-'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    exporting.stdout.destroy();
    expect((await once(exporting, 'exit'))[0]).to.equal(1);
  });
});
