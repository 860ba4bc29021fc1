import type { Request } from 'express';
import type { Config } from '../../../shared/config/config.ts';
import { checkBodyHeaders, collectBody } from '../../http/body.ts';
import { HttpError } from '../../http/http-error.ts';
import { multipartType, parseMultipart } from '../../http/multipart.ts';
import type { Admit, Session } from '../../http/session.ts';
import type { HeldBytes } from '../../server/held-bytes.ts';
import { type FormParts, textOf, tooLarge } from './document.ts';

/** The fields beside the document. */
const otherFieldsBytes = 64 * 1024;

/**
 * Reads a form that has a document, and admits it before the handler sees it. Its bytes count as held until the handler has
 * ended.
 * @throws HttpError 413, 415, DropError `html_too_large`; what `admit` throws
 */
export function createFormReceiver(config: Config, held: HeldBytes) {
  // Line breaks of pasted text are sent as CR LF.
  const maxBytes = 2 * config.HTML_MAX_BYTES + otherFieldsBytes;
  const rules = { maxBytes, tooLarge: () => tooLarge(config.HTML_MAX_BYTES) };

  return async (
    req: Request,
    session: Session,
    admit: Admit,
    handle: (admitted: Session, parts: FormParts) => Promise<void>,
  ): Promise<void> => {
    checkBodyHeaders(req, [multipartType], /^multipart\/form-data$/, 'invalid_arg');
    const { bytes, release } = await collectBody(req, session.caller.accountId, rules, held);
    try {
      const parts = await parseMultipart(req.headers['content-type'] ?? '', bytes);
      checkOtherFields(parts);
      await handle(await admit(textOf(parts, 'form_token')), parts);
    } finally {
      release();
    }
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
