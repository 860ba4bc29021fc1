import { type Connection, Schema } from 'mongoose';
import type { ProcessRegistry } from './page-changes.ts';

interface ProcessDocument {
  readonly _id: string;
  readonly expires_at: Date;
}

const schema = new Schema<ProcessDocument>(
  { _id: String, expires_at: Date },
  { collection: 'web_processes', versionKey: false, autoIndex: false, autoCreate: false },
);
// Removes what killed processes have left.
schema.index({ expires_at: 1 }, { name: 'web_processes_expires', expireAfterSeconds: 60 });

function webProcessModel(connection: Connection) {
  return connection.model('WebProcess', schema);
}

/**
 * All times are the database's own (`$$NOW`), so the clocks of the processes do not matter. Callers wrap it in `forRequests`.
 */
export class MongoProcessRegistry implements ProcessRegistry {
  readonly #processes;

  constructor(connection: Connection) {
    this.#processes = webProcessModel(connection);
  }

  async renew(processId: string, ms: number): Promise<void> {
    const set = { $set: { expires_at: { $add: ['$$NOW', ms] } } };
    await this.#processes.updateOne({ _id: processId }, [set], { upsert: true, updatePipeline: true });
  }

  async list(): Promise<string[]> {
    // Not in a filter: DocumentDB refuses `$$NOW` where it could use an index.
    const isRegistered = { $gt: ['$expires_at', '$$NOW'] };
    const all = await this.#processes.aggregate<{ _id: string; isRegistered: boolean }>([
      { $project: { isRegistered } },
    ]);
    return all.filter((one) => one.isRegistered).map(({ _id }) => _id);
  }

  async remove(processId: string): Promise<void> {
    await this.#processes.deleteMany({ _id: processId });
  }
}
