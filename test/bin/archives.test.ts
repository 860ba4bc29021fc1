import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { fillDataDir, readManifest } from '../support/archives.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { dropleaf, runHere } from './command.ts';
import { publish, useHome } from './home.ts';

const all =
  '2 secrets, 1 account, 1 identity, 2 tokens, 2 idempotency keys, 8 drops, 8 comments, 2 access requests, 2 reports, 1 operator act, 20 documents, 6 contexts';

describe('bin/dropleaf.js export, import, verify', () => {
  const home = useHome();
  let folder: string;
  let file: string;
  let other: { DATA_DIR: string };

  beforeEach(() => {
    folder = makeTempDir();
    file = join(folder, 'a.tar');
    other = { DATA_DIR: join(folder, 'other', 'data') };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const fill = () => fillDataDir(home.env, { drops: 8 });
  const sql = (dataDir: string, statement: string) => {
    const db = new DatabaseSync(join(dataDir, 'dropleaf.sqlite'));
    db.exec(statement);
    db.close();
  };
  const exportTo = (path: string, ...options: string[]) => dropleaf(['export', path, ...options], home.env);

  it('move all data to another folder: pages, tokens and the sign-in key work as before', async () => {
    const service = await home.start();
    const made = await dropleaf(['token', '--user', 'me', '--scope', 'publish'], home.env);
    const token = made.stdout.trim();
    const { slug } = await publish(service.url, token, '<p>Moved');
    const exported = await exportTo(file); // while the service runs
    expect(exported).to.include({ stderr: '', code: 0 });
    expect(exported.stdout).to.match(
      /^Exported 2 secrets, 1 account, 1 identity, 1 token, 1 drop, 1 document, 0 contexts: [\d.]+ kB in [\d.]+ s\n$/,
    );
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(folder)).to.deep.equal(['a.tar']);

    const imported = await dropleaf(['import', file], other);
    expect(imported).to.include({ stderr: '', code: 0 });
    const moved = await home.start(other);
    expect(await (await fetch(`${moved.url}/p/${slug}/raw`)).text()).to.contain('<p>Moved');
    await publish(moved.url, token, '<p>New');
    const headers = { authorization: `Bearer ${token}` };
    const me = await fetch(`${moved.url}/api/me`, { headers });
    expect(await me.json()).to.have.nested.property('token.scope', 'publish');
    const keys = [home.env, other].map((env) => dropleaf(['sign-in-key'], env));
    const [key, sameKey] = await Promise.all(keys);
    expect(key?.stdout)
      .to.match(/^\w{24}\n$/)
      .and.to.equal(sameKey?.stdout);
  });

  it('make equal manifests of equal data, whatever folder they are in', async () => {
    await fill();
    expect((await exportTo(file)).stdout).to.match(new RegExp(`^Exported ${all}: `));
    const imported = await dropleaf(['import', file], other);
    expect(imported).to.include({ stderr: '', code: 0 });
    expect(imported.stdout).to.match(new RegExp(`^Imported ${all} in [\\d.]+ s\n$`));
    const again = join(folder, 'b.tar');
    await dropleaf(['export', again], other);
    expect(await readManifest(again)).to.equal(await readManifest(file));
    for (const env of [home.env, other]) {
      const verified = await dropleaf(['verify', again, '--against-store'], env);
      expect(verified).to.include({ stderr: '', code: 0 });
      expect(verified.stdout).to.contain(`${again} is whole, and the store is equal: ${all} in `);
    }
  });

  it('import takes an archive of an earlier release, whose manifest is that of its data without what came later', async () => {
    const old = new URL('../../../test/fixtures/archive-format-1.tar.gz', import.meta.url);
    writeFileSync(file, gunzipSync(readFileSync(old)));
    expect(await dropleaf(['import', file], other)).to.include({ stderr: '', code: 0 });
    const again = join(folder, 'b.tar');
    await dropleaf(['export', again], other);
    const found = JSON.parse(await readManifest(again));
    const earlier = JSON.parse(await readManifest(file));
    for (const kind of ['identities', 'comments', 'access-requests']) {
      expect(found.records[kind].count, kind).to.equal(0);
      delete found.records[kind];
    }
    expect(found).to.deep.equal(earlier);
  });

  it('go through pipes', async () => {
    await fill();
    const exported = await exportTo('-');
    expect(exported.stderr).to.match(new RegExp(`^Exported ${all}: `));
    const stdin = Buffer.from(exported.stdout, 'latin1');
    const verified = await dropleaf(['verify', '-'], {}, { stdin });
    expect(verified.stdout).to.match(new RegExp(`^the archive is whole: ${all} in `));
    const imported = await dropleaf(['import', '-'], other, { stdin });
    expect(imported.stdout).to.match(new RegExp(`^Imported ${all} in `));
    const refused = await runHere(['export', '-'], home.env, { isTTY: true }).ended();
    expect(refused).to.include({
      code: 2,
      stderr: 'dropleaf: stdout is a terminal: name a file, or use a pipe\n',
    });
  });

  it('export replaces a file only with --force, and needs data', async () => {
    const missing = await exportTo(file);
    expect(missing).to.include({ stdout: '', code: 1 });
    expect(missing.stderr).to.match(/no Dropleaf data in/);
    await fill();
    writeFileSync(file, 'precious');
    const refused = await exportTo(file);
    expect(refused.stderr).to.equal(
      `dropleaf: ${file} exists already: name another file, or replace it with --force\n`,
    );
    expect(readFileSync(file, 'utf8')).to.equal('precious');
    expect(await exportTo(file, '--force')).to.include({ stderr: '', code: 0 });
    expect((await dropleaf(['verify', file])).code).to.equal(0);
  });

  it('export that is interrupted leaves no archive', async () => {
    await fill();
    const exporting = runHere(['export', file], home.env, { isTTY: true });
    await exporting.firstMatch(/(Exporting)/);
    exporting.kill('SIGINT');
    const { stderr, code } = await exporting.ended();
    expect(code).to.equal(1);
    expect(stderr).to.contain('dropleaf: interrupted: there is no archive\n');
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('export names a drop with a missing document; --skip-damaged leaves it out', async () => {
    await fill();
    const ofDrop5 =
      "SELECT id FROM drop_versions WHERE number = 2 AND drop_id = (SELECT id FROM drops WHERE slug = 'drop-5')";
    sql(home.dir, `DELETE FROM html_blobs WHERE id IN (${ofDrop5})`);
    expect(await exportTo(file)).to.include({
      code: 1,
      stderr:
        'dropleaf: drop-5 is damaged: the HTML of version 2 is missing. "export --skip-damaged" leaves such drops out\n',
    });
    expect(readdirSync(folder)).to.deep.equal([]);
    const skipped = await exportTo(file, '--skip-damaged');
    expect(skipped).to.include({ code: 0, stderr: 'Left out: drop-5: the HTML of version 2 is missing\n' });
    expect(skipped.stdout).to.contain(' 7 drops, ');
    expect((await dropleaf(['verify', file])).code).to.equal(0);
    expect((await dropleaf(['import', file], other)).code).to.equal(0);
  });

  it('import stores nothing of a file that is damaged, and verify lists what is wrong', async () => {
    await fill();
    await exportTo(file);
    const bytes = readFileSync(file);
    const at = bytes.indexOf('<!doctype');
    bytes.write('X', at + 3);
    writeFileSync(file, bytes);
    const imported = await dropleaf(['import', file], other);
    expect(imported.code).to.equal(1);
    expect(imported.stderr).to.match(
      /a\.tar: html\/\w+ \(HTML of version \d of drop-\d\) is damaged: .*\. Nothing was stored; "bin\/dropleaf\.js verify" lists all faults\n$/,
    );
    const verified = await dropleaf(['verify', file]);
    expect(verified.stdout.trimEnd().split('\n')).to.have.length(2);
    expect(verified).to.include({ code: 1, stderr: `dropleaf: ${file} is damaged: 2 faults\n` });
    await exportTo(file, '--force');
    expect((await dropleaf(['import', file], other)).code).to.equal(0); // the store is still empty
    writeFileSync(file, 'text'.repeat(300));
    const refused = await dropleaf(['verify', file]);
    expect(refused.stderr).to.equal(
      `dropleaf: ${file}: it is not a tar file: unpack it first if it is compressed\n`,
    );
  });

  it('names of entries are shown on one line, without control characters', async () => {
    await fill();
    await exportTo(file);
    const bytes = readFileSync(file);
    renameEntry(bytes, 'manifest.json', 'x\nForged line\r\u001b[2J\u202e\u200b');
    writeFileSync(file, bytes);
    const shown = 'x\ufffdForged line\ufffd\ufffd[2J\ufffd\ufffd is not a part of an archive';
    const verified = await dropleaf(['verify', file]);
    expect(verified.stdout.split('\n')[0]).to.contain(shown);
    const imported = await dropleaf(['import', file], other);
    expect(imported.stderr).to.contain(shown);
    for (const { stdout, stderr } of [verified, imported]) {
      expect(stdout + stderr).to.not.match(/[^\P{Cc}\n]|[\u202e\u200b]/u);
      expect(stdout + stderr).to.not.match(/^Forged/m);
    }
  });

  it('import marks the store before it verifies the file: after an interruption no service starts on it', async () => {
    await fill();
    await exportTo(file);
    const importing = runHere(['import', file], other, { isTTY: true });
    await importing.firstMatch(/(Verifying)/);
    importing.kill('SIGINT');
    expect(await importing.ended()).to.include({ stdout: '', code: 1 });
    expect(importing.output.stderr).not.to.contain('Importing');
    expect((await dropleaf(['start'], other)).stderr).to.match(
      /^dropleaf: these data are incomplete: the import /,
    );
    expect(await dropleaf(['import', file], other)).to.include({
      code: 0,
      stderr: 'This import was interrupted: it resumes.\n',
    });
    expect((await dropleaf(['verify', file, '--against-store'], other)).code).to.equal(0);
  });

  it('import refuses a store with data, one in use, and one that another archive has half filled', async () => {
    await fill();
    await exportTo(file);
    const full = await dropleaf(['import', file], home.env);
    expect(full).to.include({ stdout: '', code: 1 });
    expect(full.stderr).to.match(
      /^dropleaf: SQLite in .* \(DATA_DIR\) is not empty: it has 1 account, 1 identity, 2 tokens, .* set DATA_DIR to another folder\n$/,
    );
    const service = await home.start(other); // generates secrets, which an import replaces
    expect((await dropleaf(['import', file], other)).stderr).to.match(/Another Dropleaf is running on/);
    service.kill('SIGTERM');
    await service.ended();

    const cut = readFileSync(file).subarray(0, 20_000);
    const half = await dropleaf(['import', '-'], other, { stdin: cut });
    expect(half.stderr).to.match(
      /^dropleaf: the archive: it is cut off after .* is incomplete, and no service starts on it: remove the folder, and import another archive\n$/,
    );
    const second = join(folder, 'b.tar');
    await exportTo(second);
    expect((await dropleaf(['import', second], other)).stderr).to.match(
      /is incomplete: the import of another archive \(\w{32}\), begun .*, has not ended\. Run it again with that file, or remove the folder and import this one\n$/,
    );
    const commands = [['start'], ['token', '--user', 'me'], ['export', '-'], ['backup', join(folder, 'b')]];
    for (const command of commands) {
      expect((await dropleaf(command, other)).stderr).to.match(
        /^dropleaf: (no backup was made: )?these data are incomplete: the import of the archive \w{32}, begun .*, has not ended; run "bin\/dropleaf\.js import FILE" again with the same file\n$/,
      );
    }
    const resumed = await dropleaf(['import', file], other);
    expect(resumed).to.include({ code: 0, stderr: 'This import was interrupted: it resumes.\n' });
    expect((await dropleaf(['verify', file, '--against-store'], other)).code).to.equal(0);
  });

  it('verify --against-store prints each record and document that differs, is missing or is more', async () => {
    await fill();
    await exportTo(file);
    sql(
      home.dir,
      `UPDATE drops SET title = 'Other', view_count = 99 WHERE slug = 'drop-1';
       UPDATE html_blobs SET bytes = x'00' WHERE id = (SELECT head_id FROM drops WHERE slug = 'drop-2');
       DELETE FROM html_blobs WHERE id = (SELECT head_id FROM drops WHERE slug = 'drop-3');
       DELETE FROM tokens WHERE label = 'laptop';
       UPDATE reports SET id = 'z' || id WHERE slug = 'drop-0';`,
    );
    const { stdout, stderr, code } = await dropleaf(['verify', file, '--against-store'], home.env);
    expect({ stderr, code }).to.deep.equal({
      stderr: `dropleaf: ${file} is whole; the store differs from it: 6 differences\n`,
      code: 1,
    });
    expect(
      stdout
        .replaceAll(/\b[0-9a-f]{32}\b/g, 'ID')
        .trimEnd()
        .split('\n'),
    ).to.have.members([
      'drops ID (drop-1) differs in title, viewCount',
      'html/ID (HTML of version 3 of drop-2) differs',
      'html/ID (HTML of version 4 of drop-3) is not in the store',
      stdout.match(/tokens \w{12} is not in the store/)?.[0],
      stdout.match(/reports \w{16} is not in the store/)?.[0],
      stdout.match(/reports z\w{16} is not in the archive/)?.[0],
    ]);
  });
});

/** Gives an entry of a tar file another name. */
function renameEntry(tar: Buffer, name: string, other: string): void {
  const header = tar.subarray(tar.indexOf(`${name}\0`)).subarray(0, 512);
  header.fill(0, 0, 100).write(other);
  header.fill(' ', 148, 156); // a sum counts itself as spaces
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
}
