import type { Caller } from '../accounts/account.ts';
import { DropError, notFound, unavailable } from '../domain/errors.ts';
import type { Version } from '../drops/drop.ts';
import type { Drops } from '../drops/drops.ts';
import type { CompareDocuments, DiffFormat } from '../html/compared-lines.ts';
import { createFairQueue } from '../util/queues.ts';

const maxWaiting = 32;

export interface DiffRequest {
  /** null: the version before `to`. */
  readonly from: number | null;
  /** null: the latest. */
  readonly to: number | null;
  readonly format: DiffFormat;
}

/** What changed between two versions. The owners take fair turns: a comparison waits for one of each other owner. */
export function createDiffs({
  drops,
  compare,
}: {
  drops: Pick<Drops, 'listVersions' | 'readHtml'>;
  compare: CompareDocuments;
}) {
  const turns = createFairQueue(1, maxWaiting);

  async function document(caller: Caller, slug: string, version: Version, format: DiffFormat) {
    const html = await drops.readHtml(caller, slug, version);
    return { name: `${slug}-v${version.number}.${format === 'source' ? 'html' : 'txt'}`, html };
  }

  return {
    /**
     * A unified diff, '' if the two are the same, and the numbers of the versions.
     * @throws DropError `not_found` if there is no such drop or version; `invalid_arg` if there is no version before `to`, or
     *   if the two cannot be compared in time; `unavailable` if too many comparisons wait
     */
    async compare(caller: Caller, slug: string, { from, to, format }: DiffRequest) {
      const versions = await drops.listVersions(caller, slug);
      const newer = to === null ? versions[0] : versions.find(({ number }) => number === to);
      if (newer === undefined) throw notFound('version');
      const older = versions.find(({ number }) => (from === null ? number < newer.number : number === from));
      if (older === undefined) throw from === null ? nothingBefore(newer) : notFound('version');
      const numbers = { from: older.number, to: newer.number };
      if (older.id === newer.id) return { ...numbers, diff: '' };
      const compared = await turns.run([caller.ownerId], async () => {
        const before = await document(caller, slug, older, format);
        const after = await document(caller, slug, newer, format);
        return { diff: await compare(before, after, format) };
      });
      if (compared === undefined) throw unavailable('Too many versions are being compared.');
      const { diff } = compared;
      if (diff === null) throw tooDifferent(older, newer);
      return { ...numbers, diff };
    },
  };
}

function nothingBefore({ number }: Version): DropError {
  const message = `There is no version before version ${number} to compare it with: name another one as from`;
  return new DropError('invalid_arg', message, { field: 'from' });
}

function tooDifferent(older: Version, newer: Version): DropError {
  const message = `Versions ${older.number} and ${newer.number} are too different to be compared in time: read both (/v/{n}/html) and compare them yourself`;
  return new DropError('invalid_arg', message, { field: 'from' });
}
