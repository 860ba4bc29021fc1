import { type Config, signInWays, splitList } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import { randomBase62 } from '../domain/ids.ts';
import { JoseSealer } from '../secrets/jose.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { createGitHub } from '../sign-ins/github.ts';
import type { IdentityProvider } from '../sign-ins/identity-provider.ts';
import { OidcProvider } from '../sign-ins/oidc.ts';

/** A sign-in waits for two requests to the provider, and must be answered within ANSWER_MS. */
const providerTimeoutMs = 2_000;
const signingSecretLength = 43; // 256 bits

/** Seals with SIGNING_SECRET, or with a secret that the first process stores. @throws DropError `unavailable` */
export async function openSealer(config: Config, secrets: SecretStore, clock: Clock): Promise<Sealer> {
  const signingSecret =
    config.SIGNING_SECRET ||
    (await secrets.findOrCreate('signing-secret', randomBase62(signingSecretLength)));
  return new JoseSealer([signingSecret, ...splitList(config.SIGNING_SECRETS_ACCEPTED)], clock);
}

/** null: nobody signs in at GitHub. */
export function openGitHub(config: Config): IdentityProvider | null {
  if (!signInWays(config).includes('github')) return null;
  return createGitHub({
    clientId: config.GITHUB_CLIENT_ID,
    clientSecret: config.GITHUB_CLIENT_SECRET,
    url: config.GITHUB_URL,
    apiUrl: config.GITHUB_API_URL,
    readsEmail: config.SHARING === 'named',
    timeoutMs: providerTimeoutMs,
  });
}

/** null: nobody signs in at an OpenID provider. */
export function openOidc(config: Config): OidcProvider | null {
  if (!signInWays(config).includes('oidc')) return null;
  return new OidcProvider({
    issuer: config.OIDC_ISSUER,
    clientId: config.OIDC_CLIENT_ID,
    clientSecret: config.OIDC_CLIENT_SECRET,
    name: config.OIDC_NAME || new URL(config.OIDC_ISSUER).host,
    scopes: config.OIDC_SCOPES,
    groupsClaim: config.OIDC_GROUPS_CLAIM,
    trustsEmail: config.OIDC_TRUST_EMAIL,
    timeoutMs: providerTimeoutMs * 2,
  });
}
