import type { Caller } from '../accounts/account.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { notFound } from '../domain/errors.ts';
import { sha256Of } from '../util/sha256.ts';
import type { Document, FoundVersion, OwnedVersion, Version } from './drop.ts';
import type { DropStore } from './drop-store.ts';

/** What owners read of versions. Every method throws DropError `not_found`. */
export function createVersionReads(deps: { drops: DropStore; html: BlobStore; contexts: BlobStore }) {
  const { drops, html, contexts } = deps;

  async function find(caller: Caller, slug: string, number: number | null): Promise<FoundVersion> {
    const found = await drops.findVersion(caller.ownerId, slug, number);
    if (found === null) throw notFound('version');
    return found;
  }

  /** A blob of the version, which may be removed at any time. */
  async function readBlob(store: BlobStore, caller: Caller, slug: string, { id, number }: Version) {
    const bytes = await store.get(id);
    if (bytes !== null) return bytes;
    const again = await find(caller, slug, number);
    if (again.version.id !== id) throw notFound('version');
    throw new Error(`A blob of version ${id} is missing`);
  }

  /** Markdown in UTF-8; null: none. */
  async function readContext(caller: Caller, slug: string, version: Version) {
    return version.hasContext ? readBlob(contexts, caller, slug, version) : null;
  }

  async function listVersions(caller: Caller, slug: string): Promise<OwnedVersion[]> {
    const versions = await drops.listVersions(caller.ownerId, slug);
    if (versions === null) throw notFound('drop');
    return versions;
  }

  return {
    /** Newest first. */
    listVersions,

    /** `context`: Markdown; null: none. `sha256` also if it is not stored. */
    async getVersion(caller: Caller, slug: string, number: number) {
      const { version, latestVersion } = await find(caller, slug, number);
      const bytes = await readContext(caller, slug, version);
      const context = bytes && Buffer.from(bytes).toString('utf8');
      const sha256 =
        version.sha256 ?? (await sha256Of(await readBlob(html, caller, slug, version))).toString('hex');
      return { version, context, sha256, isLatest: version.number === latestVersion };
    },

    /** @param number null: the latest one */
    findVersion: find,

    /** The bytes as they were posted. */
    readHtml: (caller: Caller, slug: string, version: Version): Promise<Uint8Array> =>
      readBlob(html, caller, slug, version),

    readContext,

    async readDocument(caller: Caller, slug: string, number: number): Promise<Document & Version> {
      const { version } = await find(caller, slug, number);
      const context = await readContext(caller, slug, version);
      return { ...version, html: await readBlob(html, caller, slug, version), context };
    },
  };
}
