import type { Caller } from '../accounts/account.ts';
import { DropError, notFound, unavailable } from '../domain/errors.ts';
import type { Version } from '../drops/drop.ts';
import type { Drops } from '../drops/drops.ts';
import type { CompareDocuments, ComparedDocument, DiffFormat } from '../html/compared-lines.ts';
import { FairQueue } from '../util/fair-queue.ts';

const maxWaiting = 32;

export interface DiffRequest {
  /** null: the version before `to`. */
  readonly from: number | null;
  /** null: the latest. */
  readonly to: number | null;
  readonly format: DiffFormat;
}

interface Deps {
  readonly drops: Pick<Drops, 'listVersions' | 'readHtml'>;
  readonly compare: CompareDocuments;
}

/** What changed between two versions. The owners take fair turns: a comparison waits for one of each other owner. */
export class Diffs {
  readonly #drops: Deps['drops'];
  readonly #compare: CompareDocuments;
  readonly #turns = new FairQueue(1, maxWaiting);

  constructor({ drops, compare }: Deps) {
    this.#drops = drops;
    this.#compare = compare;
  }

  /**
   * A unified diff, '' if the two are the same, and the numbers of the versions.
   * @throws DropError `not_found` if there is no such drop or version; `invalid_arg` if there is no version before `to`, or
   *   if the two cannot be compared in time; `unavailable` if too many comparisons wait
   */
  async compare(caller: Caller, slug: string, { from, to, format }: DiffRequest) {
    const versions = await this.#drops.listVersions(caller, slug);
    const newer = to === null ? versions[0] : versions.find(({ number }) => number === to);
    if (newer === undefined) throw notFound('version');
    const older = versions.find(({ number }) => (from === null ? number < newer.number : number === from));
    if (older === undefined) throw from === null ? nothingBefore(newer) : notFound('version');
    const numbers = { from: older.number, to: newer.number };
    if (older.id === newer.id) return { ...numbers, diff: '' };
    const compared = await this.#turns.run([caller.accountId], async () => {
      const before = await this.#document(caller, slug, older, format);
      const after = await this.#document(caller, slug, newer, format);
      return { diff: await this.#compare(before, after, format) };
    });
    if (compared === undefined) throw unavailable('Too many versions are being compared.');
    const { diff } = compared;
    if (diff === null) throw tooDifferent(older, newer);
    return { ...numbers, diff };
  }

  async #document(
    caller: Caller,
    slug: string,
    version: Version,
    format: DiffFormat,
  ): Promise<ComparedDocument> {
    const html = await this.#drops.readHtml(caller, slug, version);
    return { name: `${slug}-v${version.number}.${format === 'source' ? 'html' : 'txt'}`, html };
  }
}

function nothingBefore({ number }: Version): DropError {
  const message = `There is no version before version ${number} to compare it with: name another one as from`;
  return new DropError('invalid_arg', message, { field: 'from' });
}

function tooDifferent(older: Version, newer: Version): DropError {
  const message = `Versions ${older.number} and ${newer.number} are too different to be compared in time: read both (/v/{n}/html) and compare them yourself`;
  return new DropError('invalid_arg', message, { field: 'from' });
}
