import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';

/** `page`, or `frame` if the form is in a frame. A page of another origin can send it with no request. */
const header = 'x-dropleaf-form';

/**
 * Whether the script of our pages sends the form (browser/forms.ts). It gets what a navigation gets, but for two answers:
 * that of a session that has ended, and the address that a form leads to.
 */
export function isSentByScript({ headers }: IncomingMessage): boolean {
  return headers[header] !== undefined;
}

/** Whether a frame of ours shows the answer. */
export function isForFrame({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-dest'] === 'iframe' || headers[header] === 'frame';
}

/**
 * Leads the browser from a form to that path. A script gets the path itself: it cannot read where a redirect leads, and a request that
 * follows one does not tell the fragment, and would take what a page shows only once.
 */
export function leadTo(res: Response, path: string): void {
  res
    .status(isSentByScript(res.req) ? 204 : 303)
    .location(path)
    .end();
}
