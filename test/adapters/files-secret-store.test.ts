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
    await createFileSecretStore(dir).keep('signing-secret', 'first');
    await createFileSecretStore(dir).keep('signing-secret', 'second');
    expect(readdirSync(dir)).to.deep.equal(['signing-secret']);
    expect(readFileSync(join(dir, 'signing-secret'), 'utf8')).to.equal('first\n');
    expect(statSync(join(dir, 'signing-secret')).mode & 0o777).to.equal(0o600);
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
    const error: unknown = await createFileSecretStore(dir)
      .keep('sign-in-key', 'fresh')
      .catch((thrown: unknown) => thrown);
    expect(String(error)).to.match(/sign-in-key is empty: remove it/);
    expect(readdirSync(dir)).to.deep.equal(['sign-in-key']);
  });
});
