import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ArchiveInput } from '../../shared/archives/archive-store.ts';
import {
  createArchiveFile,
  createArchivePipe,
  openArchiveFile,
  openArchivePipe,
} from '../../shared/archives/tar.ts';
import { rejectionOf } from '../support/rejection.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const createdAt = Date.UTC(2026, 0, 31);
const sizes = [0, 1, 511, 512, 513, 300_000, 2_000_000];

describe('tar archives', () => {
  let dir: string;
  beforeEach(() => {
    dir = makeTempDir();
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const contentOf = (size: number) => Buffer.alloc(size, `content of ${size} bytes `);

  async function write(path: string): Promise<void> {
    const archive = await createArchiveFile(path, { createdAt, replaces: true });
    for (const size of sizes) await archive.add(`folder/${size}`, contentOf(size));
    expect(await archive.finish()).to.equal(statSync(path).size);
  }

  async function readSizes(input: ArchiveInput): Promise<number[]> {
    const found: number[] = [];
    for await (const entry of input.entries()) {
      const bytes = await entry.read();
      expect(entry).to.include({ name: `folder/${bytes.byteLength}`, size: bytes.byteLength });
      expect(contentOf(bytes.byteLength).equals(bytes)).to.equal(true);
      found.push(bytes.byteLength);
    }
    return found;
  }

  it('have the entries that were added, in a file that only its owner can read', async () => {
    const path = join(dir, 'a.tar');
    await write(path);
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(readdirSync(dir)).to.deep.equal(['a.tar']);
    const input = openArchiveFile(path);
    expect(input.size).to.equal(statSync(path).size);
    let read = 0;
    for await (const _ of input.entries((count) => (read += count))); // entries that are not read are skipped
    expect(read).to.equal(input.size);
    expect(await readSizes(input)).to.deep.equal(sizes);
  });

  it('go through pipes in pieces of any size', async () => {
    const path = join(dir, 'a.tar');
    await write(path);
    const all = readFileSync(path);
    async function* inPieces() {
      for (let from = 0; from < all.byteLength; from += 9_999) yield all.subarray(from, from + 9_999);
    }
    const input = openArchivePipe(inPieces());
    expect(input.size).to.equal(null);
    expect(await readSizes(input)).to.deep.equal(sizes);
  });

  it('replace no file unless they may, and leave nothing when they are discarded', async () => {
    const path = join(dir, 'a.tar');
    const create = () => createArchiveFile(path, { createdAt, replaces: false });
    const archive = await create();
    await archive.add('a', contentOf(1_000_000));
    expect(readdirSync(dir)).to.have.length(1);
    await archive.discard();
    expect(readdirSync(dir)).to.deep.equal([]);
    writeFileSync(path, 'precious');
    const refused = create().then(async (other) => {
      await other.add('a', contentOf(1));
      await other.finish();
    });
    expect((await rejectionOf(refused)).message).to.equal(
      `${path} exists already: name another file, or replace it with --force`,
    );
    expect(readFileSync(path, 'utf8')).to.equal('precious');
    await write(path);
    expect(await readSizes(openArchiveFile(path))).to.deep.equal(sizes);
  });

  it('are no folder, and are in a folder that exists', async () => {
    expect((await rejectionOf(write(dir))).message).to.equal(
      `${dir} is not a file: name a file, or "-" for a pipe`,
    );
    expect((await rejectionOf(write(join(dir, 'none', 'a.tar')))).message).to.match(
      /^a\.tar cannot be created in .*none: ENOENT/,
    );
  });

  it('give the reason when a write fails', async () => {
    const full = new Error('ENOSPC: no space left on device');
    const archive = createArchivePipe({ write: (_, done) => done(full) }, createdAt);
    const fill = async () => {
      for (let n = 0; n < 10; n++) await archive.add(`${n}`, contentOf(300_000));
    };
    expect((await rejectionOf(fill())).message).to.equal('ENOSPC: no space left on device');
    await archive.discard();
  });

  it('say where they are cut off or damaged', async () => {
    const path = join(dir, 'a.tar');
    await write(path);
    const whole = readFileSync(path);
    const read = async (bytes: Uint8Array) => {
      writeFileSync(path, bytes);
      return (await rejectionOf(readSizes(openArchiveFile(path)))).message;
    };
    expect(await read(whole.subarray(0, 512 * 8 + 100_000))).to.equal('it is cut off after folder/513');
    expect(await read(whole.subarray(0, 300))).to.equal(
      'it is not a tar file, or it is cut off at its beginning',
    );
    const damaged = Buffer.from(whole);
    damaged[512 * 3 + 5] = 1; // in the header of the third entry
    expect(await read(damaged)).to.equal('it is damaged after folder/1');
    expect(await read(gzipSync(whole))).to.equal('it is not a tar file: unpack it first if it is compressed');
    expect(await read(createHash('sha512').update('').digest())).to.equal(
      'it is not a tar file, or it is cut off at its beginning',
    );
    expect(() => openArchiveFile(join(dir, 'none'))).to.throw('none does not exist');
    expect(() => openArchiveFile(dir)).to.throw(`${dir} is a folder, not an archive`);
  });

  it('name links and folders by their type, so that no reader takes them for files', async () => {
    const { pack } = await import('tar-stream');
    const tar = pack();
    tar.entry({ name: 'html/a', type: 'symlink', linkname: '/etc/passwd' });
    tar.finalize();
    const names: string[] = [];
    const bytes = tar as unknown as AsyncIterable<Uint8Array>; // proof: a Pack gives Buffers
    for await (const { name } of openArchivePipe(bytes).entries()) names.push(name);
    expect(names).to.deep.equal(['html/a (symlink)']);
  });
});
