import { type Config, signInWays } from '../config/config.ts';

/** Where each provider sends the browser back: the answer of one is never taken for another's. Below the sign-in pages' path. */
export const callbackPaths = {
  oidc: '/sign-in/oidc/callback',
  github: '/sign-in/github/callback',
} as const;

/** A way to sign in that leads to an identity provider. */
export type ProviderWay = keyof typeof callbackPaths;

/** What the operator registers at each provider by which people sign in. */
export function callbackUrls(config: Config): { readonly way: ProviderWay; readonly url: string }[] {
  return signInWays(config).flatMap((way) =>
    way === 'local' ? [] : { way, url: config.BASE_URL + callbackPaths[way] },
  );
}
