import type { Connection } from 'mongoose';

const bytesOf = (text: string) => ({ $strLenBytes: { $ifNull: [text, ''] } });
const bytesOfAll = (list: string, text: string) => ({ $sum: { $map: { input: list, in: bytesOf(text) } } });
const replied = { $filter: { input: '$resolving', cond: { $ne: ['$$this.reply', null] } } };

const bytes = {
  $add: [bytesOf('$text'), bytesOfAll('$replies', '$$this.text'), bytesOfAll('$resolving', '$$this.reply')],
};
const texts = { $add: [1, { $size: '$replies' }, { $size: replied }] };
const areWrong = { $expr: { $or: [{ $ne: ['$bytes', bytes] }, { $ne: ['$texts', texts] }] } };

/**
 * Corrects the sizes (`sizeFields`) of all comments: processes of release 1.3 store comments without them, and do not change those
 * that are there. @returns of how many
 */
export async function correctStoredSizes(connection: Connection): Promise<number> {
  return (await connection.collection('comments').updateMany(areWrong, [{ $set: { bytes, texts } }]))
    .modifiedCount;
}

/** A process of release 1.3 stores comments without sizes: they are added before anything rests on them. */
export async function readWithSizes<D extends { readonly _id: string; readonly bytes: number | undefined }>(
  connection: Connection,
  read: () => Promise<D[]>,
): Promise<D[]> {
  const found = await read();
  const without = found.filter(({ bytes: stored }) => stored === undefined).map(({ _id }) => _id);
  if (without.length === 0) return found;
  await addSizes(connection, without);
  return read();
}

/** Adds the sizes of those of these comments that are stored without them. */
async function addSizes(connection: Connection, ids: readonly string[]): Promise<void> {
  const comments = connection.collection<{ readonly _id: string }>('comments');
  await comments.updateMany({ _id: { $in: [...ids] }, bytes: { $exists: false } }, [
    { $set: { bytes, texts } },
  ]);
}
