import { type Connection, Schema } from 'mongoose';
import {
  type SigningSecret,
  signingSecretName,
  signingSecretNames,
  signsFromOf,
} from '../../domain/signing-secret.ts';
import type { SecretStore } from '../../ports/secret-store.ts';
import { answerMs } from './bounds.ts';
import { isDuplicateOf, translated } from './errors.ts';

interface SecretDocument {
  /** What the secret is for; of a signing secret, and from when. */
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

/** A signing secret has a document of its own, named by when it signs from. */
export function createMongoSecretStore(connection: Connection): SecretStore {
  const secrets = secretModel(connection);

  async function putUnlessThere(name: string, fresh: string): Promise<void> {
    try {
      await secrets.updateOne({ _id: name }, { $setOnInsert: { value: fresh } }, { upsert: true });
    } catch (error) {
      if (!isDuplicateOf(error, '_id_')) throw error; // another put one at the same moment
    }
  }

  async function readSigning(): Promise<SigningSecret[]> {
    const found = await secrets.find({ _id: signingSecretNames }).lean();
    return found.map(({ _id, value }) => ({ value, signsFrom: signsFromOf(_id) ?? 0 }));
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

    async listSigning(fresh) {
      const found = await readSigning();
      if (found.length > 0) return found;
      await putUnlessThere(signingSecretName(0), fresh);
      return readSigning();
    },

    async addSigning({ value, signsFrom }) {
      try {
        await secrets.create({ _id: signingSecretName(signsFrom), value });
        return 'added';
      } catch (error) {
        if (isDuplicateOf(error, '_id_')) return 'time_taken';
        throw error;
      }
    },

    async removeSigning(times) {
      await secrets.deleteMany({ _id: { $in: times.map(signingSecretName) } });
    },
  });
}
