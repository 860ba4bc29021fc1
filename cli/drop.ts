import type { Api, ApiAnswer, ApiRequest } from './http.ts';
import {
  fields,
  isBoolean,
  isCount,
  isEtag,
  isSlug,
  isText,
  isTime,
  isWebAddress,
  optional,
  type ShapeOf,
} from './shape.ts';

/** A drop as the service answers it: what of it this client uses. */
export const isDrop = fields({
  slug: isSlug,
  title: isText,
  url: isWebAddress,
  locked: isBoolean,
  latest_version: isCount,
  view_count: isCount,
  updated_at: isTime,
  /** Absent: none. */
  open_comments: optional(isCount),
  /** Unix ms; absent: never. */
  expires_at: optional(isTime),
});
export type Drop = ShapeOf<typeof isDrop>;

/** A drop, and what names its state in `If-Match`. */
export interface DropState {
  readonly drop: Drop;
  /** With its quotes; undefined: the answer had none, so conflicts cannot be found. */
  readonly etag: string | undefined;
}

/** @param path below `/api/drops`, as in `/abc` @throws CliError as `Api.request` does */
export async function requestDrop(
  api: Api,
  method: string,
  path: string,
  request?: ApiRequest,
): Promise<DropState> {
  const answer = await api.request(method, `/api/drops${path}`, request);
  return { drop: answer.json(isDrop), etag: readEtag(answer.headers) };
}

/** Proxies that compress mark an ETag as weak. */
function readEtag({ etag }: ApiAnswer['headers']): string | undefined {
  const strong = etag?.replace(/^W\//, '');
  return isEtag(strong) ? strong : undefined;
}

export function readLive(api: Api, slug: string): Promise<DropState> {
  return requestDrop(api, 'GET', `/${slug}`);
}
