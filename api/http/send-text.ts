import type { Response } from 'express';

/**
 * Sends the text whole. `res.send` would answer 304 to `If-None-Match: *`, which anybody may send, and nothing of ours
 * that goes this way has an ETag.
 * @param type of text, in UTF-8
 */
export function sendText(res: Response, status: number, type: string, text: string): void {
  res.statusCode = status;
  res.setHeader('Content-Type', `${type}; charset=utf-8`);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(res.req.method === 'HEAD' ? undefined : text);
}
