import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import type { HtmlPage, PageParts } from '../html/layout.ts';
import { isNavigation, setStatusAndHeaders } from './answer-error.ts';
import { leadTo } from './form-script.ts';
import { sendPage } from './send.ts';

export type Form = ReadonlyMap<string, string>;

/** What the handler of a page answers: the page, or the path that the browser goes to. null: it has answered itself. */
export type Shown<P = PageParts> = P | string | null;

/** Answers with what a handler returned. @param lay puts the page into its frame */
export function show<P extends PageParts>(res: Response, shown: Shown<P>, lay: (page: P) => HtmlPage): void {
  if (shown === null) return;
  if (typeof shown === 'string') {
    leadTo(res, shown);
    return;
  }
  const { error, status = 200 } = shown;
  sendPage(res, error === undefined ? status : setStatusAndHeaders(res, error), lay(shown));
}

/**
 * Does what a form asks for. @param again the form with the error, for a person; a program gets the envelope alone, and a
 * session that has ended sees nothing of the account
 */
export async function orAgain<P>(
  req: Request,
  save: () => Promise<Shown<P>>,
  again: (error: DropError) => Promise<Shown<P>> | Shown<P>,
): Promise<Shown<P>> {
  try {
    return await save();
  } catch (error) {
    if (!(error instanceof DropError) || error.code === 'unauthorized' || !isNavigation(req)) throw error;
    return again(error);
  }
}
