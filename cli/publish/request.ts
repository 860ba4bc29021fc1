import type { ApiRequest } from '../http.ts';
import type { Page } from './page.ts';

/** What the user wants of the drop, besides the page. Absent fields stay as they are. */
export interface PublishOptions {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Replace all tags. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Unix ms; null: never. */
  readonly expiresAt?: number | null | undefined;
  readonly passcode?: string | undefined;
  /** Who may write comments, besides the owner. */
  readonly comments?: string | undefined;
  /** Who may read the page, besides the owner. */
  readonly access?: string | undefined;
  /** With access `named`: all who are named. */
  readonly people?: readonly string[] | undefined;
  /** Ids of comments that the new version resolves; it is made also if the page has not changed, unless they are resolved already. */
  readonly resolves?: readonly string[] | undefined;
  /** To each of them. */
  readonly reply?: string | undefined;
  /** Makes a new drop, whatever is remembered. */
  readonly isNew?: boolean | undefined;
  /** The drop to publish to, whatever is remembered. */
  readonly slug?: string | undefined;
  /** Publishes an unchanged page too, and overwrites what others published. */
  readonly isForced?: boolean | undefined;
}

/** A service accepts 16 KiB of headers, with the address in them. */
const maxQuery = 4000;

/** POST or PUT of a page, as bytes if possible. Context, passcode, people and reply go into JSON, because servers log addresses. */
export function pageRequest(page: Page, options: PublishOptions, headers: ApiRequest['headers']): ApiRequest {
  const { title, description, tags = {}, expiresAt, passcode, comments, access, people } = options;
  const { resolves, reply } = options;
  const query = {
    title,
    description,
    expires_at: expiresAt?.toString(),
    comments,
    access,
    ...Object.fromEntries(Object.entries(tags).map(([name, value]) => [`metadata.${name}`, value])),
  };
  const fitsQuery = JSON.stringify(query).length * 3 < maxQuery;
  const mayBeLogged =
    page.context === null && passcode === undefined && people === undefined && resolves === undefined;
  if (mayBeLogged && expiresAt !== null && fitsQuery) {
    return { headers: { ...headers, 'Content-Type': 'text/html' }, query, bytes: page.bytes };
  }
  const context = page.context === null ? {} : { context: page.context.text };
  const lock = passcode === undefined ? {} : { passcode };
  const resolved = { resolves, resolves_reply: reply };
  const json = { ...detailsOf(options), html: page.html, ...context, ...lock, ...resolved };
  return { headers: { ...headers }, json };
}

/** The body of PATCH; empty: nothing was asked for. */
export function detailsOf(options: PublishOptions): Record<string, unknown> {
  const { title, description, tags, expiresAt, comments, access, people } = options;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(tags !== undefined && { metadata: tags }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(comments !== undefined && { comments }),
    ...(access !== undefined && { access }),
    ...(people !== undefined && { people }),
  };
}
