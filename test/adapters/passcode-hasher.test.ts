import { expect } from 'chai';
import { createArgon2Hasher } from '../../shared/adapters/argon2/passcode-hasher.ts';
import { DropError } from '../../shared/domain/errors.ts';

describe('createArgon2Hasher', () => {
  const hasher = createArgon2Hasher();

  it('hashes with argon2id, 19 MiB, two passes and one lane', async () => {
    expect(await hasher.hash('open sesame')).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('verifies the passcode and no other', async () => {
    const hash = await hasher.hash('pass\u00e9 😀');
    expect(await hasher.verify(hash, 'pass\u00e9 😀')).to.equal(true);
    expect(await hasher.verify(hash, 'pass\u00e9 😁')).to.equal(false);
    expect(await hasher.verify(hash, '')).to.equal(false);
  });

  it('salts: the same passcode has another hash each time', async () => {
    expect(await hasher.hash('same')).not.to.equal(await hasher.hash('same'));
  });

  it('fails, and stays usable, when the hash is none', async () => {
    let failure: unknown = null;
    await hasher.verify('plain', 'plain').catch((error: unknown) => {
      failure = error;
    });
    expect(failure).to.be.instanceOf(Error);
    expect(await hasher.verify(await hasher.hash('x123'), 'x123')).to.equal(true);
  });

  it('turns callers away when too many wait, and serves the others', async () => {
    const hash = await hasher.hash('many');
    const results = await Promise.allSettled(Array.from({ length: 202 }, () => hasher.verify(hash, 'many')));
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(refused).to.have.length(1);
    expect(refused[0]).to.be.instanceOf(DropError).with.property('code', 'unavailable');
  });
});
