import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { fillDataDir, readManifest } from '../support/archives.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { dropleaf, type Env } from './command.ts';
import { killImports } from './killed-imports.ts';
import { type OwnServers, openOwnServers } from './own-servers.ts';

async function run(env: Env, ...args: string[]): Promise<void> {
  expect(await dropleaf(args, env), args.join(' ')).to.include({ stderr: '', code: 0 });
}

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
    await fillDataDir(first, { drops: 6, documentBytes: 1_200_000 }); // two chunks in GridFS
    const files = ['a', 'b', 'c'].map((name) => join(folder, `${name}.tar`));
    const [a = '', b = '', c = ''] = files;
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
    const file = join(folder, 'killed.tar');
    await fillDataDir(source, { drops: 100, documentBytes: 3_000 });
    await run(source, 'export', file);
    const inEmpty = async (use: (env: Env) => Promise<void>) => {
      const own = await openOwnServers();
      expect((await dropleaf(['migrate'], own.env)).code).to.equal(0); // most of the time of an import into a new database
      await use(own.env).finally(() => own.remove());
    };
    await killImports(file, { count: 5, from: 0.5 }, inEmpty); // the first half connects
  });
});
