import type { Connection, mongo } from 'mongoose';
import type { DropDocument } from './mongo-schema.ts';
import { foldText } from './search.ts';

const updatesAtOnce = 100;

type Texts = Pick<DropDocument, '_id' | 'title' | 'description' | 'folded_title' | 'folded_description'>;

/** Folds the texts of drops that an earlier release has stored, also beside this one. @returns of how many drops */
export async function foldStoredTexts(connection: Connection): Promise<number> {
  const drops = connection.collection<Texts>('drops');
  const projection = { title: 1, description: 1, folded_title: 1, folded_description: 1 };
  let folded = 0;
  let updates: mongo.AnyBulkWriteOperation<Texts>[] = [];

  async function update(): Promise<void> {
    if (updates.length > 0) folded += (await drops.bulkWrite(updates, { ordered: false })).modifiedCount;
    updates = [];
  }

  for await (const { _id, title, description, ...stored } of drops.find({}, { projection })) {
    const texts = { folded_title: foldText(title), folded_description: foldText(description) };
    const isCurrent =
      stored.folded_title === texts.folded_title && stored.folded_description === texts.folded_description;
    if (isCurrent) continue;
    // Not if it was changed meanwhile: this release folds what it changes.
    updates.push({ updateOne: { filter: { _id, title, description }, update: { $set: texts } } });
    if (updates.length === updatesAtOnce) await update();
  }
  await update();
  return folded;
}
