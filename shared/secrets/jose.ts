import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { Clock } from '../domain/clock.ts';
import type { Sealer } from './sealer.ts';

/** Derived from one signing secret. */
interface Keys {
  /** Names the secret in what it sealed; reveals nothing of it. */
  readonly id: string;
  readonly seal: KeyObject;
  readonly hash: KeyObject;
}

/** JWE (RFC 7516) with A256GCM, the purpose as audience. Each use of a secret has its own derived key (HKDF, RFC 5869). */
export class JoseSealer implements Sealer {
  readonly #signing: Keys;
  /** Those of the other accepted secrets. */
  readonly #others: readonly Keys[];
  readonly #clock: Clock;

  /** @param secrets the first signs, the others are accepted as well; 32 characters or more */
  constructor([secret, ...others]: readonly [string, ...string[]], clock: Clock) {
    this.#signing = deriveKeys(secret);
    this.#others = others.map(deriveKeys);
    this.#clock = clock;
  }

  async seal(purpose: string, content: object, expiresAt: number): Promise<string> {
    return new EncryptJWT({ content })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: this.#signing.id })
      .setAudience(purpose)
      .setExpirationTime(expiresAt / 1000)
      .encrypt(this.#signing.seal);
  }

  async open(purpose: string, sealed: string): Promise<unknown> {
    const kid = kidOf(sealed);
    const accepted = [this.#signing, ...this.#others];
    for (const { seal } of accepted.filter(({ id }) => kid === undefined || kid === id)) {
      const opened = await this.#openWith(seal, purpose, sealed);
      if (opened !== null) return opened.content;
    }
    return null;
  }

  hashes(purpose: string, text: string): readonly [string, ...string[]] {
    const hash = (keys: Keys) => createHmac('sha256', keys.hash).update(`${purpose}\0${text}`).digest('hex');
    return [hash(this.#signing), ...this.#others.map(hash)];
  }

  async #openWith(key: KeyObject, purpose: string, sealed: string): Promise<{ content: unknown } | null> {
    try {
      const { payload } = await jwtDecrypt(sealed, key, {
        audience: purpose,
        requiredClaims: ['exp'],
        currentDate: new Date(this.#clock.now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        maxDecompressedLength: 0,
      });
      // jose compares whole seconds; a sealed text expires to the millisecond.
      const isExpired = payload.exp === undefined || payload.exp * 1000 <= this.#clock.now();
      return isExpired ? null : { content: payload.content };
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}

/** undefined: the first releases named no key. null: it is not a sealed text. */
function kidOf(sealed: string): string | undefined | null {
  try {
    return decodeProtectedHeader(sealed).kid;
  } catch {
    return null;
  }
}

function deriveKeys(secret: string): Keys {
  return {
    id: Buffer.from(hkdfSync('sha256', secret, '', 'dropleaf key id', 9)).toString('base64url'),
    seal: deriveKey(secret, 'dropleaf seal'),
    hash: deriveKey(secret, 'dropleaf hash'),
  };
}

function deriveKey(secret: string, use: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', use, 32)));
}
