import type { Request, Response } from 'express';
import { localIdentity } from '../../shared/domain/account.ts';
import { DropError, notFound } from '../../shared/domain/errors.ts';
import { tryWindowMs } from '../../shared/domain/windows.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { addressKey } from '../http/client-address.ts';
import { signInPaths } from '../http/paths.ts';
import { beginDecision } from './decision.ts';
import { localView } from './local-page.ts';
import { faultOf, nothingUnderWay, type SignInSite } from './site.ts';

/** GET and POST /sign-in/local: a name and the sign-in key, where no identity provider is set. */
export function localHandlers(site: SignInSite) {
  const { services, cookie, answers, stop, readForm, acceptsForm } = site;
  const { signInKey, limits, config } = services;

  function view(name: string, fault: { field: 'name' | 'key'; message: string } | null) {
    return localView({ action: signInPaths.local, name, fault });
  }

  /** @throws DropError `forbidden` for a wrong key, `rate_limited` after too many */
  async function checkKey(req: Request, key: string, expected: string): Promise<void> {
    // For each address and not for all together: nobody guesses 143 bits, but anybody could lock the owner out.
    const tries = [{ key: `key:${addressKey(req.ip)}`, limit: config.CODE_TRIES }];
    const giveBack = await limits.takeTry(tries, tryWindowMs);
    if (!constantTimeEqual(key, expected))
      throw new DropError('forbidden', 'The sign-in key is wrong.', { field: 'key' });
    await giveBack();
  }

  return {
    async showLocal(req: Request, res: Response): Promise<void> {
      if (signInKey === null) throw notFound('page');
      if ((await cookie.read(req, 'local')) === null) return stop(req, res, nothingUnderWay());
      answers.show(res, view('', null));
    },

    async signInLocally(req: Request, res: Response): Promise<void> {
      if (signInKey === null) throw notFound('page');
      if (!acceptsForm(req, res)) return;
      const work = await cookie.read(req, 'local');
      if (work === null) return stop(req, res, nothingUnderWay());
      const form = await readForm(req, res);
      const name = form.get('name') ?? '';
      const identity = localIdentity(name);
      if (identity === null) {
        const message =
          'A name has 1 to 39 of a-z, 0-9, dot, dash and underscore, and starts with a letter or digit.';
        const error = new DropError('invalid_arg', message, { field: 'name' });
        return answers.refuse(req, res, error, view(name, { field: 'name', message }));
      }
      try {
        await checkKey(req, (form.get('key') ?? '').trim(), signInKey);
      } catch (error) {
        if (!(error instanceof DropError)) throw error;
        return answers.refuse(req, res, error, view(name, { field: 'key', message: faultOf(error) }));
      }
      await beginDecision(site, req, res, work, identity);
    },
  };
}
