import type { Request } from 'express';
import type { Config } from '../../../shared/config/config.ts';
import type { ReadBody } from '../../http/body.ts';
import { HttpError } from '../../http/http-error.ts';
import { multipartBody, parseMultipart } from '../../http/multipart.ts';
import type { Admit, Session } from '../../http/session.ts';
import { type FormParts, textOf, tooLarge } from './document.ts';

/** The fields beside the document. */
const otherFieldsBytes = 64 * 1024;

/**
 * Reads a form that has a document, and admits it before the handler sees it.
 * @throws HttpError 413, 415, DropError `html_too_large`; what `admit` throws
 */
export function createFormReceiver(config: Config, readBody: ReadBody) {
  // Line breaks of pasted text are sent as CR LF.
  const maxBytes = 2 * config.HTML_MAX_BYTES + otherFieldsBytes;
  const rules = { ...multipartBody, maxBytes, tooLarge: () => tooLarge(config.HTML_MAX_BYTES) };

  return async (
    req: Request,
    session: Session,
    admit: Admit,
    handle: (admitted: Session, parts: FormParts) => Promise<void>,
  ): Promise<void> => {
    await readBody(req, session.caller.accountId, rules, async (bytes) => {
      const parts = await parseMultipart(req.headers['content-type'] ?? '', bytes);
      checkOtherFields(parts);
      await handle(await admit(textOf(parts, 'form_token')), parts);
    });
  };
}

/** Megabytes of tags would be read, checked and shown again for seconds. @throws HttpError 413 */
function checkOtherFields(parts: FormParts): void {
  let size = 0;
  for (const [name, { bytes }] of parts) if (name !== 'html' && name !== 'file') size += bytes.byteLength;
  if (size <= otherFieldsBytes) return;
  const message = `The fields beside the document must have at most ${otherFieldsBytes} bytes together`;
  throw new HttpError(413, 'invalid_arg', message, { field: 'form', max_bytes: otherFieldsBytes });
}
