import type { Connection } from 'mongoose';

const bytesOf = (text: string) => ({ $strLenBytes: { $ifNull: [text, ''] } });
const bytesOfAll = (list: string, text: string) => ({ $sum: { $map: { input: list, in: bytesOf(text) } } });
const replied = { $filter: { input: '$resolving', cond: { $ne: ['$$this.reply', null] } } };

/** Adds the sizes of comments that were stored without them (`sizeFields`). @returns of how many */
export async function addStoredSizes(connection: Connection): Promise<number> {
  const bytes = {
    $add: [bytesOf('$text'), bytesOfAll('$replies', '$$this.text'), bytesOfAll('$resolving', '$$this.reply')],
  };
  const texts = { $add: [1, { $size: '$replies' }, { $size: replied }] };
  const without = { bytes: { $exists: false } };
  return (await connection.collection('comments').updateMany(without, [{ $set: { bytes, texts } }]))
    .modifiedCount;
}
