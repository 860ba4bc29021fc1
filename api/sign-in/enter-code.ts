import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { quotasOf } from '../../shared/limits/visitor.ts';
import { readCode, type SignIn } from '../../shared/sign-ins/sign-in.ts';
import { visitorOf } from '../http/client-address.ts';
import { signInPaths } from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import { orAgain, type Shown } from '../http/show.ts';
import type { SignInPages } from './pages.ts';
import { codePage, providerPage } from './views.ts';

/** Enough to show a mistyped code again. */
const shownCodeLength = 24;

/** GET and POST /sign-in: the user enters the code. */
export function codeRoutes(
  { signIns, limits, identityProvider, config }: Services,
  { cookie, page, form }: SignInPages,
): readonly Route[] {
  const codeForm = (code: string, error?: DropError) => codePage(code, identityProvider?.name ?? null, error);

  /** @throws DropError `invalid_arg`, `not_found` for a wrong code, `rate_limited` */
  async function findSignIn(req: Request, typed: string): Promise<SignIn> {
    if (readCode(typed) === null) {
      throw new DropError('invalid_arg', 'The code must have 8 letters, such as BCDF-GHJK.', {
        field: 'code',
      });
    }
    const visitor = visitorOf(req.ip);
    const signIn = await limits.attempts.code.run({
      visitor,
      quotas: quotasOf('code', visitor, config.CODE_TRIES),
      check: () => signIns.findByCode(typed),
      counts: (found) => found === null,
    });
    if (signIn !== null) return signIn;
    const message =
      'This code is not valid. Check it for typing errors. If it has expired or was already used, start again on your device.';
    throw new DropError('not_found', message, { field: 'code' });
  }

  /** Leads to the identity provider, or to the page that asks for the sign-in key. */
  async function authenticate(res: Response, { id, expiresAt }: SignIn, code: string): Promise<Shown> {
    const progress = { signInId: id, code, expiresAt };
    if (identityProvider === null) {
      await cookie.write(res, 'local', progress);
      return signInPaths.local;
    }
    const { url, visit } = await identityProvider.begin(config.BASE_URL + signInPaths.callback);
    await cookie.write(res, 'visit', { ...progress, visit });
    return providerPage(identityProvider.name, url, 'You then return here to approve or deny the request.');
  }

  return [
    page(signInPaths.code, (req) => {
      const { code } = req.query;
      return codeForm(typeof code === 'string' ? (readCode(code) ?? '') : '');
    }),

    form(signInPaths.code, (req, res, sent) => {
      const typed = sent.get('code') ?? '';
      const find = async () => authenticate(res, await findSignIn(req, typed), readCode(typed) ?? typed);
      return orAgain(req, find, (error) => codeForm(typed.slice(0, shownCodeLength), error));
    }),
  ];
}
