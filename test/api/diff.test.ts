import { expect } from 'chai';
import { longestTurnOf } from '../support/cpu.ts';
import { expectError } from '../support/expect.ts';
import { noLimits } from '../support/no-limits.ts';
import { useService } from '../support/service.ts';

describe('GET /api/drops/{slug}/diff', () => {
  const service = useService(noLimits);

  /** A drop with these documents as versions 1, 2, 3 … */
  async function withVersions(...documents: string[]) {
    const { owner, slug } = await service.newDrop({ html: documents[0] });
    for (const html of documents.slice(1)) await owner.put(slug, { html });
    const diff = (query = '') => owner.get(`/api/drops/${slug}/diff${query}`);
    return { owner, slug, path: `/api/drops/${slug}`, diff };
  }

  it('200 text/x-diff: a unified diff of the version before and the latest', async () => {
    const { slug, diff } = await withVersions('<p>0\n', '<h1>a</h1>\n<p>b\n<p>ü\n', '<h1>a</h1>\n<p>B\n<p>ü');
    const answer = await diff();
    expect(answer.status).to.equal(200);
    expect(answer.headers).to.include({
      'content-type': 'text/x-diff; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(answer.text.split('\n')).to.deep.equal([
      `--- ${slug}-v2.html`,
      `+++ ${slug}-v3.html`,
      '@@ -1,3 +1,3 @@',
      ' <h1>a</h1>',
      '-<p>b',
      '-<p>ü',
      '+<p>B',
      '+<p>ü',
      '\\ No newline at end of file',
      '',
    ]);
  });

  it('from and to name the versions, in any order; the same version has no difference', async () => {
    const { diff } = await withVersions('one\n', 'two\n', 'three\n', 'three\n');
    const changed = async (query: string) => (await diff(query)).text.split('\n').slice(3).join(' ').trim();
    expect(await changed('?from=1&to=2')).to.equal('-one +two');
    expect(await changed('?from=1')).to.equal('-one +three');
    expect(await changed('?to=3')).to.equal('-two +three');
    expect(await changed('?from=3&to=1')).to.equal('-three +one');
    for (const query of ['', '?from=3', '?from=2&to=2']) {
      const same = await diff(query);
      expect([same.status, same.text]).to.deep.equal([200, '']);
    }
  });

  it('a deleted version is skipped as the one before', async () => {
    const { owner, path, diff } = await withVersions('one\n', 'two\n', 'three\n');
    await owner.request('DELETE', `${path}/v/2`);
    expect((await diff()).text)
      .to.include('-one')
      .and.to.include('+three');
    expectError(await diff('?from=2'), 404, 'not_found');
  });

  it('a minified document is split at its tags', async () => {
    const row = (n: number) => `<tr><td>${n}</td><td>some text in a cell</td></tr>`;
    const page = (third: number) => `<table>${[1, 2, third, 4, 5, 6, 7, 8].map(row).join('')}</table>`;
    const { diff } = await withVersions(page(3), page(33));
    expect((await diff()).text.split('\n').slice(2, -1)).to.deep.equal([
      '@@ -12,7 +12,7 @@',
      ' </td>',
      ' </tr>',
      ' <tr>',
      '-<td>3',
      '+<td>33',
      ' </td>',
      ' <td>some text in a cell',
      ' </td>',
    ]);
  });

  it('format=text compares what readers see', async () => {
    const before = '<title>A</title><style>p{}</style><h1>Sales</h1><p>Up <b>5</b> %</p><script>a()</script>';
    const after =
      '<title>B</title><style>q{}</style><h1>Sales</h1>\n<p>Up\n<b>7</b> %</p><script>b()</script>';
    const { slug, diff } = await withVersions(before, after, after.replace('b()', 'c()'));
    const lines = (await diff('?to=2&format=text')).text.split('\n').slice(2, -1);
    expect((await diff('?to=2&format=text')).text).to.include(`+++ ${slug}-v2.txt`);
    expect(lines).to.deep.equal(['@@ -1,2 +1,2 @@', ' Sales', '-Up 5 %', '+Up 7 %']);
    expect((await diff('?format=text')).text).to.equal('');
    expect((await diff('?format=source')).text).to.include('c()');
  });

  it('of a locked drop and of one that was taken down', async () => {
    const { owner, slug, path, diff } = await withVersions('one', 'two');
    await owner.request('POST', `${path}/passcode`, { body: { passcode: 'open sesame' } });
    expect((await diff()).text).to.include('-one');
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'spam' });
    expect((await diff()).text).to.include('-one');
  });

  it('only one version, or none before `to`: 400 invalid_arg', async () => {
    const { owner, path, diff } = await withVersions('one', 'two');
    expect(expectError(await diff('?to=1'), 400, 'invalid_arg').field).to.equal('from');
    await owner.request('DELETE', `${path}/v/2`);
    expect(expectError(await diff(), 400, 'invalid_arg').field).to.equal('from');
  });

  for (const [query, field] of [
    ['?from=0', 'from'],
    ['?from=', 'from'],
    ['?from=1&from=2', 'from'],
    ['?to=1.5', 'to'],
    ['?to=1e9999', 'to'],
    ['?format=html', 'format'],
    ['?format=', 'format'],
    ['?format=text&format=source', 'format'],
  ] as const) {
    it(`${query}: 400 invalid_arg`, async () => {
      const { diff } = await withVersions('one', 'two');
      expect(expectError(await diff(query), 400, 'invalid_arg').field).to.equal(field);
    });
  }

  it('404 not_found: a version that does not exist, a deleted drop', async () => {
    const { owner, path, diff } = await withVersions('one', 'two');
    for (const query of ['?from=3', '?to=3', '?from=1&to=3'])
      expectError(await diff(query), 404, 'not_found');
    await owner.request('DELETE', path);
    expectError(await diff(), 404, 'not_found');
  });

  it('too different to be compared in time: 400 invalid_arg, while other requests are answered', async () => {
    const numbers = (step: number) =>
      Array.from({ length: 200_003 }, (_, i) => (i * step) % 200_003).join('\n');
    const { diff } = await withVersions(numbers(7_919), numbers(104_729));
    const compare = async () => {
      let isOver = false;
      const sent = diff().finally(() => {
        isOver = true;
      });
      while (!isOver) expect((await service.get('/healthz')).status).to.equal(200);
      const answer = await sent;
      expectError(answer, 400, 'invalid_arg');
      expect(answer.body.error.message).to.include('too different');
    };
    expect(await longestTurnOf(compare, 300), 'the longest turn of the event loop').to.be.below(300);
  });
});
