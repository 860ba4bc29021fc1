import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { compareManifest, Totals } from '../../shared/archives/format.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { type Entry, exportEntries, findFaults, openFilled, packEntries } from '../support/archives.ts';
import { rejectionOf } from '../support/rejection.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('a damaged archive', () => {
  let dir: string;
  let engine: Engine;
  let entries: Entry[];

  before(async () => {
    dir = makeTempDir();
    engine = await openFilled({ DATA_DIR: dir }, { drops: 8 });
    ({ entries } = await exportEntries(engine));
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  const find = (name: string): Entry => {
    const entry = entries.find((each) => each.name.startsWith(name));
    if (entry === undefined) throw new Error(`no ${name}`);
    return entry;
  };
  const faultsOf = async (changed: readonly Entry[]) => findFaults(await packEntries(changed));
  /** Without the entry, or with others in its place. */
  const faultsWith = (name: string, ...others: Entry[]) =>
    faultsOf(entries.flatMap((each) => (each.name === find(name).name ? others : [each])));
  const faultsAfter = (name: string, change: (text: string) => string) => {
    const entry = find(name);
    return faultsWith(name, { ...entry, bytes: Buffer.from(change(Buffer.from(entry.bytes).toString())) });
  };

  it('has no faults if it is whole', async () => {
    expect(await faultsOf(entries)).to.deep.equal([]);
  });

  it('names a document with a flipped bit, and its version', async () => {
    const { name, bytes } = find('html/');
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(40) ^ 1, 40);
    const [fault = '', ...others] = await faultsWith(name, { name, bytes: flipped });
    expect(fault).to.match(
      /^html\/\w+ \(HTML of version \d of drop-\d\) is damaged: its SHA-256 is \w{64}, and the list of digests says \w{64}$/,
    );
    expect(others).to.deep.equal(['the digest of all html differs from the one in manifest.json']);
  });

  it('names a missing, a shorter, an additional and an empty blob', async () => {
    const context = find('contexts/');
    expect((await faultsWith(context.name))[0]).to.match(
      /^contexts\/\w+ \(context of version .*\) is missing$/,
    );
    const html = find('html/');
    const shorter = { name: html.name, bytes: html.bytes.subarray(1) };
    expect((await faultsWith(html.name, shorter))[0]).to.match(
      /has \d+ bytes, and the list of digests says \d+$/,
    );
    const empty = { name: html.name, bytes: Buffer.alloc(0) };
    expect((await faultsWith(html.name, empty))[0]).to.match(/has 0 bytes/);
    const more = { name: 'html/more', bytes: html.bytes };
    expect(await faultsWith(html.name, html, more)).to.deep.equal([
      'html/more is not in the list of digests',
    ]);
  });

  it('names a changed, a missing, an additional and a repeated record', async () => {
    const change = (text: string) => text.replace('"laptop"', '"lapdog"');
    expect(await faultsAfter('records/tokens', change)).to.deep.equal([
      'the digest of all tokens differs from the one in manifest.json',
    ]);
    const dropFirst = (text: string) => text.replace(/^.*\n/, '');
    expect(await faultsAfter('records/reports', dropFirst)).to.deep.equal([
      'manifest.json counts 2 reports, and the archive has 1',
    ]);
    const faults = await faultsAfter('records/tokens', (text) => text + text);
    expect(faults).to.have.length(3);
    expect(faults[0]).to.match(/^tokens \w{12} is out of order, or twice in the archive$/);
    const records = find('records/tokens');
    expect(await faultsOf([...entries.slice(0, -1), records, ...entries.slice(-1)])).to.deep.include(
      'manifest.json counts 2 tokens, and the archive has 4',
    );
  });

  it('names records that are not JSON, or not of their kind', async () => {
    const faults = await faultsAfter('records/tokens', (text) => `{"id":1}\n{\n\n${text}`);
    expect(faults[0]).to.match(
      /^records\/tokens-000001\.ndjson line 1: tokens .*: id must be an id of 12 hex digits; hash must be /,
    );
    expect(faults.slice(1, 3)).to.deep.equal([
      'records/tokens-000001.ndjson line 2: it is not JSON in UTF-8',
      'records/tokens-000001.ndjson line 3: it is not JSON in UTF-8',
    ]);
    const broken = { ...find('records/tokens'), bytes: Buffer.from([0x22, 0xff, 0x22, 0x0a]) };
    expect((await faultsWith('records/tokens', broken))[0]).to.match(/ line 1: it is not JSON in UTF-8$/);
  });

  it('names a comment that is none, and one of a missing account', async () => {
    const wrong = await faultsAfter('records/comments', (text) =>
      text.replace('"state":"open"', '"state":"shown"'),
    );
    expect(wrong[0]).to.match(/^records\/comments-000001\.ndjson line \d: comments \w{32}: state must be/);
    const other = await faultsAfter('records/comments', (text) =>
      text.replace(/"ownerId":"\w+"/, `"ownerId":"${'0'.repeat(32)}"`),
    );
    expect(other[0]).to.match(/^comments \w{32} belongs to account 0+, which is not in the archive$/);
  });

  it('names records of a missing account, and a drop of which a version is unknown', async () => {
    const other = (text: string) => text.replace(/"id":"\w+"/, '"id":"someone"');
    const faults = await faultsAfter('records/accounts', other);
    const drops = faults.filter((fault) =>
      /^drops \w{32} belongs to account \w+, which is not in the archive$/.test(fault),
    );
    expect(drops).to.have.length(8);
    const renamed = await faultsAfter('records/drops', (text) =>
      text.replace(/"hasContext":true/, '"hasContext":false'),
    );
    expect(renamed[0]).to.match(/^contexts\/\w+ belongs to no drop in the archive$/);
  });

  it('names entries that have no place in it, and reads none of them', async () => {
    const bytes = Buffer.from('x');
    const strange = [
      '../x',
      '/etc/passwd',
      'html/../../x',
      'html/a/b',
      'records/drops.ndjson',
      'records/passwords-000001.ndjson',
      'note\u001b[2J',
    ];
    const faults = await faultsOf([
      ...entries.slice(0, -1),
      ...strange.map((name) => ({ name, bytes })),
      { name: 'html/huge', bytes: Buffer.alloc(20 * 1024 * 1024 + 1) },
      ...entries.slice(-1),
      { name: 'html/late', bytes },
    ]);
    expect(faults).to.deep.equal([
      ...strange.map((name) => `${name} is not a part of an archive`),
      'html/huge has 20971521 bytes, and no entry has more than 20971520',
      'html/late comes after manifest.json, which ends an archive',
    ]);
  });

  it('reads what would take gigabytes or hours no further, and says of it what fits a line', async () => {
    const lines = Buffer.alloc(4 * 1024 * 1024, '\n');
    expect(
      await faultsWith('records/tokens', { name: 'records/tokens-000001.ndjson', bytes: lines }),
    ).to.include('records/tokens-000001.ndjson is not read: it has more than 1000 records');
    expect((await faultsWith('digests/', { name: 'digests/000001.txt', bytes: lines }))[0]).to.equal(
      'digests/000001.txt is damaged in line 1',
    );
    expect((await faultsAfter('records/tokens', () => '['.repeat(1024 * 1024)))[0]).to.equal(
      'records/tokens-000001.ndjson line 1: it has more than 8 levels or 500000 members',
    );
    expect((await faultsAfter('records/tokens', () => `{"${'x'.repeat(100_000)}":1}`))[0]).to.have.length(
      1_001,
    );
  });

  it('names a blob that is in it twice', async () => {
    const { name, bytes } = find('html/');
    expect(await faultsWith(name, { name, bytes: Buffer.from('other') }, { name, bytes })).to.deep.equal([
      `${name} is twice in the archive`,
    ]);
  });

  it('names a list of digests and a manifest that are damaged', async () => {
    const cut = await faultsAfter('digests/', (text) => text.slice(0, -30));
    expect(cut[0]).to.equal('digests/000001.txt is damaged: its last line has no end');
    const count = await faultsAfter('manifest.json', (text) => text.replace('"count": 1,', '"count": 2,'));
    expect(count).to.deep.equal(['manifest.json counts 2 accounts, and the archive has 1']);
    expect(await faultsAfter('manifest.json', (text) => `${text} `)).to.deep.equal([
      'manifest.json is damaged',
    ]);
    for (const text of ['{', 'null', '{"records":{"drops":null}}']) {
      const faults = await faultsAfter('manifest.json', () => text);
      expect(faults).to.deep.include('manifest.json says nothing about drops');
    }
  });

  it('may say nothing in its manifest about a kind of which it has no record: an earlier release did not know it', () => {
    const totals = new Totals();
    totals.addRecord('accounts', Buffer.from('{}\n'));
    const found = totals.toManifest();
    const without = (kind: string) => {
      const records = Object.entries(found.records).filter(([name]) => name !== kind);
      return Buffer.from(`${JSON.stringify({ ...found, records: Object.fromEntries(records) }, null, 2)}\n`);
    };
    for (const kind of ['reports', 'identities'])
      expect(compareManifest(without(kind), found), kind).to.deep.equal([]);
    expect(compareManifest(without('accounts'), found)).to.deep.equal([
      'manifest.json says nothing about accounts',
    ]);
  });

  it('is refused if it is cut off, wherever that is', async () => {
    const whole = await packEntries(entries);
    const lengthOfEnd = 1_024;
    for (const length of [1_200, 5_000, whole.byteLength - lengthOfEnd - 2_560]) {
      const faults = await findFaults(whole.subarray(0, length));
      expect(faults.at(-1), `${length}`).to.match(/^it is cut off after [\w.-]+/);
    }
    expect(await faultsOf(entries.slice(0, -1))).to.deep.equal([
      `it is cut off after ${entries.at(-2)?.name}: it has no manifest.json`,
    ]);
  });

  it('is refused if its head is damaged, of another format, or none', async () => {
    const refused = async (change: (text: string) => string) =>
      (await rejectionOf(faultsAfter('archive.json', change))).message;
    expect(await refused((text) => text.replace('2026', '2025'))).to.equal('archive.json is damaged');
    expect(await refused((text) => text.slice(1))).to.equal('archive.json is damaged');
    expect(await refused((text) => text.replace('"format":1', '"format":2'))).to.match(
      /^it has format 2, and this release knows format 1/,
    );
    expect((await rejectionOf(faultsOf(entries.slice(1)))).message).to.equal(
      'it is not an archive of Dropleaf: it does not begin with archive.json',
    );
  });

  it('has a fault wherever a bit is flipped, outside of the padding of tar', async () => {
    const whole = await packEntries(entries);
    const used = Buffer.alloc(whole.byteLength);
    let at = 0;
    for (const { bytes } of entries) {
      used.fill(1, at + 512, at + 512 + bytes.byteLength);
      at += 512 + Math.ceil(bytes.byteLength / 512) * 512;
    }
    for (let n = 0; n < 60; n++) {
      const position = Math.floor((n / 60) * at);
      if (used[position] === 0) continue;
      const flipped = Buffer.from(whole);
      flipped.writeUInt8(flipped.readUInt8(position) ^ (1 << (n % 8)), position);
      const found = await findFaults(flipped).catch((error: Error) => [error.message]);
      expect(found, `bit ${n % 8} of byte ${position}`).to.not.deep.equal([]);
    }
  });
});
