import type { Response } from 'express';
import { sendText } from './send-text.ts';

/** Sends one of our own pages under its own policy. */
export function sendPage(res: Response, status: number, page: { html: string; csp: string }): void {
  res.setHeader('Content-Security-Policy', page.csp);
  sendText(res, status, 'text/html', page.html);
}
