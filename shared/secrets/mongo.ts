import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { forRequests, retryWhileUnavailable } from '../mongo/errors.ts';
import { type SecretStore, secretRecord } from './secret-store.ts';

const collection = collectionOf(secretRecord);

export function createMongoSecretStore(connection: Connection): SecretStore {
  const secrets = collection.in(connection);

  /** The document of that name, or the newest `name.<Unix ms>`. */
  const find = (name: string) =>
    secrets.model.findOne({ _id: new RegExp(`^${name}(\\.\\d+)?$`) }).sort({ _id: -1 });

  return {
    ...forRequests<Pick<SecretStore, 'findOrCreate'>>(connection, {
      async findOrCreate(name, fresh) {
        const known = await find(name).lean();
        if (known !== null) return known.value;
        await secrets.insertUnlessTaken({ name, value: fresh }, '_id_');
        return (await find(name).orFail().lean()).value;
      },
    }),

    find: (name) => retryWhileUnavailable(connection, async () => (await find(name).lean())?.value ?? null),

    replace: (name, secret) =>
      retryWhileUnavailable(connection, async () => {
        const _id = (await find(name).lean())?._id ?? name;
        await secrets.model.updateOne({ _id }, { $set: { value: secret } }, { upsert: true });
      }),
  };
}
