import type { Request, Response } from 'express';
import { isHttps } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { envelopeData, errorText } from '../html/error-page.ts';
import { type Html, html } from '../html/html.ts';
import type { Layout } from '../html/layout.ts';
import { isNavigation, setStatusAndHeaders } from '../http/answer-error.ts';
import type { ReadForm } from '../http/form.ts';
import { presentError } from '../http/http-error.ts';
import { signInPaths } from '../http/paths.ts';
import { sendPage } from '../http/send.ts';
import { createSignInCookie } from './cookie.ts';
import { problemView, type View } from './views.ts';

/** An error after which the user can only start again. */
interface Problem {
  readonly error: DropError;
  readonly title: string;
  /** Absent: the user enters a code again. */
  readonly retry?: { readonly href: string; readonly text: string };
}

export type SignInContext = ReturnType<typeof createSignInContext>;

/** What all sign-in pages share. No cache stores any of them. */
export function createSignInContext(services: Services, readForm: ReadForm, layout: Layout) {
  const { sealer, clock, config } = services;

  function send(res: Response, status: number, view: View, head: Html | null): void {
    res.setHeader('Cache-Control', 'no-store');
    const parts = { ...view, styles: ['sign-in'], head: html`${view.head}${head}` };
    sendPage(res, status, layout.page(parts));
  }

  /** Shows the error to a person as the view. @throws the error itself for a program, which gets the envelope alone */
  function refuse(req: Request, res: Response, error: DropError, view: View): void {
    if (!isNavigation(req)) throw error;
    send(res, setStatusAndHeaders(res, error), view, envelopeData(presentError(error)));
  }

  function showProblem(req: Request, res: Response, { error, title, retry }: Problem): void {
    const next = retry ?? { href: signInPaths.code, text: 'Enter a code' };
    refuse(req, res, error, problemView({ title, message: errorText(error), next }));
  }

  return {
    services,
    readForm,
    cookie: createSignInCookie({ sealer, clock, isSecure: isHttps(config) }),
    refuse,
    /** Refuses with a page whose only link leads to the code form. */
    showProblem,

    show(res: Response, view: View): void {
      send(res, 200, view, null);
    },

    /** Redirects to another sign-in page. */
    redirect(res: Response, location: string): void {
      res.setHeader('Cache-Control', 'no-store');
      res.redirect(303, location);
    },
  };
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
