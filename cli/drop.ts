import { createHash } from 'node:crypto';
import { CliError, exitCodes } from './errors.ts';
import {
  type Guarded,
  hasFields,
  isAbsentOr,
  isBoolean,
  isCount,
  isEtag,
  isListOf,
  isSlug,
  isText,
  isTime,
  isWebAddress,
} from './guards.ts';
import { type Api, type ApiAnswer, type ApiRequest, foreignAnswer } from './http.ts';

/** A drop as the service answers it: what of it this client uses. */
export const isDrop = hasFields({
  slug: isSlug,
  title: isText,
  url: isWebAddress,
  locked: isBoolean,
  latest_version: isCount,
  view_count: isCount,
  updated_at: isTime,
  /** Absent: none. */
  open_comments: isAbsentOr(isCount),
  /** Unix ms; absent: never. */
  expires_at: isAbsentOr(isTime),
  /** Absent: everybody who has the address may read it. */
  access: isAbsentOr(isText),
  /** Of access `named` alone. */
  people: isAbsentOr(isListOf(isText)),
});
export type Drop = Guarded<typeof isDrop>;

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

/**
 * The source of a page, byte for byte. @param version null: the live one
 * @throws CliError as `Api.request` does, and if the bytes are not those that the service sent
 */
export async function readSourceOf(api: Api, slug: string, version: number | null): Promise<Uint8Array> {
  const path = `/api/drops/${slug}${version === null ? '' : `/v/${version}`}/html`;
  const answer = await api.request('GET', path).catch(async (error: unknown) => {
    // The service says only that there is no such version.
    if (error instanceof CliError && error.status === 404) await readLive(api, slug);
    throw error;
  });
  const { headers, bytes } = answer;
  // A network that asks to sign in answers with a page of its own, which is no attachment.
  if (!headers['content-disposition']?.startsWith('attachment')) throw foreignAnswer(`GET ${path}`, answer);
  const told = /sha-256=:([^:]*):/.exec(String(headers['repr-digest'] ?? ''))?.[1];
  if (told === undefined || told === createHash('sha256').update(bytes).digest('base64')) return bytes;
  throw new CliError('the page was changed on its way here: try again', { exitCode: exitCodes.network });
}
