import type { Answer, Client, RequestOptions } from './client.ts';
import type { WireBody, WireDrop } from './wire.ts';

/** Somebody with a token: a client whose every request carries it, and the calls that tests make most. */
export interface Owner {
  readonly userId: string;
  readonly name: string;
  readonly token: string;
  request<T = WireBody>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>>;
  get<T = WireBody>(path: string, options?: RequestOptions): Promise<Answer<T>>;
  /** POST /api/drops with a title and html, unless `fields` has others (undefined: without). */
  post(fields?: object): Promise<Answer>;
  create(fields?: object): Promise<WireDrop>;
  /** PUT with html, unless `fields` has another. */
  put(slug: string, fields?: object): Promise<Answer>;
}

export function createOwner(client: Client, userId: string, name: string, token: string): Owner {
  const request: Owner['request'] = (method, path, options) =>
    client.request(method, path, { token, ...options });

  const post = (fields: object = {}) =>
    request('POST', '/api/drops', { body: { title: 'A title', html: '<p>A page', ...fields } });

  return {
    userId,
    name,
    token,
    request,
    get: (path, options) => request('GET', path, options),
    post,
    async create(fields) {
      const { status, body, text } = await post(fields);
      if (status !== 201) throw new Error(`POST /api/drops was answered ${status}: ${text}`);
      return body;
    },
    put: (slug, fields = {}) =>
      request('PUT', `/api/drops/${slug}`, { body: { html: '<p>Another page', ...fields } }),
  };
}
