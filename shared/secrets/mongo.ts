import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { retryWhileUnavailable } from '../mongo/errors.ts';
import { type SecretName, type SecretStore, secretRecord } from './secret-store.ts';

const collection = collectionOf(secretRecord);

/** `find` and `replace` wait for the server themselves; `mongo/stores.ts` sets the time limit of `findOrCreate`. */
export class MongoSecrets implements SecretStore {
  readonly #connection: Connection;
  readonly #secrets;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#secrets = collection.in(connection);
  }

  async findOrCreate(name: SecretName, fresh: string): Promise<string> {
    const known = await this.#findNewest(name).lean();
    if (known !== null) return known.value;
    await this.#secrets.insertUnlessTaken({ name, value: fresh }, '_id_');
    return (await this.#findNewest(name).orFail().lean()).value;
  }

  find(name: SecretName): Promise<string | null> {
    return retryWhileUnavailable(this.#connection, async () => {
      const found = await this.#findNewest(name).lean();
      return found?.value ?? null;
    });
  }

  replace(name: SecretName, secret: string): Promise<void> {
    return retryWhileUnavailable(this.#connection, async () => {
      const found = await this.#findNewest(name).lean();
      const _id = found?._id ?? name;
      await this.#secrets.model.updateOne({ _id }, { $set: { value: secret } }, { upsert: true });
    });
  }

  /** The document of that name, or the newest `name.<Unix ms>`. */
  #findNewest(name: SecretName) {
    return this.#secrets.model.findOne({ _id: new RegExp(`^${name}(\\.\\d+)?$`) }).sort({ _id: -1 });
  }
}
