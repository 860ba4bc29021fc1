import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createFileSecretStore } from '../../shared/adapters/files/secret-store.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('Secrets in files', () => {
  let dir: string;

  beforeEach(() => {
    dir = makeTempDir();
  });

  it('stand in a file of that name, which only its owner can read, and nothing else is left', async () => {
    await createFileSecretStore(dir).keep('sign-in-key', 'first');
    await createFileSecretStore(dir).keep('sign-in-key', 'second');
    await createFileSecretStore(dir).listSigning('one');
    await createFileSecretStore(dir).addSigning({ value: 'two', signsFrom: 1_795_000_000_000 });
    const files = {
      'sign-in-key': 'first\n',
      'signing-secret': 'one\n',
      'signing-secret.1795000000000': 'two\n',
    };
    expect(readdirSync(dir).sort()).to.deep.equal(Object.keys(files));
    for (const [name, content] of Object.entries(files)) {
      expect(readFileSync(join(dir, name), 'utf8')).to.equal(content);
      expect(statSync(join(dir, name)).mode & 0o777, name).to.equal(0o600);
    }
  });

  it('are the same for every process on the directory, also where all make one at once', async () => {
    const fresh = Array.from({ length: 20 }, (_, i) => `secret-${i}`);
    const kept = await Promise.all(fresh.map((each) => createFileSecretStore(dir).keep('sign-in-key', each)));
    expect(new Set(kept).size).to.equal(1);
    expect(readdirSync(dir)).to.deep.equal(['sign-in-key']);
  });

  it('are read from a file that somebody else wrote, without the end of its line', async () => {
    writeFileSync(join(dir, 'sign-in-key'), 'chosen\r\n');
    chmodSync(join(dir, 'sign-in-key'), 0o400);
    expect(await createFileSecretStore(dir).keep('sign-in-key', 'fresh')).to.equal('chosen');
  });

  it('are not taken from an empty file: it says what to do', async () => {
    writeFileSync(join(dir, 'sign-in-key'), '\n');
    writeFileSync(join(dir, 'signing-secret'), '');
    const store = createFileSecretStore(dir);
    const tell = (thrown: unknown) => String(thrown);
    expect(await store.keep('sign-in-key', 'fresh').catch(tell)).to.match(/sign-in-key is empty: remove it/);
    expect(await store.listSigning('fresh').catch(tell)).to.match(/signing-secret is empty: remove it/);
    expect(readdirSync(dir)).to.have.length(2);
  });

  it('that a crash left half-written are none', async () => {
    writeFileSync(join(dir, 'signing-secret.0b7a3c1e-5a44-4a87-8f0e-0d6a0a1f2b3c'), 'ha');
    expect(await createFileSecretStore(dir).listSigning('whole')).to.deep.equal([
      { value: 'whole', signsFrom: 0 },
    ]);
  });
});
