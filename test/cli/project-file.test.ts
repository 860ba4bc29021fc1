import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { keyOfFirst, type Published, recall, remember, rememberComments } from '../../cli/project-file.ts';
import { rejectionOf } from '../support/rejection.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const origin = 'https://drops.example';

function published(changes: Partial<Published> = {}): Published {
  return { slug: 'abc', version: 1, etag: '"1"', sha256: 'aa', ...changes };
}

describe('publish: .dropleaf.json', () => {
  it('remembers each file for each service, sorted by name, and forgets', async () => {
    const file = join(makeTempDir(), 'b.html');
    const other = join(file, '..', '__proto__');
    expect(recall(file, origin)).to.equal(null);
    expect(await remember(file, origin, published())).to.equal(null);
    expect(await remember(file, origin, published({ version: 2 }))).to.deep.equal(published());
    await remember(file, 'http://localhost:3000', published({ slug: 'local' }));
    await remember(other, origin, published({ slug: 'proto' }));
    expect(recall(file, origin)).to.deep.equal(published({ version: 2 }));
    expect(recall(other, origin)?.slug).to.equal('proto');
    expect(recall(join(file, '..', 'constructor'), origin)).to.equal(null);
    expect(Object.keys(JSON.parse(text(file)).files)).to.deep.equal(['__proto__', 'b.html']);
    await remember(other, origin, null);
    expect(text(file)).not.to.include('__proto__');
    expect(readdirSync(join(file, '..'))).to.deep.equal(['.dropleaf.json']);
  });

  it('keeps up to where comments were printed while the file is the same page', async () => {
    const file = join(makeTempDir(), 'a.html');
    await rememberComments(file, origin, 'abc', '5');
    expect(recall(file, origin)).to.equal(null);
    await remember(file, origin, published());
    await rememberComments(file, origin, 'other', '6');
    expect(recall(file, origin)?.comments).to.equal(undefined);
    await rememberComments(file, origin, 'abc', '7');
    await remember(file, origin, published({ version: 2 }));
    expect(recall(file, origin)).to.deep.equal(published({ version: 2, comments: '7' }));
    await remember(file, origin, published({ slug: 'new' }));
    expect(recall(file, origin)?.comments).to.equal(undefined);
  });

  it('loses nothing when 20 files are published at once, and keeps members that it does not know', async () => {
    const folder = makeTempDir();
    const files = Array.from({ length: 20 }, (_, i) => join(folder, `${i}.html`));
    writeFileSync(join(folder, '.dropleaf.json'), '{"note": "ours", "files": {}}');
    await Promise.all(files.map((file, i) => remember(file, origin, published({ slug: `s${i}` }))));
    expect(files.map((file) => recall(file, origin)?.slug)).to.deep.equal(files.map((_, i) => `s${i}`));
    expect(JSON.parse(text(files[0] ?? '')).note).to.equal('ours');
  });

  it('every first publish of a file has one key; one that comes too late gets what was published', async () => {
    const file = join(makeTempDir(), 'a.html');
    const [key, ...others] = await Promise.all([1, 2, 3].map(() => keyOfFirst(file, origin)));
    expect(new Set(others)).to.deep.equal(new Set([key]));
    expect(recall(file, origin)).to.equal(null);
    expect(await remember(file, origin, published())).to.equal(null);
    // A process that looked before the drop was remembered must not make a second one.
    expect(await keyOfFirst(file, origin)).to.deep.equal(published());
    expect(recall(file, origin)).to.deep.equal(published());
  });

  it('a lock that a crash left is removed', async () => {
    const file = join(makeTempDir(), 'a.html');
    const lock = join(file, '..', '.dropleaf.json.lock');
    writeFileSync(lock, '');
    utimesSync(lock, 0, 0);
    await remember(file, origin, published());
    expect(recall(file, origin)).to.deep.equal(published());
  });

  it('a file that is not valid stays as it is, and the error names it, the fault and what to do', async () => {
    const file = join(makeTempDir(), 'a.html');
    const path = join(file, '..', '.dropleaf.json');
    const fileWith = (entry: object) => JSON.stringify({ files: { 'a.html': { [origin]: entry } } });
    for (const [content, fault] of [
      ['{', 'it is not JSON'],
      ['<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x', 'it has merge conflicts'],
      ['[]', '"files" must be an object'],
      ['{"files": {"../../notes.md": {}}}', '../../notes.md is no name of a file beside it'],
      ['{"files": {"a.html": 1}}', 'the entry of a.html must be an object'],
      [fileWith({ slug: 'abc' }), `the entry of a.html for ${origin} is incomplete`],
      [fileWith(published({ etag: '"a"\r\nX: y' })), 'is incomplete'],
    ] as const) {
      writeFileSync(path, content);
      expect(() => recall(file, origin)).to.throw(
        `${path} is not valid: ${fault}`.slice(0, path.length + 15),
      );
      const { message } = await rejectionOf(remember(file, origin, published()));
      expect(message).to.include(fault).and.to.include('Repair it');
      expect(readFileSync(path, 'utf8')).to.equal(content);
      expect(readdirSync(join(file, '..'))).to.deep.equal(['.dropleaf.json']);
    }
  });

  it('a folder that cannot be written is an error that names the file', async () => {
    const folder = join(makeTempDir(), 'none');
    const error = await rejectionOf(remember(join(folder, 'a.html'), origin, published()));
    expect(error.message).to.include(`cannot write ${join(folder, '.dropleaf.json')}`);
  });
});

function text(file: string): string {
  return readFileSync(join(file, '..', '.dropleaf.json'), 'utf8');
}
