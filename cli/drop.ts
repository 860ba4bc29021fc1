import type { Api, ApiAnswer, ApiRequest } from './http.ts';

/** A drop as the service answers it: what of it this client uses. */
export interface Drop {
  readonly slug: string;
  readonly title: string;
  readonly url: string;
  readonly locked: boolean;
  readonly latest_version: number;
  readonly view_count: number;
  readonly updated_at: number;
  /** Unix ms; absent: never. */
  readonly expires_at?: number;
}

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
  const { body, headers } = await api.request<Drop>(method, `/api/drops${path}`, request);
  return { drop: body, etag: readEtag(headers) };
}

/** Proxies that compress mark an ETag as weak. */
function readEtag(headers: ApiAnswer<unknown>['headers']): string | undefined {
  return headers.etag?.replace(/^W\//, '');
}

/** @throws CliError as `Api.request` does */
export function readLive(api: Api, slug: string): Promise<DropState> {
  return requestDrop(api, 'GET', `/${slug}`);
}
