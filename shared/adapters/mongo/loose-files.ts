import { type Connection, Schema } from 'mongoose';

interface LooseFileDocument {
  /** The file's id. */
  readonly _id: string;
  /** When it was noted, Unix ms. */
  readonly at: number;
}

const schema = new Schema<LooseFileDocument>(
  { _id: { type: String, required: true }, at: { type: Number, required: true } },
  { collection: 'loose_files', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ at: 1 }, { name: 'loose_files_at' });

/** Of that connection; the same one at every call. */
export function looseFileModel(connection: Connection) {
  return connection.model('LooseFile', schema);
}

export type LooseFile = LooseFileDocument;

/** Notes of files that no record names yet, or may name no more. */
export function createLooseFiles(connection: Connection) {
  const notes = looseFileModel(connection).collection;

  return {
    /** Of one that is noted already, the later moment counts. */
    async note(ids: readonly string[], now: number): Promise<void> {
      const updates = ids.map((_id) => ({
        updateOne: { filter: { _id: _id as never }, update: { $max: { at: now } }, upsert: true },
      })); // proof: ids of this collection are strings, of which the driver's types know nothing
      await notes.bulkWrite(updates, { ordered: false });
    },

    /** Those noted before that moment, the oldest first. */
    async list(before: number, limit: number): Promise<LooseFile[]> {
      return await looseFileModel(connection)
        .find({ at: { $lt: before } })
        .sort({ at: 1 })
        .limit(limit)
        .lean();
    },

    /** Forgets the notes as they are: one that was made anew meanwhile stays. */
    async forget(noted: readonly LooseFile[]): Promise<void> {
      if (noted.length > 0) {
        await looseFileModel(connection).deleteMany({ $or: noted.map(({ _id, at }) => ({ _id, at })) });
      }
    },
  };
}
