import { hkdfSync } from 'node:crypto';
import { expect } from 'chai';
import { EncryptJWT, UnsecuredJWT } from 'jose';
import { JoseSealer } from '../../shared/secrets/jose.ts';
import { useEach } from '../support/between.ts';
import { createTestClock } from '../support/clock.ts';

const secret = 'a secret of thirty-two characters';
const newer = 'a newer secret of thirty-two chars';
const older = 'an older secret of thirty-two chars';
const minute = 60_000;

describe('The sealer', () => {
  const clock = useEach(createTestClock);

  const sealerOf = (...secrets: [string, ...string[]]) => new JoseSealer(secrets, clock);
  const seal = (content: object = { a: 1 }, sealer = sealerOf(secret)) =>
    sealer.seal('cookie', content, clock.now() + minute);
  const open = (sealed: string, sealer = sealerOf(secret)) => sealer.open('cookie', sealed);

  it('opens what a sealer with the same secret sealed', async () => {
    const content = {
      name: 'Ada',
      list: [1, null, { deep: '\u0000\u{1F343}' }],
      exp: 'ours',
      aud: 'ours too',
    };
    expect(await open(await seal(content))).to.deep.equal(content);
  });

  it('hides the content, in the characters of a cookie, never twice the same', async () => {
    const first = await seal({ name: 'a-visible-name' });
    const second = await seal({ name: 'a-visible-name' });
    expect(first).to.match(/^[\w.-]+$/);
    expect(first).to.not.equal(second);
    const plain = first.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(plain.join()).to.not.include('visible');
  });

  it('opens for the same purpose only', async () => {
    const sealed = await seal();
    for (const purpose of ['grant', 'Cookie', 'cookie ', ''])
      expect(await sealerOf(secret).open(purpose, sealed)).to.equal(null);
  });

  it('seals with the first secret and opens with every accepted one', async () => {
    const old = await seal();
    const both = sealerOf(newer, secret);
    const fresh = await seal({ a: 2 }, both);
    expect(await open(old, both)).to.deep.equal({ a: 1 });
    for (const sealer of [both, sealerOf(newer)]) expect(await open(fresh, sealer)).to.deep.equal({ a: 2 });
    expect(await open(fresh)).to.equal(null);
    expect(await open(old, sealerOf(newer))).to.equal(null);
  });

  it('opens texts of the first releases, which name no key, with every accepted secret', async () => {
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'dropleaf seal', 32));
    const nameless = await new EncryptJWT({ content: { a: 1 } })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience('cookie')
      .setExpirationTime(Math.floor(clock.now() / 1000) + 60)
      .encrypt(key);
    for (const sealer of [sealerOf(newer, older, secret), sealerOf(newer, secret, older), sealerOf(secret)])
      expect(await open(nameless, sealer)).to.deep.equal({ a: 1 });
    expect(await open(nameless, sealerOf(newer, older))).to.equal(null);
  });

  it('opens until the expiry, to the millisecond', async () => {
    const sealed = await sealerOf(secret).seal('cookie', { a: 1 }, clock.now() + 1_499);
    clock.advance(1_498);
    expect(await open(sealed)).to.deep.equal({ a: 1 });
    for (const later of [1, 100 * minute]) {
      clock.advance(later);
      expect(await open(sealed)).to.equal(null);
    }
  });

  it('does not open a text that was changed or cut', async () => {
    const sealed = await seal();
    const parts = sealed.split('.');
    expect(parts).to.have.length(5);
    const forged = parts.map((part, i) => {
      const bytes = Buffer.from(part, 'base64url');
      if (bytes.length === 0) return parts.with(i, 'AQ').join('.');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      return parts.with(i, bytes.toString('base64url')).join('.');
    });
    const cut = ['', '.', '....', 'x', sealed.slice(0, -1), `${sealed}A`, parts.slice(0, 4).join('.')];
    for (const text of [...forged, ...cut]) expect(await open(text), text).to.equal(null);
  });

  it('does not open well-formed tokens of others: unsecured, or with another key', async () => {
    const until = Math.floor(clock.now() / 1000) + 60;
    const unsecured = new UnsecuredJWT({ content: {} })
      .setAudience('cookie')
      .setExpirationTime(until)
      .encode();
    const foreign = await new EncryptJWT({ content: {} })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience('cookie')
      .setExpirationTime(until)
      .encrypt(new Uint8Array(32));
    for (const text of [unsecured, foreign]) expect(await open(text)).to.equal(null);
  });

  it('hashes by purpose, text and secret, under every accepted secret, the first one first', () => {
    const [hash, ...more] = sealerOf(secret).hashes('code', 'BCDF-GHJK');
    expect(hash).to.match(/^[0-9a-f]{64}$/);
    expect(more).to.deep.equal([]);
    const [other] = sealerOf(newer).hashes('code', 'BCDF-GHJK');
    const different = [
      other,
      ...sealerOf(secret).hashes('code', 'BCDF-GHJL'),
      ...sealerOf(secret).hashes('other', 'BCDF-GHJK'),
    ];
    expect(different).to.not.include(hash);
    expect(sealerOf(newer, secret).hashes('code', 'BCDF-GHJK')).to.deep.equal([other, hash]);
  });
});
