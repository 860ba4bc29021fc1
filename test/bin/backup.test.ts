import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { makeTempDir } from '../support/temp-dir.ts';
import { dropleaf, startHere } from './command.ts';
import { makeData, publish, useHome } from './home.ts';

describe('bin/dropleaf.js backup', () => {
  const home = useHome();
  let dir: string;
  beforeEach(() => {
    dir = join(makeTempDir(), 'backups');
  });

  const backup = (...options: string[]) => dropleaf(['backup', dir, ...options], home.env);
  const listBackups = () => readdirSync(dir).filter((name) => !name.startsWith('.'));

  /** @returns the path of the new backup */
  async function makeBackup(...options: string[]): Promise<string> {
    const { stdout, stderr, code } = await backup(...options);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    return stdout.split('\n', 1)[0] ?? '';
  }

  it('copies the data of a running service; a service started on a copy of the backup continues with them', async () => {
    const service = await home.start();
    const token = (await dropleaf(['token', '--user', 'me'], home.env)).stdout.trim();
    const { slug } = await publish(service.url, token, '<h1>Kept</h1>');
    const { stdout } = await backup();
    const [path = '', facts] = stdout.split('\n');
    expect(path).to.match(/\/dropleaf-\d{8}T\d{6}Z$/);
    expect(facts).to.match(/^ {2}1 drop, 1 version, 1 account, \d+\.\d MB, checked, in \d+\.\d s$/);
    await publish(service.url, token, '<h1>Later</h1>');
    service.kill('SIGTERM');
    await service.ended();

    const data = makeTempDir();
    cpSync(path, data, { recursive: true });
    const restored = await startHere({ DATA_DIR: data });
    try {
      expect(await (await fetch(`${restored.url}/p/${slug}/raw`)).text()).to.contain('<h1>Kept</h1>');
      await publish(restored.url, token, '<h1>After the restore</h1>');
      for (const name of ['sign-in-key', 'signing-secret'])
        expect(readFileSync(join(data, name))).to.deep.equal(readFileSync(join(home.dir, name)));
    } finally {
      restored.kill('SIGTERM');
      await restored.ended();
    }
  });

  it('creates folders and files that only this user may read', async () => {
    await makeData(home.dir);
    const path = await makeBackup();
    const modes = [dir, path, ...readdirSync(path).map((name) => join(path, name))].map(
      (each) => statSync(each).mode & 0o777,
    );
    expect(modes).to.deep.equal([0o700, 0o700, 0o600, 0o600]); // backup.json and the database, which is one file
  });

  it('--keep removes older backups of the same data, and nothing else', async () => {
    await makeData(home.dir);
    mkdirSync(dir);
    const foreign = ['dropleaf-20200101T000000Z', 'dropleaf-20200102T000000Z', 'notes'];
    for (const name of foreign) mkdirSync(join(dir, name));
    const facts = { format: 'dropleaf-backup-1', dataDir: '/another/service' };
    writeFileSync(join(dir, 'dropleaf-20200102T000000Z', 'backup.json'), JSON.stringify(facts));
    const made = [await makeBackup(), await makeBackup(), await makeBackup()];
    const links = ['.dropleaf-20260101T000000Z.partial', 'dropleaf-20260102T000000Z'];
    for (const name of links) symlinkSync(made[2] ?? '', join(dir, name)); // what they lead to stays
    writeFileSync(join(made[0] ?? '', 'restored by me.txt'), '');
    const { stdout } = await backup('--keep', '2');
    expect(stdout).to.contain(`  removed ${made[1]}\n`).and.not.to.contain(made[0]);
    expect(listBackups())
      .to.include.members(foreign)
      .and.have.length(foreign.length + 1 + 3);
    expect(readdirSync(made[2] ?? '')).to.have.length(2);
    expect(existsSync(join(made[0] ?? '', 'restored by me.txt'))).to.equal(true);
  });

  it('makes one of two backups at once; the next one removes what an interrupted one left', async () => {
    await makeData(home.dir);
    mkdirSync(join(dir, '.dropleaf-20260101T000000Z.partial'), { recursive: true });
    writeFileSync(join(dir, '.dropleaf-20260101T000000Z.partial', 'dropleaf.sqlite'), 'half');
    const outcomes = await Promise.all([backup(), backup()]);
    expect(outcomes.map(({ code }) => code)).to.have.members([0, 1]);
    expect(outcomes.map(({ stderr }) => stderr).join('')).to.equal(
      `dropleaf: another backup is being written to ${dir}: run this command when it has ended\n`,
    );
    expect(listBackups()).to.have.length(1);
    expect(readdirSync(dir).filter((name) => name.endsWith('.partial'))).to.deep.equal([]);
  });

  it('keeps no copy of damaged data, says so, and removes no older backup', async () => {
    await makeData(home.dir);
    const older = await makeBackup();
    const file = join(home.dir, 'dropleaf.sqlite');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, bytes.length - 8 * 16_384));
    const { stdout, stderr, code } = await backup('--keep', '1');
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(/^dropleaf: no backup was made: [^\n]+\n$/);
    expect(readdirSync(dir).filter((name) => name !== '.dropleaf-backup.lock')).to.deep.equal([
      older.slice(dirname(older).length + 1),
    ]);
  });

  it('refuses wrong arguments, missing data and the other engine', async () => {
    expect(await backup()).to.deep.include({ stdout: '', code: 1 });
    await makeData(home.dir);
    for (const keep of ['0', '-1', 'all', '1.5']) {
      expect(await backup('--keep', keep), keep).to.include({ stdout: '', code: 2 });
    }
    const servers = { MONGODB_URI: 'mongodb://127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' };
    const { stderr, code } = await dropleaf(['backup', dir], { ...home.env, ...servers });
    expect(code).to.equal(2);
    expect(stderr).to.contain('"bin/dropleaf.js export FILE"');
    expect(existsSync(dir)).to.equal(false);
  });
});
