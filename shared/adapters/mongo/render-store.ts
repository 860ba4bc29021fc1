import { randomUUID } from 'node:crypto';
import { type Connection, Schema } from 'mongoose';
import type { EncodingFacts } from '../../domain/etag.ts';
import type {
  CompressedEncoding,
  ContentEncoding,
  RenderHead,
  RenderStore,
} from '../../ports/render-store.ts';
import { answerMs, backgroundMs } from './connection.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';
import { distinctIds, type ListIds, mergedIds, openGridBucket } from './grid-bucket.ts';

const idsPerDelete = 25;

interface FactsDocument {
  readonly byte_length: number;
  readonly digest: string;
}

interface RenderDocument {
  /** The version's internal id. */
  readonly _id: string;
  readonly drop_id: string;
  readonly renderer: number;
  readonly insert_at: number;
  readonly insertion: string;
  readonly facts: Readonly<Record<ContentEncoding, FactsDocument>>;
  /** Ids of the compressed files. */
  readonly br: string;
  readonly gzip: string;
  readonly squeezed: boolean;
}

const facts = { byte_length: Number, digest: String } as const;
const renderSchema = new Schema<RenderDocument>(
  {
    _id: String,
    drop_id: String,
    renderer: Number,
    insert_at: Number,
    insertion: String,
    facts: { identity: facts, br: facts, gzip: facts },
    br: String,
    gzip: String,
    squeezed: Boolean,
  },
  { collection: 'renders', versionKey: false, autoIndex: false, autoCreate: false },
);
renderSchema.index({ renderer: 1, _id: 1 }, { name: 'renders_renderer' });

export function renderModel(connection: Connection) {
  return connection.model('Render', renderSchema);
}

/** A file that may be unreferenced: no record names it yet, or a record may no longer name it. */
interface LooseFileDocument {
  /** The file's id. */
  readonly _id: string;
  /** Unix ms. */
  readonly at: number;
}

const looseFileSchema = new Schema<LooseFileDocument>(
  { _id: String, at: Number },
  { collection: 'loose_files', versionKey: false, autoIndex: false, autoCreate: false },
);
looseFileSchema.index({ at: 1 }, { name: 'loose_files_at' });

export function looseFileModel(connection: Connection) {
  return connection.model('LooseFile', looseFileSchema);
}

type ForRequests = 'put' | 'squeeze' | 'findHead' | 'findArtefact' | 'listRendered';
type ForJobs = 'listOutdated' | 'removeReplaced' | 'delete' | 'listIds';

/**
 * Each page is one record and two files of the bucket `rendered`. A file is listed in `loose_files` before it is written
 * and before another file replaces it. `removeReplaced` deletes the listed files that no record names, so an
 * interrupted call leaves nothing behind.
 */
export function createMongoRenderStore(connection: Connection): RenderStore {
  const renders = renderModel(connection);
  const files = openGridBucket(connection, 'rendered');
  const looseFiles = looseFileModel(connection);

  /** A file that is listed already gets the later time. */
  async function noteLoose(ids: readonly string[], now: number): Promise<void> {
    const updates = ids.map((_id) => ({
      updateOne: { filter: { _id }, update: { $max: { at: now } }, upsert: true },
    }));
    await looseFiles.bulkWrite(updates, { ordered: false });
  }

  async function replaceRecord({ _id, ...record }: RenderDocument): Promise<void> {
    const replace = () => renders.updateOne({ _id }, { $set: record }, { upsert: true });
    try {
      await replace();
    } catch (error) {
      if (!isDuplicateOf(error, '_id_')) throw error;
      await replace(); // a parallel call inserted the record
    }
  }

  const listRecords: ListIds = async (after, below, limit) => {
    const range = { _id: { $gt: after, $lt: below } };
    const found = await renders.find(range, { _id: 1 }).sort({ _id: 1 }).limit(limit).lean();
    return found.map(({ _id }) => _id);
  };

  const forRequests = withTimeLimit<Pick<RenderStore, ForRequests>>(answerMs(connection), {
    async put({ dropId, versionId }, { plan, facts, br, gzip }, now) {
      const names = { br: fileName(versionId, 'br'), gzip: fileName(versionId, 'gzip') };
      const before = await renders.findById(versionId, { br: 1, gzip: 1 }).lean();
      const replaced = before === null ? [] : [before.br, before.gzip];
      await noteLoose([names.br, names.gzip, ...replaced], now);
      await Promise.all([files.put(names.br, br), files.put(names.gzip, gzip)]);
      await replaceRecord({
        _id: versionId,
        drop_id: dropId,
        renderer: plan.renderer,
        insert_at: plan.insertAt,
        insertion: plan.insertion,
        facts: {
          identity: toFactsDocument(facts.identity),
          br: toFactsDocument(facts.br),
          gzip: toFactsDocument(facts.gzip),
        },
        ...names,
        squeezed: false,
      });
    },

    async squeeze(versionId, artefact, { bytes, facts }, now) {
      const name = fileName(versionId, 'br');
      await noteLoose([name, artefact], now);
      await files.put(name, bytes);
      const update = { br: name, 'facts.br': toFactsDocument(facts), squeezed: true };
      await renders.updateOne({ _id: versionId, br: artefact }, { $set: update });
    },

    async findHead(versionId) {
      const found = await renders.findById(versionId, { drop_id: 0 }).lean();
      // A record of the first release has no facts: such a page is rendered again.
      return found?.facts === undefined ? null : toHead(found);
    },

    findArtefact: (artefact) => files.get(artefact),

    async listRendered(versionIds, renderer) {
      const range = { _id: { $in: versionIds }, renderer: { $gte: renderer } };
      const found = await renders.find(range, { _id: 1 }).lean();
      return new Set(found.map(({ _id }) => _id));
    },
  });

  const forJobs = withTimeLimit<Pick<RenderStore, ForJobs>>(backgroundMs, {
    async listOutdated(renderer, after, limit) {
      const isAfter = after !== null && {
        renderer: { $gte: after.renderer, $lt: renderer },
        $or: [{ renderer: { $gt: after.renderer } }, { _id: { $gt: after.versionId } }],
      };
      const isOutdated = { renderer: { $lt: renderer }, drop_id: { $exists: true }, ...isAfter };
      const found = await renders
        .find(isOutdated, { renderer: 1, drop_id: 1 })
        .sort({ renderer: 1, _id: 1 })
        .limit(limit)
        .lean();
      return found.map((page) => ({ renderer: page.renderer, versionId: page._id, dropId: page.drop_id }));
    },

    async removeReplaced(before, limit) {
      const isOld = { at: { $lt: before } };
      const loose = await looseFiles.find(isOld).sort({ at: 1 }).limit(limit).lean();
      if (loose.length === 0) return 0;
      const versionIds = [...new Set(loose.map(({ _id }) => versionOf(_id)))];
      const records = await renders.find({ _id: { $in: versionIds } }, { br: 1, gzip: 1 }).lean();
      const used = new Set(records.flatMap(({ br, gzip }) => [br, gzip]));
      await files.delete(loose.map(({ _id }) => _id).filter((file) => !used.has(file)));
      // With their times: a file that was listed again meanwhile stays listed.
      await looseFiles.deleteMany({ $or: loose.map(({ _id, at }) => ({ _id, at })) });
      return loose.length;
    },

    async delete(versionIds) {
      for (let from = 0; from < versionIds.length; from += idsPerDelete) {
        const slice = versionIds.slice(from, from + idsPerDelete);
        await renders.deleteMany({ _id: { $in: slice } });
        await files.deleteUnder(slice);
      }
    },

    listIds: mergedIds([listRecords, distinctIds(files.listIds, versionOf, (id) => `${id}0`)]), // `0` follows `/`
  });
  return { ...forRequests, ...forJobs };
}

function toHead({ facts, ...record }: Omit<RenderDocument, 'drop_id'>): RenderHead {
  const toFacts = ({ byte_length, digest }: FactsDocument) => ({ byteLength: byte_length, digest });
  return {
    plan: { renderer: record.renderer, insertAt: record.insert_at, insertion: record.insertion },
    facts: { identity: toFacts(facts.identity), br: toFacts(facts.br), gzip: toFacts(facts.gzip) },
    artefacts: { br: record.br, gzip: record.gzip },
    isSqueezed: record.squeezed,
  };
}

function toFactsDocument({ byteLength, digest }: EncodingFacts): FactsDocument {
  return { byte_length: byteLength, digest };
}

/** A unique file id. */
function fileName(versionId: string, encoding: CompressedEncoding): string {
  return `${versionId}/${randomUUID()}/${encoding}`;
}

function versionOf(file: string): string {
  return file.slice(0, file.indexOf('/'));
}
