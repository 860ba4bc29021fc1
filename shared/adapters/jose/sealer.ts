import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { Clock } from '../../ports/clock.ts';
import type { Sealer } from '../../ports/sealer.ts';

/** What follows from one secret. */
interface Keys {
  /** Names them in what they seal; tells nothing of them. */
  readonly id: string;
  readonly seal: KeyObject;
  readonly hash: KeyObject;
}

type Accepted = readonly [Keys, ...Keys[]];

/**
 * Seals with JWE (RFC 7516): A256GCM under a key of its own, the purpose as audience. Each use of a secret has
 * its own derived key (HKDF, RFC 5869), so that no text made for one can serve another.
 * @param secrets those that are accepted now, the one that signs first: one at least, each of 32 characters or more;
 * `isMissed` where something names one that is not among them
 */
export function createSealer(
  secrets: (isMissed?: boolean) => Promise<readonly string[]>,
  clock: Clock,
): Sealer {
  let known = new Map<string, Keys>();

  async function accepted(isMissed = false): Promise<Accepted> {
    const values = await secrets(isMissed);
    known = new Map(values.map((value) => [value, known.get(value) ?? deriveKeys(value)]));
    const [signing, ...others] = known.values();
    if (signing === undefined) throw new Error('there is no signing secret');
    return [signing, ...others];
  }

  /** Those to try for what names that key; what names none may be of any. */
  async function keysFor(kid: string | undefined | null): Promise<readonly KeyObject[]> {
    if (kid === null) return [];
    const isMeant = ({ id }: Keys) => kid === undefined || id === kid;
    const found = (await accepted()).filter(isMeant);
    const meant = found.length > 0 ? found : (await accepted(true)).filter(isMeant);
    return meant.map(({ seal }) => seal);
  }

  /** null: it is not of this key, for another purpose, changed, or past. */
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
      // jose compares whole seconds; a sealed text is good to the millisecond.
      return isPast(payload.exp, clock) ? null : { content: payload.content };
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  return {
    async seal(purpose, content, expiresAt) {
      const [signing] = await accepted();
      return new EncryptJWT({ content })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: signing.id })
        .setAudience(purpose)
        .setExpirationTime(expiresAt / 1000)
        .encrypt(signing.seal);
    },

    async open(purpose, sealed) {
      for (const key of await keysFor(kidOf(sealed))) {
        const opened = await openWith(key, purpose, sealed);
        if (opened !== null) return opened.content;
      }
      return null;
    },

    async hashes(purpose, text) {
      const [signing, ...others] = await accepted();
      const hash = (keys: Keys) =>
        createHmac('sha256', keys.hash).update(`${purpose}\0${text}`).digest('hex');
      return [hash(signing), ...others.map(hash)];
    },
  };
}

/** undefined: it was sealed before keys had names. null: it is nothing that was sealed. */
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

function isPast(seconds: number | undefined, clock: Clock): boolean {
  return seconds === undefined || seconds * 1000 <= clock.now();
}
