import type { Caller } from '../accounts/account.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { notFound } from '../domain/errors.ts';
import type { ListsAtOnce } from '../limits/lists-at-once.ts';
import { sha256Of } from '../util/sha256.ts';
import type { Document, Drop, FoundVersion, OwnedVersion, Version } from './drop.ts';
import type { DropQuery, TagCount } from './drop-query.ts';
import type { DropStore } from './drop-store.ts';

export interface OwnerReadsDeps {
  readonly drops: DropStore;
  readonly html: BlobStore;
  readonly contexts: BlobStore;
  readonly runList: ListsAtOnce;
}

/** What owners read of their drops. The methods that name a drop or a version throw DropError `not_found`. */
export class OwnerReads {
  readonly #deps: OwnerReadsDeps;

  constructor(deps: OwnerReadsDeps) {
    this.#deps = deps;
  }

  async get(caller: Caller, slug: string): Promise<Drop> {
    const drop = await this.#deps.drops.find(caller.accountId, slug);
    if (drop === null) throw notFound('drop');
    return drop;
  }

  listSlugs({ accountId }: Caller): Promise<string[]> {
    return this.#deps.drops.listSlugs(accountId);
  }

  /** @throws DropError `unavailable` if too many lists of the account wait */
  list({ accountId }: Caller, query: DropQuery): Promise<{ drops: Drop[]; total: number }> {
    const { drops, runList } = this.#deps;
    return runList(accountId, () => drops.list(accountId, query));
  }

  /** At most `limit`. @throws DropError `unavailable` as `list` */
  countTags({ accountId }: Caller, limit: number): Promise<TagCount[]> {
    const { drops, runList } = this.#deps;
    return runList(accountId, () => drops.countTags(accountId, limit));
  }

  /** Newest first. */
  async listVersions(caller: Caller, slug: string): Promise<OwnedVersion[]> {
    const versions = await this.#deps.drops.listVersions(caller.accountId, slug);
    if (versions === null) throw notFound('drop');
    return versions;
  }

  /** @param number null: the latest one */
  async findVersion(caller: Caller, slug: string, number: number | null): Promise<FoundVersion> {
    const found = await this.#deps.drops.findVersion(caller.accountId, slug, number);
    if (found === null) throw notFound('version');
    return found;
  }

  /** `context`: Markdown; null: none. `sha256` also if it is not stored. */
  async getVersion(caller: Caller, slug: string, number: number) {
    const { version, latestVersion } = await this.findVersion(caller, slug, number);
    const bytes = await this.readContext(caller, slug, version);
    const context = bytes && Buffer.from(bytes).toString('utf8');
    const sha256 = version.sha256 ?? toHex(await sha256Of(await this.readHtml(caller, slug, version)));
    return { version, context, sha256, isLatest: version.number === latestVersion };
  }

  /** The bytes as they were posted. */
  readHtml(caller: Caller, slug: string, version: Version): Promise<Uint8Array> {
    return this.#readBlob(this.#deps.html, caller, slug, version);
  }

  /** Markdown in UTF-8; null: none. */
  async readContext(caller: Caller, slug: string, version: Version): Promise<Uint8Array | null> {
    if (!version.hasContext) return null;
    return this.#readBlob(this.#deps.contexts, caller, slug, version);
  }

  async readDocument(caller: Caller, slug: string, number: number): Promise<Document & Version> {
    const { version } = await this.findVersion(caller, slug, number);
    const context = await this.readContext(caller, slug, version);
    const html = await this.readHtml(caller, slug, version);
    return { ...version, html, context };
  }

  /** A blob of the version, which may be removed at any time. */
  async #readBlob(
    blobs: BlobStore,
    caller: Caller,
    slug: string,
    { id, number }: Version,
  ): Promise<Uint8Array> {
    const bytes = await blobs.get(id);
    if (bytes !== null) return bytes;
    const again = await this.findVersion(caller, slug, number);
    if (again.version.id !== id) throw notFound('version');
    throw new Error(`A blob of version ${id} is missing`);
  }
}

function toHex(digest: Buffer): string {
  return digest.toString('hex');
}
