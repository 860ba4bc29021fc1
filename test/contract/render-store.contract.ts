import { expect } from 'chai';
import type { Rendered } from '../../shared/ports/render-store.ts';
import { inParallel } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

function aPage(text: string, renderer = 1): Rendered {
  return {
    plan: { renderer, insertAt: 17, insertion: `<style>/* ${text} é */</style>` },
    br: Buffer.from(`\0br ${text}`),
    gzip: Buffer.from(`\0gzip ${text}`),
  };
}

/** What any engine must do for RenderStore. */
export function describeRenderStoreContract(engine: string, openStores: OpenStores): void {
  describe(`RenderStore (${engine})`, () => {
    const stores = useStores(openStores);

    async function expectPage(id: string, page: Rendered): Promise<void> {
      const { renders } = stores();
      expect(await renders.findPlan(id)).to.deep.equal(page.plan);
      expect(Buffer.from((await renders.findForm(id, 'br')) ?? [])).to.deep.equal(page.br);
      expect(Buffer.from((await renders.findForm(id, 'gzip')) ?? [])).to.deep.equal(page.gzip);
    }

    it('gives back the plan and both forms of a rendered page', async () => {
      const page = aPage('one');
      await stores().renders.put('v1', page);
      await expectPage('v1', page);
    });

    it('keeps a plan that inserts nothing', async () => {
      const page = { ...aPage('none'), plan: { renderer: 1, insertAt: 0, insertion: '' } };
      await stores().renders.put('v1', page);
      await expectPage('v1', page);
    });

    it('gives null for what is not rendered', async () => {
      const { renders } = stores();
      expect(await renders.findPlan('v1')).to.equal(null);
      expect(await renders.findForm('v1', 'br')).to.equal(null);
      expect(await renders.findForm('v1', 'gzip')).to.equal(null);
    });

    it('replaces all of a page that is rendered again', async () => {
      await stores().renders.put('v1', aPage('old', 1));
      await stores().renders.put('v1', aPage('new', 2));
      await expectPage('v1', aPage('new', 2));
    });

    it('keeps one whole page of several that are put at once', async () => {
      const { renders } = stores();
      await inParallel(10, (i) => renders.put('v1', aPage(`at once ${i}`, i)));
      const plan = await renders.findPlan('v1');
      expect(plan).to.not.equal(null);
      await expectPage('v1', aPage(`at once ${plan?.renderer}`, plan?.renderer));
    });

    it('lists which of many versions have a page of a renderer', async () => {
      const { renders } = stores();
      const ids = Array.from({ length: 200 }, (_, i) => `v${i}`);
      await inParallel(100, (i) => renders.put(`v${i}`, aPage('any', i % 2)));
      const rendered = [...(await renders.listRendered(ids, 1))];
      expect(rendered).to.have.members(Array.from({ length: 50 }, (_, i) => `v${2 * i + 1}`));
      expect((await renders.listRendered(['v0', 'v199'], 1)).size).to.equal(0);
      expect((await renders.listRendered([], 1)).size).to.equal(0);
    });

    it('deletes what it is told to, unknown ids without an error, and nothing else', async () => {
      const { renders } = stores();
      for (const id of ['v1', 'v2', 'v3']) await renders.put(id, aPage(id));
      await renders.delete(['v1', 'v3', 'unknown']);
      expect(await renders.findPlan('v1')).to.equal(null);
      expect(await renders.findForm('v3', 'br')).to.equal(null);
      expect(await renders.listIds('', 'z', 10)).to.deep.equal(['v2']);
    });

    it('lists ids in order, between the two, page by page', async () => {
      const { renders } = stores();
      for (const id of ['d', 'b', 'a', 'c', 'e']) await renders.put(id, aPage(id));
      expect(await renders.listIds('', 'e', 2)).to.deep.equal(['a', 'b']);
      expect(await renders.listIds('b', 'e', 2)).to.deep.equal(['c', 'd']);
      expect(await renders.listIds('d', 'e', 2)).to.deep.equal([]);
    });
  });
}
