import { type Connection, Schema } from 'mongoose';
import type { SecretStore } from '../../ports/secret-store.ts';
import { answerMs } from './bounds.ts';
import { isDuplicateOf, translated } from './errors.ts';

interface SecretDocument {
  /** What the secret is for. */
  readonly _id: string;
  readonly value: string;
}

const schema = new Schema<SecretDocument>(
  { _id: String, value: String },
  { collection: 'secrets', versionKey: false, autoIndex: false, autoCreate: false },
);

/** Of that connection; the same one at every call. */
export function secretModel(connection: Connection) {
  return connection.model('Secret', schema);
}

export function createMongoSecretStore(connection: Connection): SecretStore {
  const secrets = secretModel(connection);

  async function putUnlessThere(name: string, fresh: string): Promise<void> {
    try {
      await secrets.updateOne({ _id: name }, { $setOnInsert: { value: fresh } }, { upsert: true });
    } catch (error) {
      if (!isDuplicateOf(error, '_id_')) throw error; // another put one at the same moment
    }
  }

  return translated<SecretStore>(answerMs(connection), {
    async keep(name, fresh) {
      const known = await secrets.findById(name).lean();
      if (known !== null) return known.value;
      await putUnlessThere(name, fresh);
      // Read, since of upserts at once more than one may be told by DocumentDB that it is the one that was kept.
      const kept = await secrets.findById(name).orFail().lean();
      return kept.value;
    },
  });
}
