import { expect } from 'chai';
import type { Rendered, RenderStore } from '../../shared/ports/render-store.ts';
import { inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

function aPage(text: string, renderer = 1): Rendered {
  return {
    plan: { renderer, insertAt: 17, insertion: `<style>/* ${text} é */</style>` },
    facts: {
      identity: { byteLength: 1_000, digest: `identity ${text}` },
      br: { byteLength: 4 + text.length, digest: `br ${text}` },
      gzip: { byteLength: 6 + text.length, digest: `gzip ${text}` },
    },
    br: Buffer.from(`\0br ${text}`),
    gzip: Buffer.from(`\0gzip ${text}`),
  };
}

const squeezed = { bytes: Buffer.from('\0s'), facts: { byteLength: 2, digest: 'squeezed' } };

/** What any engine must do for RenderStore. */
export function describeRenderStoreContract(engine: string, openStores: OpenStores): void {
  describe(`RenderStore (${engine})`, () => {
    const stores = useStores(openStores);
    const put = (versionId: string, page: Rendered, now = start) =>
      stores().renders.put({ dropId: `drop of ${versionId}`, versionId }, page, now);

    async function headOf(versionId: string) {
      const head = await stores().renders.findHead(versionId);
      if (head === null) throw new Error(`${versionId} has no page`);
      return head;
    }

    async function read(artefact: string): Promise<string | null> {
      const bytes = await stores().renders.findArtefact(artefact);
      return bytes === null ? null : Buffer.from(bytes).toString();
    }

    async function expectPage(versionId: string, page: Rendered): Promise<void> {
      const head = await headOf(versionId);
      expect(head.plan).to.deep.equal(page.plan);
      expect(head.facts).to.deep.equal(page.facts);
      expect(head.isSqueezed).to.equal(false);
      expect(await read(head.artefacts.br)).to.equal(page.br.toString());
      expect(await read(head.artefacts.gzip)).to.equal(page.gzip.toString());
    }

    it('returns the plan, the facts and both compressed bodies of a page', async () => {
      const page = aPage('one');
      await put('v1', page);
      await expectPage('v1', page);
    });

    it('keeps a plan that inserts nothing', async () => {
      const page = { ...aPage('none'), plan: { renderer: 1, insertAt: 0, insertion: '' } };
      await put('v1', page);
      await expectPage('v1', page);
    });

    it('returns null for a version that is not rendered', async () => {
      expect(await stores().renders.findHead('v1')).to.equal(null);
      expect(await stores().renders.findArtefact('v1')).to.equal(null);
    });

    it('replaces all of a page that is rendered again', async () => {
      await put('v1', aPage('old', 1));
      await put('v1', aPage('new', 2));
      await expectPage('v1', aPage('new', 2));
    });

    it('stores one complete page of several parallel puts', async () => {
      await inParallel(10, (i) => put('v1', aPage(`at once ${i}`, i)));
      const { plan } = await headOf('v1');
      await expectPage('v1', aPage(`at once ${plan.renderer}`, plan.renderer));
    });

    it('lists which of many versions have a page of a renderer', async () => {
      const { renders } = stores();
      const ids = Array.from({ length: 200 }, (_, i) => `v${i}`);
      await inParallel(100, (i) => put(`v${i}`, aPage('any', i % 2)));
      const rendered = [...(await renders.listRendered(ids, 1))];
      expect(rendered).to.have.members(Array.from({ length: 50 }, (_, i) => `v${2 * i + 1}`));
      expect((await renders.listRendered(ids, 0)).size, 'of later ones too').to.equal(100);
      expect((await renders.listRendered(['v0', 'v199'], 1)).size).to.equal(0);
      expect((await renders.listRendered([], 1)).size).to.equal(0);
    });

    it('deletes the given versions only, and ignores unknown ids', async () => {
      const { renders } = stores();
      for (const id of ['v1', 'v2', 'v3']) await put(id, aPage(id));
      const { artefacts } = await headOf('v3');
      await renders.delete(['v1', 'v3', 'unknown']);
      expect(await renders.findHead('v1')).to.equal(null);
      expect(await read(artefacts.br)).to.equal(null);
      expect(await renders.listIds('', 'z', 10)).to.deep.equal(['v2']);
      await expectPage('v2', aPage('v2'));
    });

    it('lists ids between two ids in order, page by page', async () => {
      const { renders } = stores();
      for (const id of ['d', 'b', 'a', 'c', 'e']) await put(id, aPage(id));
      expect(await renders.listIds('', 'e', 2)).to.deep.equal(['a', 'b']);
      expect(await renders.listIds('b', 'e', 2)).to.deep.equal(['c', 'd']);
      expect(await renders.listIds('d', 'e', 2)).to.deep.equal([]);
    });

    describe('squeeze', () => {
      it('replaces br by the smaller body, and leaves the rest of the page', async () => {
        const page = aPage('one');
        await put('v1', page);
        const before = await headOf('v1');
        await stores().renders.squeeze('v1', before.artefacts.br, squeezed, later);
        const after = await headOf('v1');
        expect(after).to.deep.equal({
          plan: page.plan,
          facts: { ...page.facts, br: squeezed.facts },
          artefacts: { br: after.artefacts.br, gzip: before.artefacts.gzip },
          isSqueezed: true,
        });
        expect(await read(after.artefacts.br)).to.equal('\0s');
        expect(await read(before.artefacts.br), 'the old one').to.equal('\0br one');
      });

      it('does nothing if the page was rendered again meanwhile, or does not exist', async () => {
        await put('v1', aPage('old'));
        const { artefacts } = await headOf('v1');
        await put('v1', aPage('new', 2));
        await stores().renders.squeeze('v1', artefacts.br, squeezed, later);
        await expectPage('v1', aPage('new', 2));
        await stores().renders.squeeze('v2', 'unknown', squeezed, later);
        expect(await stores().renders.findHead('v2')).to.equal(null);
      });

      it('isSqueezed is false again after the next put', async () => {
        await put('v1', aPage('old'));
        const { artefacts } = await headOf('v1');
        await stores().renders.squeeze('v1', artefacts.br, squeezed, later);
        await put('v1', aPage('new', 2));
        await expectPage('v1', aPage('new', 2));
      });
    });

    describe('a replaced artefact', () => {
      const removeAll = async (renders: RenderStore, before: number) => {
        while ((await renders.removeReplaced(before, 3)) === 3);
      };

      it('can be read until removeReplaced removes it, by the time of its replacement', async () => {
        await put('v1', aPage('old'), start);
        const { artefacts } = await headOf('v1');
        await put('v1', aPage('new', 2), later);
        expect(await read(artefacts.br)).to.equal('\0br old');
        await removeAll(stores().renders, later);
        expect(await read(artefacts.br), 'replaced at `later`, not before').to.equal('\0br old');
        await removeAll(stores().renders, later + 1);
        expect(await read(artefacts.br)).to.equal(null);
        expect(await read(artefacts.gzip)).to.equal(null);
        await expectPage('v1', aPage('new', 2));
      });

      it('is removed, a few per call; artefacts of current pages stay', async () => {
        const old = await inParallel(8, async (i) => {
          await put(`v${i}`, aPage('old'), start);
          const { artefacts } = await headOf(`v${i}`);
          await put(`v${i}`, aPage('new', 2), start);
          return artefacts;
        });
        await removeAll(stores().renders, later);
        for (const { br, gzip } of old)
          expect([await read(br), await read(gzip)]).to.deep.equal([null, null]);
        for (let i = 0; i < 8; i++) await expectPage(`v${i}`, aPage('new', 2));
      });

      it('is removed after parallel puts, and the remaining page is complete', async () => {
        await inParallel(6, (i) => put('v1', aPage(`at once ${i}`, i)));
        await removeAll(stores().renders, later);
        const { plan } = await headOf('v1');
        await expectPage('v1', aPage(`at once ${plan.renderer}`, plan.renderer));
      });

      it('is removed with its version at the latest', async () => {
        await put('v1', aPage('old'));
        const { artefacts } = await headOf('v1');
        await put('v1', aPage('new', 2));
        await stores().renders.delete(['v1']);
        expect(await read(artefacts.br)).to.equal(null);
        expect(await stores().renders.listIds('', 'z', 10)).to.deep.equal([]);
      });
    });

    describe('listOutdated', () => {
      it('lists pages of renderers before this one with their drops, page by page', async () => {
        const { renders } = stores();
        for (const [id, renderer] of [
          ['d', 1],
          ['b', 2],
          ['a', 3],
          ['c', 1],
          ['e', 4],
        ] as const)
          await put(id, aPage(id, renderer));
        const first = await renders.listOutdated(4, null, 3);
        expect(first).to.deep.equal([
          { renderer: 1, versionId: 'c', dropId: 'drop of c' },
          { renderer: 1, versionId: 'd', dropId: 'drop of d' },
          { renderer: 2, versionId: 'b', dropId: 'drop of b' },
        ]);
        const rest = await renders.listOutdated(4, first[2] ?? null, 3);
        expect(rest.map(({ versionId }) => versionId)).to.deep.equal(['a']);
        expect(await renders.listOutdated(1, null, 3)).to.deep.equal([]);
      });
    });
  });
}
