import { readFileSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { openFlakyProxy } from '../support/flaky-proxy.ts';
import { usePublisher } from './publisher.ts';

describe('dropleaf publish, after changes elsewhere and lost answers', () => {
  const publisher = usePublisher();
  const { service, client, env, path, write, run, publish, drops, source, remembered, fails } = publisher;

  it('never overwrites what was published elsewhere, says which version is live and how to see it; --force does', async () => {
    write('a.html', '<title>A</title>mine');
    const { slug, url } = await publish(['a.html']);
    await publisher.owner.put(slug, { html: '<p>theirs' });
    write('a.html', '<title>A</title>mine, changed');
    const said = [
      `${url} has changed. Version 2 is live`,
      'you published version 1',
      `diff ${slug} 1 2`,
      '--force',
    ];
    await fails(6, ['a.html'], said);
    expect(await source(slug)).to.equal('<p>theirs');
    expect(await publish(['a.html', '--force'])).to.include({ slug, latest_version: 3 });
    write('a.html', '<title>A</title>mine again');
    expect(await publish(['a.html'])).to.include({ slug, latest_version: 4 });
  });

  it('a change of details or passcode elsewhere is no conflict, because the page is the same', async () => {
    write('a.html', '<title>A</title>');
    const { slug } = await publish(['a.html']);
    await publisher.owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'secret' } });
    write('a.html', '<title>A</title>2');
    expect(await publish(['a.html'])).to.include({ slug, latest_version: 2, locked: true });
  });

  it('a drop that was deleted is not made again without --new', async () => {
    write('a.html', '<title>A</title>');
    const { slug } = await publish(['a.html']);
    await publisher.owner.request('DELETE', `/api/drops/${slug}`);
    write('a.html', '<title>A</title>2');
    await fails(5, ['a.html'], [`${slug}, which this file was published as,`, '--new']);
    expect(await publish(['a.html', '--new'])).to.include({ latest_version: 1 });
  });

  it('an answer that is lost is asked for again, and makes one drop, also by another run after a crash', async () => {
    write('a.html', '<title>A</title>');
    const proxy = await openFlakyProxy(service.url);
    const options = { env: { ...env(), DROPLEAF_URL: proxy.throughProxy(service.url) } };
    try {
      for (const end of ['restore', 'kill'] as const) {
        proxy.resetReplies();
        const running = client.start(['publish', 'a.html'], options);
        await running.firstMatch(/(Trying again)/);
        if (end === 'kill') running.kill('SIGKILL');
        proxy.restore();
        const { code, stderr } = await running.ended();
        if (end === 'restore') expect(code, stderr).to.equal(0);
        expect(await publish(['a.html'], options)).to.include({ latest_version: 1 });
        expect(await drops()).to.have.length(1);
        rmSync(path('.dropleaf.json'));
        for (const { slug } of await drops()) await publisher.owner.request('DELETE', `/api/drops/${slug}`);
      }
    } finally {
      await proxy.close();
    }
  });

  it('at the same moment one file makes one drop, and of several files for one drop none overwrites another', async () => {
    write('a.html', '<title>A</title>');
    const first = await Promise.all([1, 2, 3].map(() => run(['a.html'])));
    expect(first.map(({ code }) => code)).to.deep.equal([0, 0, 0]);
    const [drop, ...others] = await drops();
    expect(others).to.deep.equal([]);
    for (const name of ['1', '2', '3']) write(`${name}.html`, `<title>${name}</title>`);
    const slug = drop?.slug ?? '';
    const next = await Promise.all(['1', '2', '3'].map((name) => run([`${name}.html`, '--slug', slug])));
    for (const { code, stderr } of next) if (code !== 0) expect(stderr).to.contain('has changed');
    const published = next.filter(({ code }) => code === 0);
    expect((await drops())[0]?.latest_version).to.equal(1 + published.length);
  });

  it('a first publish that was interrupted makes a new drop if its drop was deleted since, or the page has changed', async () => {
    for (const [key, isDeleted] of [
      ['deleted', true],
      ['changed', false],
    ] as const) {
      const { body } = await publisher.owner.request('POST', '/api/drops?title=A', {
        raw: '<title>A</title>',
        headers: { 'content-type': 'text/html', 'idempotency-key': key },
      });
      if (isDeleted) await publisher.owner.request('DELETE', `/api/drops/${body.slug}`);
      write('a.html', isDeleted ? '<title>A</title>' : '<title>A</title>changed');
      write('.dropleaf.json', JSON.stringify({ files: { 'a.html': { [service.url]: { creating: key } } } }));
      const { stdout, stderr, code } = await run(['a.html', '--json']);
      expect(code, stderr).to.equal(0);
      expect(JSON.parse(stdout).slug).not.to.equal(body.slug);
      expect(stderr.includes('seems to have made another page')).to.equal(!isDeleted);
    }
  });

  it('a new version whose answer was lost is no conflict when it is published again', async () => {
    write('a.html', '<title>A</title>1');
    const { slug } = await publish(['a.html']);
    const before = readFileSync(path('.dropleaf.json'), 'utf8');
    write('a.html', '<title>A</title>2');
    await publish(['a.html']);
    write('.dropleaf.json', before); // as if the process had died before it remembered
    expect(await publish(['a.html'])).to.include({ slug, latest_version: 2 });
    expect(remembered('a.html')).to.include({ version: 2 });
  });
});
