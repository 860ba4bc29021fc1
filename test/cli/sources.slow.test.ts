import { mkdirSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { ZipFile } from 'yazl';
import { usePublisher } from './publisher.ts';
import { runInTerminal } from './terminal.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const picture = `data:image/png;base64,${png.toString('base64')}`;

function zip(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(files)) archive.addBuffer(content, name);
  archive.end();
  return buffer(archive.outputStream);
}

describe('dropleaf publish: what it takes', () => {
  const publisher = usePublisher();
  const { client, env, path, write, publish, source, remembered, run, fails } = publisher;
  const contextOf = async (slug: string, version = 1) =>
    (await publisher.owner.get<{ context: string | null }>(`/api/drops/${slug}/v/${version}`)).body.context;

  it('Markdown becomes a page with its pictures; viewers can read the Markdown, unless --no-context says no', async () => {
    const markdown = '# Results of *May*\n\n![A](a.png)\n\n<b>HTML</b>\n';
    write('a.png', png);
    write('notes.md', markdown);
    const drop = await publish(['notes.md']);
    expect(drop).to.deep.include({ title: 'Results of May', latest_version: 1 });
    const html = await source(drop.slug);
    expect(html).to.contain(`<img src="${picture}" alt="A">`).and.to.contain('&lt;b&gt;HTML');
    expect(await contextOf(drop.slug)).to.equal(markdown);
    expect(await publish(['notes.md'])).to.include({ latest_version: 1 });
    expect(await publish(['notes.md', '--no-context'])).to.include({ latest_version: 2 });
    expect(await publish(['notes.md'])).to.include({ latest_version: 2, did: 'nothing' });
    expect(await contextOf(drop.slug, 2)).to.equal(null);
    expect(await publish(['notes.md', '--html'])).to.include({ latest_version: 3 });
    expect(await publish(['notes.md'])).to.include({ latest_version: 3 });
    expect(await source(drop.slug)).to.contain('<b>HTML</b>');
    expect(remembered('notes.md')).to.include({ as: 'html' });
    expect(await publish(['notes.md', '--no-html'])).to.include({ latest_version: 4, did: 'published' });
    write('notes.md', `![No](no.png)\n\n${['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_')}`);
    await fails(7, ['notes.md'], ['no.png: there is no such file (notes.md)']);
    await fails(7, ['notes.md', '--allow-missing'], ['notes.md:3:1: GitHub token']);
  });

  it('Markdown with another context keeps its source to itself; --text and --html replace what is remembered', async () => {
    write('how.md', 'By hand');
    write('notes.md', '# Notes');
    const { slug } = await publish(['notes.md', '--context', 'how.md']);
    expect(await publish(['notes.md'])).to.include({ latest_version: 1, did: 'nothing' });
    write('notes.md', '# Notes\n\nMore');
    expect(await publish(['notes.md'])).to.include({ latest_version: 2 });
    expect(await contextOf(slug, 2)).to.equal(null);
    await publish(['notes.md', '--html']);
    await publish(['notes.md', '--text']);
    expect(await source(slug)).to.contain('<pre');
    expect(remembered('notes.md')).to.include({ as: 'text' });
    await publish(['notes.md', '--no-html']);
    expect(await source(slug)).to.contain('<h1');
    await fails(2, ['notes.md', '--html', '--text'], ["'--text' cannot be used with option '--html'"]);
  });

  it('Markdown that is longer than a context may be is published without one, and this is said', async () => {
    write('long.md', `# Long\n\n${'words '.repeat(12_000)}`);
    const { stderr, stdout } = await run(['long.md', '--json']);
    expect(stderr).to.contain('the Markdown is not the context of the version: it has more than 65536 bytes');
    expect(await contextOf(JSON.parse(stdout).slug)).to.equal(null);
  });

  it('a notebook: says what exports it', async () => {
    write('analysis.ipynb', '{}');
    await fails(7, ['analysis.ipynb'], ['jupyter nbconvert --to html analysis.ipynb']);
  });

  it('a folder with an index.html is that page, and the folder has the memory', async () => {
    mkdirSync(path('site/img'), { recursive: true });
    write('site/img/a.png', png);
    write('site/index.html', '<img src="img/a.png">');
    const { slug, title } = await publish(['site']);
    expect(title).to.equal('site');
    expect(await source(slug)).to.equal(`<img src="${picture}">`);
    expect(await publish(['site/index.html', '--force'])).to.include({ slug, latest_version: 2 });
    expect((await client.run(['verify', 'site'], { env: env() })).code).to.equal(0);
    expect((await client.run(['versions', 'site'], { env: env() })).code).to.equal(0);
    mkdirSync(path('empty'));
    await fails(7, ['empty'], ['empty has no index.html: name the page in it']);
  });

  it('a zip file of a page, also in a folder of its own; nothing is written, and no name leads out of it', async () => {
    const page = (address: string) => Buffer.from(`<title>Zip</title><img src="${address}">`);
    write('site.zip', await zip({ 'dist/index.html': page('./%C3%BC.png'), 'dist/u\u0308.png': png }));
    const { slug } = await publish(['site.zip']);
    expect(await source(slug)).to.equal(`<title>Zip</title><img src="${picture}">`);
    expect(await publish(['site.zip'])).to.include({ slug, latest_version: 1 });
    const hostile = await zip({ 'index.html': page('../out.png'), 'xx/out.png': png });
    write('out.zip', Buffer.from(hostile.toString('latin1').replaceAll('xx/', '../'), 'latin1'));
    await fails(7, ['out.zip'], ['../out.png: it is outside of the folder of the page (index.html:1)']);
    write('none.zip', await zip({ 'page.html': page('a.png') }));
    await fails(7, ['none.zip'], ['none.zip has no index.html']);
    write('broken.zip', 'PK\u0003\u0004 nothing');
    await fails(7, ['broken.zip'], ['broken.zip is no zip file that can be read']);
  });

  it('text without a tag is asked about, and published as it is written with --text', async function () {
    write('log.txt', 'a < b\n');
    await fails(7, ['log.txt'], ['log.txt does not look like HTML: to publish it as plain text add --text']);
    write('run.log', 'a <b>c</b>');
    await fails(7, ['run.log'], ['run.log does not look like HTML', 'if it is HTML, --html']);
    expect(await source((await publish(['run.log', '--html', '--title', 'Run'])).slug)).to.equal(
      'a <b>c</b>',
    );
    write('a.html', 'a <b>c</b>');
    expect(await source((await publish(['a.html', '--text'])).slug)).to.contain(
      'a &lt;b&gt;c&lt;/b&gt;</pre>',
    );
    write('a.pdf', '%PDF-1.7');
    await fails(7, ['a.pdf'], ['a.pdf cannot be published. This is a PDF. Export it as HTML']);
    write('empty.md', '');
    await fails(7, ['empty.md'], ['empty.md is empty']);
    await fails(7, ['-', '--title', 'x'], ['stdin does not look like HTML'], 'words');
    const { slug, title } = await publish(['log.txt', '--text']);
    expect(title).to.equal('log');
    expect(await source(slug)).to.contain('<pre>\na &lt; b\n</pre>');
    write('words.txt', 'words');
    const terminal = runInTerminal(this, client, ['publish', 'words.txt'], env());
    await terminal.answer('Publish it as plain text? [y/N] ', 'y\r');
    expect(await terminal.ended()).to.equal(0);
  });
});
