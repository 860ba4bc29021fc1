import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { CompressedEncoding, RenderStore } from '../../ports/render-store.ts';
import { answerMs, backgroundMs } from './connection.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';
import { openGridBucket } from './grid-bucket.ts';
import { distinctIds, type ListIds, mergedIds } from './id-pages.ts';
import { createLooseFiles } from './loose-files.ts';
import { behindPathsOf } from './paths.ts';
import { headFields, type RenderDocument, renderModel, toFactsDocument, toHead } from './render-schema.ts';

const idsAtOnce = 25;

type Foreground = 'put' | 'squeeze' | 'findHead' | 'findArtefact' | 'listRendered';
type Background = 'listOutdated' | 'removeReplaced' | 'delete' | 'listIds';

/**
 * Each page is one record, and two files of the bucket `rendered` under names of their own. A file is noted as loose
 * before it is written, and again before another one takes its place: whoever dies in between leaves it to the sweep,
 * which takes the loose files that no record names.
 */
export function createMongoRenderStore(connection: Connection): RenderStore {
  const renders = renderModel(connection);
  const files = openGridBucket(connection, 'rendered');
  const loose = createLooseFiles(connection);

  async function replaceRecord(_id: string, record: Omit<RenderDocument, '_id'>): Promise<void> {
    const replace = () => renders.updateOne({ _id }, { $set: record }, { upsert: true });
    try {
      await replace();
    } catch (error) {
      if (!isDuplicateOf(error, '_id_')) throw error;
      await replace(); // two inserted at once: now it is there
    }
  }

  const listRecords: ListIds = async (after, below, limit) => {
    const range = { _id: { $gt: after, $lt: below } };
    const found = await renders.find(range, { _id: 1 }).sort({ _id: 1 }).limit(limit).lean();
    return found.map(({ _id }) => _id);
  };

  const pages = withTimeLimit<Pick<RenderStore, Foreground>>(answerMs(connection), {
    async put({ dropId, versionId }, { plan, facts, br, gzip }, now) {
      const names = { br: nameFor(versionId, 'br'), gzip: nameFor(versionId, 'gzip') };
      const before = await renders.findById(versionId, { br: 1, gzip: 1 }).lean();
      const replaced = before === null ? [] : [before.br, before.gzip];
      await loose.note([names.br, names.gzip, ...replaced], now);
      await Promise.all([files.put(names.br, br), files.put(names.gzip, gzip)]);
      await replaceRecord(versionId, {
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
      const name = nameFor(versionId, 'br');
      await loose.note([name, artefact], now);
      await files.put(name, bytes);
      const update = { br: name, 'facts.br': toFactsDocument(facts), squeezed: true };
      await renders.updateOne({ _id: versionId, br: artefact }, { $set: update });
    },

    async findHead(versionId) {
      const found = await renders.findById(versionId, headFields).lean();
      // A record of the first release has no facts: such a page is made again, on the spot or by its job.
      return found?.facts === undefined ? null : toHead(found);
    },

    findArtefact: (artefact) => files.get(artefact),

    async listRendered(versionIds, renderer) {
      const range = { _id: { $in: versionIds }, renderer: { $gte: renderer } };
      const found = await renders.find(range, { _id: 1 }).lean();
      return new Set(found.map(({ _id }) => _id));
    },
  });
  const sweeping = withTimeLimit<Pick<RenderStore, Background>>(backgroundMs, {
    async listOutdated(renderer, after, limit) {
      const behind = after !== null && {
        renderer: { $gte: after.renderer, $lt: renderer },
        $or: [{ renderer: { $gt: after.renderer } }, { _id: { $gt: after.versionId } }],
      };
      const found = await renders
        .find(
          { renderer: { $lt: renderer }, drop_id: { $exists: true }, ...behind },
          { renderer: 1, drop_id: 1 },
        )
        .sort({ renderer: 1, _id: 1 })
        .limit(limit)
        .lean();
      return found.map((page) => ({
        renderer: page.renderer,
        versionId: page._id,
        dropId: page.drop_id,
      }));
    },

    async removeReplaced(before, limit) {
      const noted = await loose.list(before, limit);
      if (noted.length === 0) return 0;
      const versionIds = [...new Set(noted.map(({ _id }) => versionOf(_id)))];
      const records = await renders.find({ _id: { $in: versionIds } }, { br: 1, gzip: 1 }).lean();
      const named = new Set(records.flatMap(({ br, gzip }) => [br, gzip]));
      await files.delete(noted.map(({ _id }) => _id).filter((file) => !named.has(file)));
      await loose.forget(noted);
      return noted.length;
    },

    async delete(versionIds) {
      for (let from = 0; from < versionIds.length; from += idsAtOnce) {
        const slice = versionIds.slice(from, from + idsAtOnce);
        await renders.deleteMany({ _id: { $in: slice } });
        await files.deleteUnder(slice);
      }
    },

    listIds: mergedIds([listRecords, distinctIds(files.listIds, versionOf, behindPathsOf)]),
  });
  return { ...pages, ...sweeping };
}

/** A file's id: no two are ever the same. */
function nameFor(versionId: string, form: CompressedEncoding): string {
  return `${versionId}/${randomUUID()}/${form}`;
}

function versionOf(file: string): string {
  return file.slice(0, file.indexOf('/'));
}
