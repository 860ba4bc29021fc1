import type { Request, Response } from 'express';
import { isHttps } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { waitText } from '../html/wait.ts';
import type { ReadForm } from '../http/form.ts';
import { isFromOwnPage } from '../http/form.ts';
import { codePathWith, signInPaths } from '../http/paths.ts';
import { createSignInAnswers, type SignInAnswers } from './answers.ts';
import { createSignInCookie, type SignInCookie } from './cookie.ts';
import { problemView } from './end-pages.ts';

/** What the pages of the sign-in share. */
export interface SignInSite {
  readonly services: Services;
  readonly readForm: ReadForm;
  readonly cookie: SignInCookie;
  readonly answers: SignInAnswers;
  /** A refusal that leads no further, with a button to begin anew. */
  readonly stop: (req: Request, res: Response, problem: Problem) => void;
  /** Whether the form came from a page of ours; refuses it otherwise. */
  readonly acceptsForm: (req: Request, res: Response) => boolean;
}

interface Problem {
  readonly error: DropError;
  readonly title: string;
  /** To fill in again; absent where it would not help. */
  readonly code?: string;
}

export function createSignInSite(services: Services, readForm: ReadForm): SignInSite {
  const { sealer, clock, config } = services;
  const { origin } = new URL(config.BASE_URL);
  const answers = createSignInAnswers();

  function stop(req: Request, res: Response, { error, title, code }: Problem): void {
    const next =
      code === undefined
        ? { href: signInPaths.code, text: 'Enter a code' }
        : { href: codePathWith(code), text: 'Try again' };
    answers.refuse(req, res, error, problemView({ title, message: error.message, next }));
  }

  function acceptsForm(req: Request, res: Response): boolean {
    if (isFromOwnPage(req, origin)) return true;
    const message = `This form was sent from somewhere else. Open ${config.BASE_URL}${signInPaths.code} and use that page.`;
    stop(req, res, { error: new DropError('forbidden', message), title: 'Not from here' });
    return false;
  }

  const cookie = createSignInCookie({ sealer, clock, isSecure: isHttps(config) });
  return { services, readForm, cookie, answers, stop, acceptsForm };
}

/** There is no cookie, or the sign-in's time is over and the cookie's with it. */
export function nothingUnderWay(): { error: DropError; title: string } {
  const message =
    'No sign-in is under way in this browser: it may have expired, or cookies may be blocked. Enter the code again.';
  return { error: new DropError('invalid_arg', message), title: 'Nothing to continue' };
}

/** The sign-in was live a moment ago and is not any more. */
export function overMeanwhile(): { error: DropError; title: string } {
  const message =
    'This sign-in has expired or was decided already. Start again on your device to get a new code.';
  return { error: new DropError('not_found', message), title: 'Too late' };
}

/** An error for the person who made it, with the time to wait where there is one. */
export function faultOf(error: DropError): string {
  const wait = waitText(error.details?.retry_after_seconds);
  return wait === null ? error.message : `${error.message} Try again in ${wait}.`;
}
