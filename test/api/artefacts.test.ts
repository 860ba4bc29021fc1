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
    const { slug } = await service.newDrop({ html: '<p>x', context: '*new*' });
    await service.settle();
    let { renders } = service.services.engine;
    const [versionId = ''] = await renders.listIds('', 'g', 1);
    await renders.delete([versionId]);
    const plan = { renderer: rendererVersion - 1, insertAt: 0, insertion: '<!-- older -->' };
    const facts = { byteLength: 0, digest: 'older' };
    const context = Buffer.from('<p>older context</p>');
    const identity = { byteLength: 18, digest: 'older' };
    const head = { plan, facts: { identity, br: facts, gzip: facts }, contextLength: context.length };
    await renders.put(versionId, { head, br: Buffer.of(), gzip: Buffer.of(), context });
    await service.restart(); // nothing is in memory
    renders = service.services.engine.renders;

    const older = await service.get(`/p/${slug}/raw`);
    expect(older.text).to.equal('<!-- older --><p>x');
    expect(older.headers['cache-control']).to.match(/^public/);
    expect((await service.view(`/p/${slug}`)).text).to.include('<p>older context</p>');

    await service.settle();
    expect((await service.get(`/p/${slug}/raw`)).text).to.match(/<style data-dropleaf>.*<p>x$/);
    expect((await service.view(`/p/${slug}`)).text).to.include('<em>new</em>');
    expect(await renders.findHead(versionId, rendererVersion - 1), 'the older artefact').to.equal(null);
  });
});
