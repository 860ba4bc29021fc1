import type { IncomingMessage, ServerResponse } from 'node:http';
import { isHttps } from '../../shared/config/config.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { cookieName, readCookies, setCookie } from './cookies.ts';

/**
 * A cookie for a few pages, whose content nobody else can read or make. @param Contents by step: no other step accepts it
 * @param rules path: where the browser sends it; on https `/`, because `__Host-` keeps sibling domains from setting it
 */
export function createSealedCookie<
  Contents extends { [S in keyof Contents]: { readonly expiresAt: number } },
>(
  { sealer, clock, config }: Pick<Services, 'sealer' | 'clock' | 'config'>,
  { name, path, purpose }: { readonly name: string; readonly path: string; readonly purpose: string },
) {
  const isSecure = isHttps(config);
  const rules = { path: isSecure ? '/' : path, isSecure };
  const purposeOf = (step: keyof Contents) => `${purpose} ${String(step)}`;
  return {
    /** @returns null if the cookie is missing, expired, or of another step */
    async read<S extends keyof Contents>(req: IncomingMessage, step: S): Promise<Contents[S] | null> {
      for (const value of readCookies(req.headers.cookie, cookieName(name, rules))) {
        const content = await sealer.open(purposeOf(step), value);
        if (content !== null) return content as Contents[S]; // proof: `write` sealed it for this step
      }
      return null;
    },

    async write<S extends keyof Contents>(res: ServerResponse, step: S, content: Contents[S]): Promise<void> {
      const seconds = Math.max(0, Math.floor((content.expiresAt - clock.now()) / 1000));
      const sealed = await sealer.seal(purposeOf(step), content, content.expiresAt);
      setCookie(res, name, sealed, { ...rules, seconds });
    },

    clear(res: ServerResponse): void {
      setCookie(res, name, '', { ...rules, seconds: 0 });
    },
  };
}
