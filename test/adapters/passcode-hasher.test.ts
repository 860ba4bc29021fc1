import { expect } from 'chai';
import { createArgon2Hasher } from '../../shared/adapters/argon2/passcode-hasher.ts';
import { DropError } from '../../shared/domain/errors.ts';

describe('createArgon2Hasher', () => {
  const hasher = createArgon2Hasher();
  const asked = { drop: 'a drop', network: '192.0.2.1' };
  const hash = (passcode: string) => hasher.hash(passcode, 'an account');
  const verify = (encoded: string, passcode: string, from = asked) => hasher.verify(encoded, passcode, from);

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

  for (const [what, asked] of [
    [
      'drop under attack delays no other drop',
      (n: number) => ({ drop: 'attacked', network: `192.0.2.${n}` }),
    ],
    [
      'network that guesses at many drops delays no other',
      (n: number) => ({ drop: `d${n}`, network: '192.0.2.1' }),
    ],
  ] as const) {
    it(`one ${what}`, async () => {
      const encoded = await hash('many');
      let guessed = 0;
      const guesses = Array.from({ length: 60 }, async (_, n) => {
        await verify(encoded, 'wrong', asked(n));
        guessed += 1;
      });
      expect(await verify(encoded, 'many', { drop: 'quiet', network: '198.51.100.7' })).to.equal(true);
      expect(guessed, 'guesses that came before').to.be.below(5);
      await Promise.allSettled(guesses);
    });
  }

  it('one account that sets many passcodes delays no other', async () => {
    let set = 0;
    const sets = Array.from({ length: 50 }, async () => {
      await hasher.hash('1234', 'busy');
      set += 1;
    });
    await hasher.hash('1234', 'quiet');
    expect(set, 'passcodes that came before').to.be.below(5);
    await Promise.all(sets);
  });

  it('refuses the drop with most waiting passcodes when too many wait, and serves the others', async () => {
    const encoded = await hash('many');
    const results = await Promise.allSettled(Array.from({ length: 202 }, () => verify(encoded, 'many')));
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(refused).to.have.length(1);
    expect(refused[0]).to.be.instanceOf(DropError).with.property('code', 'unavailable');
  });
});
