import type { Drop } from '../../shared/domain/drop.ts';
import { etagOf } from '../../shared/domain/revision.ts';
import { dropShape, presentDrop } from '../drops/presenter.ts';
import { fields, type JsonSchema, text } from '../openapi/shape.ts';
import { inlined, type Result } from './tool.ts';

/** A drop as the API answers it, with the ETag that the API has in a header. */
export const dropOutput = joined(
  inlined(dropShape),
  fields({ etag: text('Changes with each change of the drop. For if_match.') }).schema,
);

export function dropResult(drop: Drop, baseUrl: string): Result & { readonly address: string } {
  const shown = presentDrop(drop, baseUrl);
  return { address: shown.url, structured: { ...shown, etag: etagOf(drop) } };
}

/** The schema of an object with the fields of both. */
export function joined(a: JsonSchema, b: JsonSchema): JsonSchema {
  const [one, other] = [a, b] as readonly { properties?: object; required?: readonly string[] }[]; // proof: of `fields`
  return {
    ...a,
    properties: { ...one?.properties, ...other?.properties },
    required: [...(one?.required ?? []), ...(other?.required ?? [])],
  };
}
