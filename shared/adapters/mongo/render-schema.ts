import { type Connection, Schema } from 'mongoose';
import type { EncodingFacts } from '../../domain/etag.ts';
import type { ContentEncoding, RenderHead } from '../../ports/render-store.ts';

interface FactsDocument {
  readonly byte_length: number;
  readonly digest: string;
}

export interface RenderDocument {
  /** The version's inner id. */
  readonly _id: string;
  readonly drop_id: string;
  readonly renderer: number;
  readonly insert_at: number;
  readonly insertion: string;
  readonly facts: Readonly<Record<ContentEncoding, FactsDocument>>;
  /** Ids of the files that hold the compressed forms. */
  readonly br: string;
  readonly gzip: string;
  readonly squeezed: boolean;
}

const facts = {
  byte_length: { type: Number, required: true },
  digest: { type: String, required: true },
} as const;

const schema = new Schema<RenderDocument>(
  {
    _id: { type: String, required: true },
    drop_id: { type: String, required: true },
    renderer: { type: Number, required: true },
    insert_at: { type: Number, required: true },
    insertion: { type: String }, // '' is a value, which `required` would refuse
    facts: { identity: facts, br: facts, gzip: facts },
    br: { type: String, required: true },
    gzip: { type: String, required: true },
    squeezed: { type: Boolean, required: true },
  },
  { collection: 'renders', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ renderer: 1, _id: 1 }, { name: 'renders_renderer' });

/** Of that connection; the same one at every call. */
export function renderModel(connection: Connection) {
  return connection.model('Render', schema);
}

/** What a head is made of. */
export const headFields = {
  renderer: 1,
  insert_at: 1,
  insertion: 1,
  facts: 1,
  br: 1,
  gzip: 1,
  squeezed: 1,
} as const;

export function toHead(record: Pick<RenderDocument, keyof typeof headFields>): RenderHead {
  const { renderer, insert_at, insertion, facts: stored, br, gzip, squeezed } = record;
  const storedFacts = (encoding: ContentEncoding) => ({
    byteLength: stored[encoding].byte_length,
    digest: stored[encoding].digest,
  });
  return {
    plan: { renderer, insertAt: insert_at, insertion },
    facts: { identity: storedFacts('identity'), br: storedFacts('br'), gzip: storedFacts('gzip') },
    artefacts: { br, gzip },
    isSqueezed: squeezed,
  };
}

export function toFactsDocument({ byteLength, digest }: EncodingFacts): FactsDocument {
  return { byte_length: byteLength, digest };
}
