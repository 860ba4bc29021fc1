import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { answerMs } from '../mongo/connection.ts';
import { isDuplicateOf, withTimeLimit } from '../mongo/errors.ts';
import { type SecretStore, secretRecord } from './secret-store.ts';

const collection = collectionOf(secretRecord);

export function createMongoSecretStore(connection: Connection): SecretStore {
  const secrets = collection.in(connection);

  /** The document of that name, or the newest `name.<Unix ms>`. */
  const find = (name: string) =>
    secrets.findOne({ _id: new RegExp(`^${name}(\\.\\d+)?$`) }).sort({ _id: -1 });

  return withTimeLimit<SecretStore>(answerMs(connection), {
    async findOrCreate(name, fresh) {
      const known = await find(name).lean();
      if (known !== null) return known.value;
      try {
        await secrets.updateOne({ _id: name }, { $setOnInsert: { value: fresh } }, { upsert: true });
      } catch (error) {
        if (!isDuplicateOf(error, '_id_')) throw error; // another process inserted at the same moment
      }
      // Read again: DocumentDB may tell each of several parallel upserts that it has inserted the document.
      return (await find(name).orFail().lean()).value;
    },

    async find(name) {
      return (await find(name).lean())?.value ?? null;
    },

    async replace(name, secret) {
      const _id = (await find(name).lean())?._id ?? name;
      await secrets.updateOne({ _id }, { $set: { value: secret } }, { upsert: true });
    },
  });
}
