import type { Caller } from '../../shared/accounts/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Document } from '../../shared/drops/drop.ts';
import type { NewDropInput, NewVersionInput } from '../../shared/drops/drops.ts';
import type { DropChanges } from '../../shared/drops/sharing.ts';
import type { Titles } from '../../shared/drops/titles.ts';
import { readResolvesQuery } from '../comments/resolves.ts';
import type { Query } from '../http/parameters.ts';
import { metadataPrefix } from '../http/parameters.ts';
import { validationError } from '../http/validate.ts';
import { htmlRequired, readTime, titleRequired } from './fields.ts';
import type { DropBodyReaders, UntitledDropInput } from './requests.ts';

/** URLs are logged by proxies and kept in shell histories, so these may only come in a JSON body. */
const secretNames = ['passcode', 'context'];

/** Reads a POST or PUT of a drop whose body is the document itself: its details are in the query. */
export class HtmlBodyReaders {
  readonly #bodies: DropBodyReaders;
  readonly #titles: Titles;
  /** Besides `metadata.<key>`. */
  readonly #detailNames: readonly string[];

  constructor(bodies: DropBodyReaders, titles: Titles) {
    const { metadata: _, ...details } = bodies.schemas.query.fields;
    this.#bodies = bodies;
    this.#titles = titles;
    this.#detailNames = Object.keys(details);
  }

  /** PUT /api/drops/{slug} */
  readReplace(html: Uint8Array, query: Query): NewVersionInput {
    return { ...this.#read(html, query), resolves: readResolvesQuery(query) };
  }

  /** POST /api/drops. Without a title in the query, it is that of the document. @throws DropError `title_required` if it has none */
  async readCreate(caller: Caller, html: Uint8Array, query: Query): Promise<NewDropInput> {
    const absent = {
      title: null,
      description: null,
      metadata: new Map(),
      expiresAt: null,
      comments: 'owner',
    } as const;
    const input = { ...absent, ...this.#read(html, query), passcode: null };
    return withTitle(this.#titles, caller, input, 'add ?title=… to the address');
  }

  #read(html: Uint8Array, query: Query): Document & DropChanges {
    const changes = this.#bodies.readDetails(toDetails(query, this.#detailNames));
    checkNotEmpty(html);
    return { html, context: null, ...changes };
  }
}

/** @throws DropError `html_required` */
export function checkNotEmpty(html: Uint8Array): void {
  if (html.length === 0) throw validationError([{ field: 'html', ...htmlRequired }]);
}

/**
 * The parameters as the fields of a JSON body. Other parameters are ignored, as in every query.
 * @param detailNames besides `metadata.<key>`
 */
function toDetails(query: Query, detailNames: readonly string[]): Record<string, unknown> {
  for (const [name, value] of Object.entries(query)) {
    if (secretNames.includes(name)) throw notInQuery(name);
    if (Array.isArray(value) && (detailNames.includes(name) || name.startsWith(metadataPrefix)))
      throw new DropError('invalid_arg', `${name} must be given once`, { field: name });
  }
  const metadata = Object.entries(query).filter(([name]) => name.startsWith(metadataPrefix));
  const tags = metadata.map(([name, value]) => [name.slice(metadataPrefix.length), value]);
  const { expires_at: expiresAt, people } = query;
  return {
    ...Object.fromEntries(Object.entries(query).filter(([name]) => detailNames.includes(name))),
    ...(typeof expiresAt === 'string' && { expires_at: readTime(expiresAt) }),
    ...(typeof people === 'string' && { people: people === '' ? [] : people.split(',') }),
    ...(tags.length > 0 && { metadata: Object.fromEntries(tags) }),
  };
}

function notInQuery(name: string): DropError {
  const message = `${name} must not be in the address, which proxies log: send a JSON body with html and ${name}`;
  return new DropError('invalid_arg', message, { field: name });
}

/**
 * A new drop that was sent without a title has that of its document. @param otherwise another way to give a title
 * @throws DropError `title_required` if the document has none; as `Titles.find`
 */
export async function withTitle(
  titles: Titles,
  caller: Caller,
  input: UntitledDropInput,
  otherwise: string,
): Promise<NewDropInput> {
  const title = input.title ?? (await titles.find(caller, input.html));
  if (title !== null) return { ...input, title };
  const message = `${titleRequired.message}: give the document a <title> in its head, or ${otherwise}`;
  throw validationError([{ field: 'title', ...titleRequired, message }]);
}
