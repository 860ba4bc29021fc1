import type { Drop } from '../../shared/domain/drop.ts';
import { etagOf } from '../../shared/domain/revision.ts';
import { presentDrop } from '../drops/presenter.ts';
import type { Result } from './tool.ts';

/** A drop as the API answers it, with the ETag that the API has in a header. */
export function dropResult(drop: Drop, baseUrl: string): Result & { readonly address: string } {
  const shown = presentDrop(drop, baseUrl);
  return { address: shown.url, structured: { ...shown, etag: etagOf(drop) } };
}
