import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { Clock } from '../../ports/clock.ts';
import type { Sealer } from '../../ports/sealer.ts';

/**
 * Seals with JWE (RFC 7516): A256GCM under a key of its own, the purpose as audience. Each use of the secret has
 * its own derived key (HKDF, RFC 5869), so that no text made for one can serve another.
 * @param secret 32 characters or more
 */
export function createSealer(secret: string, clock: Clock): Sealer {
  const sealKey = deriveKey(secret, 'dropleaf seal');
  const hashKey = deriveKey(secret, 'dropleaf hash');

  return {
    seal(purpose, content, expiresAt) {
      return new EncryptJWT({ content })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(purpose)
        .setExpirationTime(expiresAt / 1000)
        .encrypt(sealKey);
    },

    async open(purpose, sealed) {
      try {
        const { payload } = await jwtDecrypt(sealed, sealKey, {
          audience: purpose,
          requiredClaims: ['exp'],
          currentDate: new Date(clock.now()),
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          maxDecompressedLength: 0,
        });
        // jose compares whole seconds; a sealed text is good to the millisecond.
        return isPast(payload.exp, clock) ? null : payload.content;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },

    hash(purpose, text) {
      return createHmac('sha256', hashKey).update(`${purpose}\0${text}`).digest('hex');
    },
  };
}

function deriveKey(secret: string, use: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', use, 32)));
}

function isPast(seconds: number | undefined, clock: Clock): boolean {
  return seconds === undefined || seconds * 1000 <= clock.now();
}
