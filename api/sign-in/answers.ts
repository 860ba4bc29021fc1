import type { Request, Response } from 'express';
import type { DropError } from '../../shared/domain/errors.ts';
import { envelopeData } from '../html/envelope.ts';
import type { Html } from '../html/html.ts';
import { page, policyOf } from '../html/layout.ts';
import { isNavigation, setErrorHeaders } from '../http/answer-error.ts';
import { presentError } from '../http/http-error.ts';
import { sendPage } from '../http/send.ts';
import { signInStyle } from './style.ts';
import type { View } from './view.ts';

export type SignInAnswers = ReturnType<typeof createSignInAnswers>;

/** How the pages of the sign-in answer. None of it is ever stored. */
export function createSignInAnswers() {
  function send(res: Response, status: number, view: View, envelope: Html | null): void {
    const whole = page({ ...view, css: signInStyle, ...(envelope && { head: envelope }) });
    res.setHeader('Cache-Control', 'no-store');
    // Forms lead to pages of ours alone: to the identity provider goes a link (leaving.ts).
    sendPage(res, status, { html: whole.html, csp: policyOf(whole, { 'form-action': "'self'" }) });
  }

  return {
    show(res: Response, view: View): void {
      send(res, 200, view, null);
    },

    /** To a page of ours, by GET. */
    redirect(res: Response, location: string): void {
      res.setHeader('Cache-Control', 'no-store');
      res.redirect(303, location);
    },

    /**
     * A refusal: for a person the view, which carries the envelope; for a program the envelope alone.
     * @throws the error itself, for the one place that writes envelopes
     */
    refuse(req: Request, res: Response, error: DropError, view: View): void {
      if (!isNavigation(req)) throw error;
      send(res, setErrorHeaders(res, error), view, envelopeData(presentError(error)));
    },
  };
}
