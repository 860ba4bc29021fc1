import { type Connection, type mongo, Schema } from 'mongoose';
import type { CardStore } from '../../ports/card-store.ts';
import { answerMs } from './connection.ts';
import { withTimeLimit } from './errors.ts';

interface CardDocument {
  /** The drop's id. */
  readonly _id: string;
  readonly digest: string;
  readonly png: Uint8Array;
}

const schema = new Schema<CardDocument>(
  { _id: String, digest: String, png: Buffer },
  { collection: 'cards', versionKey: false, autoIndex: false, autoCreate: false },
);

export function cardModel(connection: Connection) {
  return connection.model('Card', schema);
}

/** A card is one document of about 20 KB. */
export function createMongoCardStore(connection: Connection): CardStore {
  const cards = cardModel(connection);
  return withTimeLimit<CardStore>(answerMs(connection), {
    async put(dropId, { digest, png }) {
      const card = { digest, png: Buffer.from(png) };
      await cards.updateOne({ _id: dropId }, { $set: card }, { upsert: true });
    },

    async find(dropId) {
      const found = await cards.findById(dropId).lean();
      if (found === null) return null;
      const bytes = (found.png as unknown as mongo.Binary).value(); // proof: lean returns BSON
      return { digest: found.digest, png: new Uint8Array(bytes) };
    },

    async delete(dropIds) {
      if (dropIds.length > 0) await cards.deleteMany({ _id: { $in: [...dropIds] } });
    },

    async listIds(after, below, limit) {
      const found = await cards
        .find({ _id: { $gt: after, $lt: below } }, { _id: 1 })
        .setOptions({ sort: { _id: 1 }, limit, batchSize: limit })
        .lean<Pick<CardDocument, '_id'>[]>();
      return found.map(({ _id }) => _id);
    },
  });
}
