import { expect } from 'chai';
import type { Artefact, ArtefactPart } from '../../shared/renders/render-store.ts';
import { lazily } from '../support/between.ts';
import { anArtefact, inParallel } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** Above every renderer of these tests. */
const newest = 9;

/** What any engine must do for RenderStore. */
export function describeRenderStoreContract(engine: string, openStores: OpenStores): void {
  describe(`RenderStore (${engine})`, () => {
    const stores = useStores(openStores);
    const renders = lazily(() => stores().renders);
    const put = (versionId: string, artefact: Artefact) => stores().renders.put(versionId, artefact);

    async function headOf(versionId: string, renderer = newest) {
      const head = await stores().renders.findHead(versionId, renderer);
      if (head === null) throw new Error(`${versionId} has no artefact`);
      return head;
    }

    async function expectArtefact(versionId: string, artefact: Artefact, renderer = newest): Promise<void> {
      const head = await headOf(versionId, renderer);
      expect(head).to.deep.include(artefact.head);
      for (const part of ['br', 'gzip', 'context'] as const) {
        const bytes = await stores().renders.findPart(versionId, head, part);
        expect(bytes && Buffer.from(bytes), part).to.deep.equal(artefact[part]);
      }
    }

    it('returns the plan, the facts and every part of an artefact', async () => {
      await put('v1', anArtefact('one'));
      await expectArtefact('v1', anArtefact('one'));
    });

    it('keeps a plan that inserts nothing, an empty context, and no context', async () => {
      const plan = { renderer: 1, insertAt: 0, insertion: '' };
      for (const [i, context] of ['', null].entries()) {
        const artefact = anArtefact('none', 1, context);
        Object.assign(artefact.head, { plan });
        await put(`v${i}`, artefact);
        await expectArtefact(`v${i}`, artefact);
      }
    });

    it('returns parts of megabytes, each in memory of its own', async () => {
      const { head: whole, context } = anArtefact('large');
      const br = Buffer.alloc(2_500_000, 'br ');
      const gzip = Buffer.alloc(3_000_000, 'gzip ');
      const factOf = ({ byteLength }: Buffer, digest: string) => ({ byteLength, digest });
      const facts = { ...whole.facts, br: factOf(br, 'br'), gzip: factOf(gzip, 'gzip') };
      await put('v1', { head: { ...whole, facts }, br, gzip, context });
      const head = await headOf('v1');
      const read = async (part: ArtefactPart) => {
        const bytes = (await stores().renders.findPart('v1', head, part)) ?? new Uint8Array();
        expect(bytes.buffer.byteLength, part).to.equal(bytes.byteLength);
        return Buffer.from(bytes);
      };
      expect((await read('br')).equals(br)).to.equal(true);
      expect((await read('gzip')).equals(gzip)).to.equal(true);
      expect((await read('context')).toString()).to.equal('context large é');
    });

    it('returns null for a version that is not rendered', async () => {
      await put('v10', anArtefact('another'));
      expect(await stores().renders.findHead('v1', newest)).to.equal(null);
    });

    it('keeps the first artefact of a renderer', async () => {
      await put('v1', anArtefact('first'));
      await put('v1', anArtefact('second', 1, null));
      await expectArtefact('v1', anArtefact('first'));
    });

    it('keeps one whole artefact of several parallel puts', async () => {
      await inParallel(10, (i) => put('v1', anArtefact(`at once ${i}`, 1)));
      const [, number] = /at once (\d)/.exec((await headOf('v1')).plan.insertion) ?? [];
      await expectArtefact('v1', anArtefact(`at once ${number}`));
    });

    it('returns the artefact of the newest renderer that the caller knows', async () => {
      for (const renderer of [2, 10, 1]) await put('v1', anArtefact(`by ${renderer}`, renderer));
      await expectArtefact('v1', anArtefact('by 10', 10), 10);
      await expectArtefact('v1', anArtefact('by 2', 2), 9);
      await expectArtefact('v1', anArtefact('by 1', 1), 1);
      expect(await stores().renders.findHead('v1', 0)).to.equal(null);
    });

    it('lists which of many versions have an artefact of a renderer', async () => {
      const ids = Array.from({ length: 200 }, (_, i) => `v${i}`);
      await inParallel(100, (i) => put(`v${i}`, anArtefact('any', 1 + (i % 2))));
      const rendered = [...(await renders.listRendered(ids, 2))];
      expect(rendered).to.have.members(Array.from({ length: 50 }, (_, i) => `v${2 * i + 1}`));
      expect((await renders.listRendered(['v0', 'v199'], 2)).size).to.equal(0);
      expect((await renders.listRendered([], 1)).size).to.equal(0);
    });

    it('deletes the artefacts of older renderers of one version', async () => {
      for (const renderer of [1, 2, 3]) await put('v1', anArtefact(`by ${renderer}`, renderer));
      await put('v2', anArtefact('other'));
      const older = await headOf('v1', 2);
      expect(await renders.deleteOlder('v1', 3)).to.equal(true);
      expect(await renders.findHead('v1', 2)).to.equal(null);
      expect(await renders.findPart('v1', older, 'br'), 'a head that was read before').to.equal(null);
      expect(await renders.deleteOlder('v1', 3), 'none is left').to.equal(false);
      await expectArtefact('v1', anArtefact('by 3', 3));
      await expectArtefact('v2', anArtefact('other'));
    });

    it('deletes all artefacts of the given versions only, and ignores unknown ids', async () => {
      for (const id of ['v1', 'v2', 'v3']) await put(id, anArtefact(id));
      await put('v3', anArtefact('newer', 2));
      const head = await headOf('v3');
      await renders.delete(['v1', 'v3', 'unknown']);
      expect(await renders.findHead('v1', newest)).to.equal(null);
      expect(await renders.findPart('v3', head, 'br')).to.equal(null);
      expect(await renders.listIds('', 'z', 10)).to.deep.equal(['v2']);
      await expectArtefact('v2', anArtefact('v2'));
    });

    it('lists ids between two ids in order, page by page, each once', async () => {
      for (const id of ['d', 'b', 'a', 'c', 'e']) await put(id, anArtefact(id));
      for (const id of ['a', 'b']) await put(id, anArtefact(id, 2));
      expect(await renders.listIds('', 'e', 2)).to.deep.equal(['a', 'b']);
      expect(await renders.listIds('b', 'e', 2)).to.deep.equal(['c', 'd']);
      expect(await renders.listIds('d', 'e', 2)).to.deep.equal([]);
    });
  });
}
