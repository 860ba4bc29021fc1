import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../shared/config/config.ts';
import { openStores } from '../../shared/open-stores.ts';
import { start } from '../contract/records.ts';
import { readManifest } from '../support/archives.ts';
import { createTestClock } from '../support/clock.ts';
import { fillStores } from '../support/fill-stores.ts';
import { createRandom } from '../support/random.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { dropleaf } from './command.ts';
import { killImport, timeImport } from './killed-imports.ts';
import { type OwnServers, openOwnServers } from './own-servers.ts';

describe('bin/dropleaf.js export and import, from SQLite to MongoDB and back', () => {
  let folder: string;
  let servers: OwnServers;

  before(async () => {
    folder = makeTempDir();
    servers = await openOwnServers();
  });
  after(async () => {
    await servers?.remove();
    rmSync(folder, { recursive: true });
  });

  it('the first and the last archive have equal manifests', async function () {
    this.timeout(120_000);
    const first = { DATA_DIR: join(folder, 'first') };
    const last = { DATA_DIR: join(folder, 'last') };
    const deps = { log: createRecordingLog(), role: 'service', clock: createTestClock(start) } as const;
    const engine = await openStores(readConfig(first), deps);
    await fillStores(engine, { drops: 6, documentBytes: 1_200_000, now: start }); // two chunks in GridFS
    await engine.secrets.findOrCreate('signing-secret', 'a-secret');
    await engine.close();

    const files = ['a', 'b', 'c'].map((name) => join(folder, `${name}.tar`));
    const [a = '', b = '', c = ''] = files;
    const run = async (env: Record<string, string>, ...args: string[]) => {
      const outcome = await dropleaf(args, env);
      expect(outcome, args.join(' ')).to.include({ stderr: '', code: 0 });
    };
    await run(first, 'export', a);
    await run(servers.env, 'import', a);
    await run(servers.env, 'verify', a, '--against-store');
    const again = await dropleaf(['import', a], servers.env);
    expect(again.stderr).to.match(
      /^dropleaf: MongoDB \(.*\) is not empty: it has 1 account, .* set MONGODB_URI to another database\n$/,
    );
    await run(servers.env, 'export', b);
    await run(last, 'import', b);
    await run(last, 'export', c);
    const manifests = await Promise.all(files.map(readManifest));
    expect(manifests[1]).to.equal(manifests[0]);
    expect(manifests[2]).to.equal(manifests[0]);
  });

  it('an import into MongoDB that is killed leaves nothing or a store that is refused, and can be repeated', async function () {
    this.timeout(300_000);
    const source = { DATA_DIR: join(folder, 'source') };
    const deps = { log: createRecordingLog(), role: 'service', clock: createTestClock(start) } as const;
    const engine = await openStores(readConfig(source), deps);
    await fillStores(engine, { drops: 100, documentBytes: 3_000, now: start });
    await engine.close();
    const file = join(folder, 'killed.tar');
    expect((await dropleaf(['export', file], source)).code).to.equal(0);
    const inOwn = async <T>(use: (env: OwnServers['env']) => Promise<T>) => {
      const own = await openOwnServers();
      expect((await dropleaf(['migrate'], own.env)).code).to.equal(0); // most of the time of an import into a new database
      return use(own.env).finally(() => own.remove());
    };
    const duration = await inOwn((env) => timeImport(file, env));
    const random = createRandom(24);
    for (let n = 0; n < 5; n++) {
      const afterMs = duration * (0.5 + (n + random()) / 10); // the first half connects
      await inOwn((env) => killImport(file, env, afterMs));
    }
  });
});
