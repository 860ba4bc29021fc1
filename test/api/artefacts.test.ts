import { expect } from 'chai';
import { rendererVersion } from '../../shared/html/insertion.ts';
import { makeChartReport } from '../browser/chart-report.ts';
import { useServiceOfEach } from '../support/service.ts';

const asBrotli = { headers: { 'accept-encoding': 'br' } };

describe('The stored page of a version', () => {
  const service = useServiceOfEach();

  it('has at most 0.32 of the bytes of a report with a chart library', async () => {
    const { slug } = await service.newDrop({ html: makeChartReport() });
    await service.settle();
    const path = `/p/${slug}/raw`;
    const identity = await service.get(path, { headers: { 'accept-encoding': 'identity' } });
    const compressed = await service.request('HEAD', path, asBrotli);
    expect(compressed.headers['content-encoding']).to.equal('br');
    const share = Number(compressed.headers['content-length']) / Number(identity.headers['content-length']);
    expect(share).to.be.at.most(0.32);
  });

  it('by an older renderer is served with its context while it is rendered again', async () => {
    const page = await service.newDrop({ html: '<p>x', context: '*new*' });
    const viewed = await service.newDrop({ html: '<p>x', context: '*new*' });
    await service.settle();
    const versionIds = await service.services.engine.renders.listIds('', 'g', 2);
    for (const versionId of versionIds) await replaceByOlder(versionId);
    await service.restart(); // nothing is in memory

    // Of two drops, because the first read of each has it rendered again at once.
    const older = await service.get(`/p/${page.slug}/raw`);
    expect(older.text).to.equal('<!-- older --><p>x');
    expect(older.headers['cache-control']).to.match(/^public/);
    expect((await service.view(`/p/${viewed.slug}`)).text).to.include('<p>older context</p>');

    await service.settle();
    const { renders } = service.services.engine;
    for (const { slug } of [page, viewed]) {
      expect((await service.get(`/p/${slug}/raw`)).text).to.match(/<style data-dropleaf>.*<p>x$/);
      expect((await service.view(`/p/${slug}`)).text).to.include('<em>new</em>');
    }
    for (const versionId of versionIds) {
      expect(await renders.findHead(versionId, rendererVersion - 1), 'the older artefact').to.equal(null);
    }
  });

  /** As the renderer before this one would have stored it. */
  async function replaceByOlder(versionId: string): Promise<void> {
    const { renders } = service.services.engine;
    const plan = { renderer: rendererVersion - 1, insertAt: 0, insertion: '<!-- older -->' };
    const facts = { byteLength: 0, digest: 'older' };
    const identity = { byteLength: 18, digest: 'older' };
    const context = Buffer.from('<p>older context</p>');
    const head = { plan, facts: { identity, br: facts, gzip: facts }, contextLength: context.length };
    await renders.delete([versionId]);
    await renders.put(versionId, { head, br: Buffer.of(), gzip: Buffer.of(), context });
  }
});
