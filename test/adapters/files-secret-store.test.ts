import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FileSecrets } from '../../shared/secrets/files.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('SecretStore in files', () => {
  let dir: string;

  beforeEach(() => {
    dir = makeTempDir();
  });

  it('stores each secret in a file of its name that only the owner can read', async () => {
    await new FileSecrets(dir).findOrCreate('sign-in-key', 'first');
    await new FileSecrets(dir).findOrCreate('sign-in-key', 'second');
    expect(readdirSync(dir)).to.deep.equal(['sign-in-key']);
    expect(readFileSync(join(dir, 'sign-in-key'), 'utf8')).to.equal('first\n');
    expect(statSync(join(dir, 'sign-in-key')).mode & 0o777).to.equal(0o600);
  });

  it('returns the newest signing secret of an earlier release', async () => {
    writeFileSync(join(dir, 'signing-secret'), 'first\n');
    writeFileSync(join(dir, 'signing-secret.1795000000000'), 'second\n');
    writeFileSync(join(dir, 'signing-secret.1795000000001'), 'third\n');
    expect(await new FileSecrets(dir).findOrCreate('signing-secret', 'fresh')).to.equal('third');
  });

  it('returns the same secret to every process, also if all of them create it at once', async () => {
    const fresh = Array.from({ length: 20 }, (_, i) => `secret-${i}`);
    const kept = await Promise.all(
      fresh.map((each) => new FileSecrets(dir).findOrCreate('sign-in-key', each)),
    );
    expect(new Set(kept).size).to.equal(1);
    expect(readdirSync(dir)).to.deep.equal(['sign-in-key']);
  });

  it('ignores the line break at the end of a file that the operator wrote', async () => {
    writeFileSync(join(dir, 'sign-in-key'), 'chosen\r\n');
    chmodSync(join(dir, 'sign-in-key'), 0o400);
    expect(await new FileSecrets(dir).findOrCreate('sign-in-key', 'fresh')).to.equal('chosen');
  });

  it('refuses an empty file with an error that says what to do', async () => {
    writeFileSync(join(dir, 'sign-in-key'), '\n');
    const thrown = await new FileSecrets(dir).findOrCreate('sign-in-key', 'fresh').catch(String);
    expect(thrown).to.match(/sign-in-key is empty: remove it/);
  });

  it('ignores a half-written file that a crash left behind', async () => {
    writeFileSync(join(dir, 'signing-secret.0b7a3c1e-5a44-4a87-8f0e-0d6a0a1f2b3c'), 'ha');
    expect(await new FileSecrets(dir).findOrCreate('signing-secret', 'whole')).to.equal('whole');
  });
});
