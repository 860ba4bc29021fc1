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

/**
 * JWE (RFC 7516) with A256GCM, the purpose as audience. Each use of a secret has its own derived key (HKDF, RFC 5869).
 * @param secret signs; 32 characters or more @param others are accepted as well
 */
export function createSealer([secret, ...others]: readonly [string, ...string[]], clock: Clock): Sealer {
  const signing = deriveKeys(secret);
  const accepted = [signing, ...others.map(deriveKeys)];

  async function openWith(
    key: KeyObject,
    purpose: string,
    sealed: string,
  ): Promise<{ content: unknown } | null> {
    try {
      const { payload } = await jwtDecrypt(sealed, key, {
        audience: purpose,
        requiredClaims: ['exp'],
        currentDate: new Date(clock.now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        maxDecompressedLength: 0,
      });
      // jose compares whole seconds; a sealed text expires to the millisecond.
      const isExpired = payload.exp === undefined || payload.exp * 1000 <= clock.now();
      return isExpired ? null : { content: payload.content };
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  return {
    async seal(purpose, content, expiresAt) {
      return new EncryptJWT({ content })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: signing.id })
        .setAudience(purpose)
        .setExpirationTime(expiresAt / 1000)
        .encrypt(signing.seal);
    },

    async open(purpose, sealed) {
      const kid = kidOf(sealed);
      for (const { seal } of accepted.filter(({ id }) => kid === undefined || kid === id)) {
        const opened = await openWith(seal, purpose, sealed);
        if (opened !== null) return opened.content;
      }
      return null;
    },

    hashes(purpose, text) {
      const hash = (keys: Keys) =>
        createHmac('sha256', keys.hash).update(`${purpose}\0${text}`).digest('hex');
      return [hash(signing), ...accepted.slice(1).map(hash)];
    },
  };
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
