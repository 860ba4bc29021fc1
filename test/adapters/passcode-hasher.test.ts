import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { createArgon2Hasher } from '../../shared/passcodes/argon2.ts';

describe('createArgon2Hasher', () => {
  const hasher = createArgon2Hasher();
  const quick = createArgon2Hasher({ memoryCost: 256, timeCost: 1, parallelism: 1 });
  const hash = (passcode: string) => hasher.hash(passcode, 'an account');
  const { verify } = hasher;

  it('hashes with argon2id, 19 MiB, two passes and one lane', async () => {
    expect(await hash('open sesame')).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('verifies the passcode and no other', async () => {
    const encoded = await hash('pass\u00e9 😀');
    expect(await verify(encoded, 'pass\u00e9 😀')).to.equal(true);
    expect(await verify(encoded, 'pass\u00e9 😁')).to.equal(false);
    expect(await verify(encoded, '')).to.equal(false);
  });

  it('salts: a passcode has another hash each time', async () => {
    expect(await hash('same')).not.to.equal(await hash('same'));
  });

  it('fails for an invalid hash, and stays usable', async () => {
    let failure: unknown = null;
    await verify('plain', 'plain').catch((error: unknown) => {
      failure = error;
    });
    expect(failure).to.be.instanceOf(Error);
    expect(await verify(await hash('x123'), 'x123')).to.equal(true);
  });

  it('one account that sets many passcodes delays no other', async () => {
    let set = 0;
    const sets = Array.from({ length: 50 }, async () => {
      await quick.hash('1234', 'busy');
      set += 1;
    });
    await quick.hash('1234', 'quiet');
    expect(set, 'passcodes that came before').to.be.below(5);
    await Promise.all(sets);
  });

  it('refuses the account with most waiting passcodes when too many wait, and serves the others', async () => {
    const sets = Array.from({ length: 202 }, () => quick.hash('1234', 'busy'));
    const results = Promise.allSettled(sets);
    await quick.hash('1234', 'quiet');
    const refused = (await results).flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(refused).to.have.length(2);
    for (const reason of refused)
      expect(reason).to.be.instanceOf(DropError).with.property('code', 'unavailable');
  });
});
