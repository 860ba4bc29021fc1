import { type Identity, localIdentity } from '../accounts/account.ts';
import type { Config, SignInWay } from '../config/config.ts';
import { gitHubProvider } from '../sign-ins/github.ts';
import { openOidc } from './open-secrets.ts';

/**
 * The identity of a person who has not signed in yet. The issuer's exact name is read from the provider. @param subject the name of
 * a local account, the numeric user id at GitHub, or the `sub` at the OpenID provider
 * @throws Error that says in one sentence what is wrong
 */
export async function nameIdentity(config: Config, way: SignInWay, subject: string): Promise<Identity> {
  if (way === 'local') {
    const identity = localIdentity(subject);
    if (identity === null) throw new Error(`"${subject}" is not a name of a local account`);
    return identity;
  }
  if (way === 'github') {
    if (!/^[1-9]\d{0,15}$/.test(subject))
      throw new Error(
        `"${subject}" is not a user id of GitHub, which is a number: https://api.github.com/users/NAME has it`,
      );
    return { provider: gitHubProvider(config.GITHUB_URL), subject, name: subject };
  }
  const oidc = config.OIDC_ISSUER === '' ? null : openOidc({ ...config, SIGN_IN: 'oidc' });
  if (oidc === null) throw new Error('OIDC_ISSUER is not set: set the OIDC_… variables as for the service');
  const provider = await oidc.provider().catch((error: unknown) => {
    throw new Error(`the OpenID provider did not answer: ${reasonOf(error)}`);
  });
  return { provider, subject, name: subject };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? Object(error.cause) : {};
  return 'reason' in cause ? String(cause.reason) : String(error);
}
