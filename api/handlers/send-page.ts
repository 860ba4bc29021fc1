import type { Response } from 'express';

/** Sends one of our own pages under its own policy. */
export function sendPage(res: Response, status: number, page: { html: string; csp: string }): void {
  res.status(status).setHeader('Content-Security-Policy', page.csp);
  res.type('text/html; charset=utf-8').send(page.html);
}
