import type { ServerResponse } from 'node:http';
import type { Drop } from '../../shared/domain/drop.ts';
import { etagOf } from '../../shared/domain/revision.ts';
import type { Written } from '../../shared/services/idempotency.ts';
import { sendJson } from '../http/send.ts';
import { presentDrop } from './presenter.ts';

/** Sends one drop, with its ETag. The ETag is for If-Match only: `view_count` changes without it, so no GET is answered 304. */
export function sendDrop(res: ServerResponse, drop: Drop, baseUrl: string, status = 200): void {
  res.setHeader('ETag', etagOf(drop));
  sendJson(res, presentDrop(drop, baseUrl), status);
}

/** Sends the drop of a write, and says whether an earlier request with the same Idempotency-Key did it. */
export function sendWritten(
  res: ServerResponse,
  { drop, isReplayed }: Written,
  baseUrl: string,
  status = 200,
): void {
  if (isReplayed) res.setHeader('Idempotency-Replayed', 'true');
  sendDrop(res, drop, baseUrl, status);
}
