import { hkdfSync } from 'node:crypto';
import { expect } from 'chai';
import { EncryptJWT, UnsecuredJWT } from 'jose';
import { createSealer } from '../../shared/adapters/jose/sealer.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';

const secret = 'a secret of thirty-two characters';
const minute = 60_000;

describe('sealer', () => {
  function setUp(otherSecret = secret) {
    const clock = createTestClock();
    return { clock, sealer: sealerOf(clock, secret), other: sealerOf(clock, otherSecret) };
  }

  function sealerOf(clock: TestClock, ...secrets: readonly [string, ...string[]]) {
    return createSealer(secrets, clock);
  }

  it('opens what it sealed, as it was', async () => {
    const { sealer, clock } = setUp();
    const content = {
      name: 'Ada',
      list: [1, null, { deep: '\u0000\u{1F343}' }],
      exp: 'ours',
      aud: 'ours too',
    };
    const sealed = await sealer.seal('cookie', content, clock.now() + minute);
    expect(await sealer.open('cookie', sealed)).to.deep.equal(content);
  });

  it('survives a restart: the key follows from the secret', async () => {
    const { sealer, other, clock } = setUp();
    const sealed = await sealer.seal('cookie', { a: 1 }, clock.now() + minute);
    expect(await other.open('cookie', sealed)).to.deep.equal({ a: 1 });
  });

  it('shows nothing of the content, fits a cookie, and is never the same twice', async () => {
    const { sealer, clock } = setUp();
    const seal = () => sealer.seal('cookie', { name: 'a-very-visible-name' }, clock.now() + minute);
    const [first, second] = [await seal(), await seal()];
    expect(first).to.match(/^[\w.-]+$/);
    expect(first).to.not.equal(second);
    const plain = first.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(plain.join()).to.not.include('visible');
  });

  it('is void for another purpose', async () => {
    const { sealer, clock } = setUp();
    const sealed = await sealer.seal('cookie', { a: 1 }, clock.now() + minute);
    for (const purpose of ['grant', 'Cookie', 'cookie ', ''])
      expect(await sealer.open(purpose, sealed)).to.equal(null);
  });

  it('is void under another secret', async () => {
    const { sealer, other, clock } = setUp(`${secret}!`);
    expect(await other.open('cookie', await sealer.seal('cookie', {}, clock.now() + minute))).to.equal(null);
  });

  it('opens what any accepted secret has sealed, and seals with the first', async () => {
    const { sealer, clock } = setUp();
    const old = await sealer.seal('cookie', { a: 1 }, clock.now() + minute);
    const both = sealerOf(clock, 'a newer secret of thirty-two chars', secret);
    expect(await both.open('cookie', old)).to.deep.equal({ a: 1 });
    const fresh = await both.seal('cookie', { a: 2 }, clock.now() + minute);
    expect(await both.open('cookie', fresh)).to.deep.equal({ a: 2 });
    expect(await sealer.open('cookie', fresh), 'before it is known').to.equal(null);
    const rotated = sealerOf(clock, 'a newer secret of thirty-two chars');
    expect(await rotated.open('cookie', fresh)).to.deep.equal({ a: 2 });
    expect(await rotated.open('cookie', old), 'when it is forgotten').to.equal(null);
  });

  it('opens what was sealed before keys had names, under whichever accepted secret', async () => {
    const { clock } = setUp();
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'dropleaf seal', 32));
    const nameless = await new EncryptJWT({ content: { a: 1 } })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience('cookie')
      .setExpirationTime(Math.floor(clock.now() / 1000) + 60)
      .encrypt(key);
    const [newer, older] = ['a newer secret of thirty-two chars', 'an older secret of thirty-two chars'];
    const orders: [string, string, string][] = [
      [newer, older, secret],
      [newer, secret, older],
      [secret, newer, older],
    ];
    for (const accepted of orders)
      expect(await sealerOf(clock, ...accepted).open('cookie', nameless)).to.deep.equal({ a: 1 });
    expect(await sealerOf(clock, newer, older).open('cookie', nameless)).to.equal(null);
  });

  it('is good until its time, to the millisecond', async () => {
    const { sealer, clock } = setUp();
    const sealed = await sealer.seal('cookie', { a: 1 }, clock.now() + 1_499);
    clock.advance(1_498);
    expect(await sealer.open('cookie', sealed)).to.deep.equal({ a: 1 });
    clock.advance(1);
    expect(await sealer.open('cookie', sealed)).to.equal(null);
    clock.advance(100 * minute);
    expect(await sealer.open('cookie', sealed)).to.equal(null);
  });

  it('is void when any part is changed, cut or swapped', async () => {
    const { sealer, clock } = setUp();
    const sealed = await sealer.seal('cookie', { a: 1 }, clock.now() + minute);
    const parts = sealed.split('.');
    expect(parts).to.have.length(5);
    for (const [i, part] of parts.entries()) {
      const bytes = Buffer.from(part, 'base64url');
      const changed =
        bytes.length === 0 ? Buffer.from([1]) : Buffer.from(bytes.map((byte, j) => (j ? byte : byte ^ 1)));
      const forged = parts.with(i, changed.toString('base64url')).join('.');
      expect(await sealer.open('cookie', forged), `part ${i}`).to.equal(null);
    }
    for (const text of [
      '',
      '.',
      '....',
      'x',
      sealed.slice(0, -1),
      `${sealed}A`,
      parts.slice(0, 4).join('.'),
    ]) {
      expect(await sealer.open('cookie', text), text).to.equal(null);
    }
  });

  it('takes no token that is merely well-formed: unsecured, or under a key of its sender', async () => {
    const { sealer, clock } = setUp();
    const until = Math.floor(clock.now() / 1000) + 60;
    const unsecured = new UnsecuredJWT({ content: {} })
      .setAudience('cookie')
      .setExpirationTime(until)
      .encode();
    expect(await sealer.open('cookie', unsecured)).to.equal(null);
    const foreign = await new EncryptJWT({ content: {} })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience('cookie')
      .setExpirationTime(until)
      .encrypt(new Uint8Array(32));
    expect(await sealer.open('cookie', foreign)).to.equal(null);
  });

  it('hashes alike for one purpose and secret, and otherwise not', () => {
    const { sealer, other } = setUp(`${secret}!`);
    const [hash, ...more] = sealer.hashes('code', 'BCDF-GHJK');
    expect(hash).to.match(/^[0-9a-f]{64}$/);
    expect(more).to.deep.equal([]);
    expect(sealer.hashes('code', 'BCDF-GHJK')).to.deep.equal([hash]);
    expect(sealer.hashes('code', 'BCDF-GHJL')).to.not.deep.equal([hash]);
    expect(sealer.hashes('other', 'BCDF-GHJK')).to.not.deep.equal([hash]);
    expect(other.hashes('code', 'BCDF-GHJK')).to.not.deep.equal([hash]);
  });

  it('hashes under every accepted secret, the one that signs first', () => {
    const { sealer, other, clock } = setUp(`${secret}!`);
    const hashes = sealerOf(clock, `${secret}!`, secret).hashes('code', 'BCDF-GHJK');
    const [signing] = other.hashes('code', 'BCDF-GHJK');
    const [before] = sealer.hashes('code', 'BCDF-GHJK');
    expect(hashes).to.deep.equal([signing, before]);
  });
});
