import { type Connection, Schema } from 'mongoose';

/** At most one. */
interface ImportDocument {
  readonly _id: 'unfinished';
  readonly archive_id: string;
  readonly begun_at: number;
}

const schema = new Schema<ImportDocument>(
  { _id: String, archive_id: String, begun_at: Number },
  { collection: 'imports', versionKey: false, autoIndex: false, autoCreate: false },
);

/** The mark of an unfinished import (ports/archive-store.ts). */
export function importModel(connection: Connection) {
  return connection.model('Import', schema);
}
