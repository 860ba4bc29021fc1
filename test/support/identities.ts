import type { IdentityKey } from '../../shared/identities/identity-store.ts';
import { type KeptRefreshToken, sealRefreshToken } from '../../shared/identities/refresh-tokens.ts';
import type { TestService } from './service.ts';

/** What a service has stored of an identity. */
export function openIdentity({ services, clock }: TestService, key: IdentityKey) {
  return {
    /** As if this refresh token had been given, and the check that used it had come so far. */
    async replaceToken(refreshToken: string, state: KeptRefreshToken['state'] = 'unused'): Promise<void> {
      const { sealer, engine } = services;
      const { provider, subject } = key;
      const found = await engine.identities.find({ provider, subject });
      if (found === null) throw new Error('there is no such identity');
      const sealed = await sealRefreshToken(sealer, { refreshToken, state }, clock.now());
      await engine.identities.note(found, { ...found, refreshToken: sealed });
    },
  };
}
