import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { randomBase62 } from '../../shared/domain/ids.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import type { PageParts } from '../html/layout.ts';
import { isNavigation } from '../http/answer-error.ts';
import { signInPaths } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { type Form, type Shown, show } from '../http/show.ts';
import { type Approver, createSignInCookie, type SignInProgress } from './cookie.ts';
import { problemPage } from './views.ts';

type Answered = Promise<Shown> | Shown;

const formTokenLength = 43; // 256 bits

export type SignInPages = ReturnType<typeof signInPages>;

/** Makes the routes of the sign-in pages. No cache stores any of them. */
export function signInPages({ services, readForm, layout }: RouteParts) {
  async function answer(res: Response, read: () => Answered): Promise<void> {
    res.setHeader('Cache-Control', 'no-store');
    show(res, await read(), (page) => layout.page({ ...page, styles: ['sign-in'] }));
  }

  const cookie = createSignInCookie(services);

  return {
    cookie,

    /** @param countsAs of the approver's account @returns the path of the approval page @throws DropError `rate_limited` */
    async askApprover(
      res: Response,
      { signInId, code, expiresAt }: SignInProgress,
      approver: Approver,
      countsAs: string,
    ): Promise<string> {
      await services.limits.take(limitTable.signInOfAccount, countsAs);
      const formToken = randomBase62(formTokenLength);
      await cookie.write(res, 'decide', { signInId, code, expiresAt, ...approver, formToken });
      return signInPaths.approve;
    },

    page(path: string, read: (req: Request, res: Response) => Answered): Route {
      return open('GET', path, (req, res) => answer(res, () => read(req, res)));
    },

    form(
      path: string,
      save: (req: Request, res: Response, form: Form) => Answered,
      maxBytes?: number,
    ): Route {
      return open('POST', path, (req, res) =>
        answer(res, async () => save(req, res, await readForm(req, maxBytes))),
      );
    },
  };
}

/** An error after which the user can only start again. */
interface Problem {
  readonly error: DropError;
  readonly title: string;
  /** Absent: the user enters a code again. */
  readonly retry?: { readonly href: string; readonly text: string };
}

/** @throws the error itself for a program, which gets the envelope alone */
export function problem(req: Request, { error, title, retry }: Problem): PageParts {
  if (!isNavigation(req)) throw error;
  return problemPage(title, error, retry ?? { href: signInPaths.code, text: 'Enter a code' });
}

/** The browser has no cookie for this step, or the sign-in has expired and the cookie with it. */
export function noSignInInProgress(): Problem {
  const message =
    'This browser has no sign-in in progress. The sign-in may have expired, or the browser may block cookies. Enter the code again.';
  return { error: new DropError('invalid_arg', message), title: 'No sign-in in progress' };
}

export function signInEnded(): Problem {
  const message =
    'This sign-in has expired, or it was already approved or denied. Start again on your device to get a new code.';
  return { error: new DropError('not_found', message), title: 'Sign-in ended' };
}
