import { isDeepStrictEqual } from 'node:util';
import type { Connection, mongo } from 'mongoose';
import { type DropDocument, foldedFields, toMetadata } from './mongo-schema.ts';
import { foldMetadata, foldText } from './search.ts';

/** The fields that a search reads. */
export const textFields = {
  _id: 1,
  title: 1,
  description: 1,
  pairs: 1,
  folded_title: 1,
  folded_description: 1,
  folded_metadata: 1,
} as const;

export type TextRow = Pick<DropDocument, keyof typeof textFields>;

/** What a search looks at. Drops of earlier releases have no folded texts until `migrate` has run. */
export function foldedOf(row: TextRow): string {
  const { folded_title = foldText(row.title), folded_description = foldText(row.description) } = row;
  const { folded_metadata = foldMetadata(toMetadata(row.pairs)) } = row;
  return [folded_title, folded_description, folded_metadata].join('\n');
}

const updatesAtOnce = 100;

/** Folds the texts of drops that an earlier release has stored, also beside this one. @returns of how many drops */
export async function foldStoredTexts(connection: Connection): Promise<number> {
  const drops = connection.collection<TextRow>('drops');
  let folded = 0;
  let updates: mongo.AnyBulkWriteOperation<TextRow>[] = [];

  async function update(): Promise<void> {
    if (updates.length > 0) folded += (await drops.bulkWrite(updates, { ordered: false })).modifiedCount;
    updates = [];
  }

  const live = drops.find({ deleted_at: null }, { projection: textFields });
  for await (const { _id, title, description, pairs, ...stored } of live) {
    const texts = foldedFields({ title, description, metadata: toMetadata(pairs) });
    if (isDeepStrictEqual(stored, texts)) continue;
    // Not if it was changed meanwhile: this release folds what it changes.
    updates.push({ updateOne: { filter: { _id, title, description, pairs }, update: { $set: texts } } });
    if (updates.length === updatesAtOnce) await update();
  }
  await update();
  return folded;
}
