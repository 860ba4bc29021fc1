import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { newToken } from '../../shared/credentials/token.ts';
import { until } from '../support/until.ts';
import { usePublisher } from './publisher.ts';
import { runInTerminal } from './terminal.ts';

describe('dropleaf publish', () => {
  const publisher = usePublisher();
  const { service, client, env, path, write, run, publish, drops, source, remembered, fails } = publisher;

  it('prints the address alone on stdout, and publishes the next version there after the file has changed', async () => {
    const page = '\ufeff<!doctype html><title>Sales &amp; costs</title>\r\n<p>é \ud83c\udf43';
    write('report.html', page);
    const first = await run(['report.html']);
    expect(first.code, first.stderr).to.equal(0);
    const [drop] = await drops();
    expect(drop).to.include({ title: 'Sales & costs', latest_version: 1 });
    expect(first.stdout).to.equal(`${drop?.url}\n`);
    expect(await source(drop?.slug ?? '')).to.equal(page);

    expect(await publish(['report.html'])).to.include({ slug: drop?.slug, latest_version: 1 });
    write('report.html', '<title>Sales</title>');
    expect(await publish([path('report.html')])).to.include({
      slug: drop?.slug,
      latest_version: 2,
      title: 'Sales',
    });
    expect(await publish(['report.html', '--force'])).to.include({ latest_version: 3 });
    expect(await publish(['report.html', '--new'])).to.include({ latest_version: 1 });
    expect(await drops()).to.have.length(2);
    expect(readFileSync(path('.dropleaf.json'), 'utf8')).not.to.contain(publisher.owner.token);
  });

  it("the title follows the page's until another is given, here or elsewhere", async () => {
    write('a.html', '<p>no title');
    expect(await publish(['a.html'])).to.include({ title: 'a' });
    write('a.html', '<title>One</title>');
    const { slug } = await publish(['a.html']);
    expect(await publish(['a.html', '--title', 'Given'])).to.include({ title: 'Given', latest_version: 2 });
    write('a.html', '<title>Two</title>');
    expect(await publish(['a.html'])).to.include({ title: 'Given', latest_version: 3 });
    write('b.html', '<title>Three</title>');
    const other = await publish(['b.html']);
    await publisher.owner.request('PATCH', `/api/drops/${other.slug}`, { body: { title: 'Elsewhere' } });
    write('b.html', '<title>Four</title>');
    expect(await publish(['b.html'])).to.include({ title: 'Elsewhere', latest_version: 2 });
    expect(slug).not.to.equal(other.slug);
  });

  it('the title is the one that the service finds in the page, and follows it, whether the service or the client had taken the one before', async () => {
    const far = `<style>${'x'.repeat(5_000)}</style>`;
    const long = `Caf&eacute; &rarr; ${'x'.repeat(250)}`;
    const found = [...`Café → ${'x'.repeat(250)}`].slice(0, 200).join('');
    write('a.html', `${far}<title>${long}</title>`);
    const { slug } = await publish(['a.html']);
    const elsewhere = async (raw: string) =>
      (
        await publisher.owner.request('PUT', `/api/drops/${slug}`, {
          raw,
          headers: { 'content-type': 'text/html' },
        })
      ).body.title;
    expect((await drops())[0]?.title).to.equal(found);
    expect(await elsewhere('<title>&Uuml;ber</title>')).to.equal('Über');
    write('a.html', '<title>Z&uuml;ge</title>');
    expect(await publish(['a.html', '--slug', slug, '--force'])).to.include({ title: 'Züge' });
    expect(await elsewhere('<title>End</title>')).to.equal('End');
  });

  it('a title that an earlier client took from the page follows it, too', async () => {
    const html = `<title>Caf&eacute; ${'x'.repeat(250)}</title>`;
    const title = `Caf&eacute; ${'x'.repeat(187)}…`;
    expect([...title]).to.have.length(200);
    const { slug } = await publisher.owner.create({ title, html });
    write('a.html', '<title>Two</title>');
    expect(await publish(['a.html', '--slug', slug])).to.include({ title: 'Two' });
  });

  it("a title that is the live document's own follows with --slug too, also if another person published that document", async () => {
    const { slug } = await publisher.owner.create({ title: 'One', html: '<title>One</title>' });
    write('a.html', '<title>Two</title>');
    expect(await publish(['a.html', '--slug', slug])).to.include({ title: 'Two', latest_version: 2 });
    const elsewhere = { title: 'Three', html: '<title>Three</title>' };
    await publisher.owner.request('PUT', `/api/drops/${slug}`, { body: elsewhere });
    write('a.html', '<title>Four</title>');
    expect(await publish(['a.html', '--force'])).to.include({ title: 'Four', latest_version: 4 });
    write('a.html', '<p>no title');
    expect(await publish(['a.html'])).to.include({ title: 'a' });
    write('a.html', '<title>Five</title>');
    expect(await publish(['a.html'])).to.include({ title: 'Five' });
    expect((await client.run(['restore', 'a.html', '2'], { env: env() })).code).to.equal(0);
    write('a.html', '<title>Six</title>');
    expect(await publish(['a.html'])).to.include({ title: 'Six' });
    const other = await publisher.owner.create({ title: 'Given', html: '<title>One</title>' });
    expect(await publish(['a.html', '--slug', other.slug])).to.include({ title: 'Given' });
    expect(await publish(['-', '--slug', slug], { input: '<p>no title' })).to.include({ title: 'Six' });
  });

  it('description, tags and expiry change without a new version; never removes the expiry', async () => {
    write('a.html', '<title>A</title>');
    const expires = new Date(Date.now() + 86_400_000 * 400).toISOString();
    const tags = ['--tag', 'a=b=c', '--tag', '__proto__=x'];
    const details = ['--description', 'é'.repeat(500), ...tags, '--expires', expires];
    const first = await publish(['a.html', ...details]);
    expect(first.description).to.equal('é'.repeat(500));
    expect(Object.entries(first.metadata)).to.deep.equal([
      ['a', 'b=c'],
      ['__proto__', 'x'],
    ]);
    expect(first.expires_at).to.equal(Date.parse(expires));
    const second = await publish(['a.html', '--tag', 'only=this', '--expires', 'never']);
    expect(second).to.deep.include({ latest_version: 1, metadata: { only: 'this' } });
    expect(second.expires_at).to.equal(undefined);
  });

  it('a page from stdin is not remembered, and --slug makes it the next version of a drop', async () => {
    const { slug, url } = await publish(['-', '--title', 'From a pipe'], { input: '<p>1' });
    expect(existsSync(path('.dropleaf.json'))).to.equal(false);
    expect(await publish(['-', '--slug', url], { input: '<p>2' })).to.include({
      slug,
      latest_version: 2,
      title: 'From a pipe',
    });
    write('a.html', '<p>3');
    expect(await publish(['a.html', '--slug', slug])).to.include({ slug, latest_version: 3 });
    expect(remembered('a.html')).to.include({ slug, version: 3 });
  });

  it('--context and --passcode-file: the page is locked from its first moment, the trace belongs to the version', async () => {
    write('a.html', '<title>A</title>');
    write('made.md', '# How');
    const { slug, ...drop } = await publish(['a.html', '--context', 'made.md', '--passcode-file', '-'], {
      input: 'open sesame\n',
    });
    expect(drop).to.include({ locked: true, latest_version: 1 });
    expect((await publisher.owner.get<{ context: string }>(`/api/drops/${slug}/v/1`)).body.context).to.equal(
      '# How',
    );
    expect(await publish(['a.html', '--description', 'Figures'])).to.include({ latest_version: 1 });
    expect(await publish(['a.html', '--context', 'made.md'])).to.include({ latest_version: 1 });
    write('made.md', '# How else');
    expect(await publish(['a.html', '--context', 'made.md'])).to.include({ latest_version: 2 });
  });

  it('--lock asks twice on a terminal and shows nothing of the passcode; Ctrl+C exits with 130', async function () {
    write('a.html', '<title>A</title>');
    const terminal = runInTerminal(this, client, ['publish', 'a.html', '--lock'], env());
    await terminal.answer('Passcode for viewers: ', 'sesame\r');
    await terminal.answer('The same again: ', 'sesame\r');
    expect(await terminal.ended()).to.equal(0);
    expect(terminal.output()).not.to.contain('sesame');
    expect((await drops())[0]).to.include({ locked: true });

    const interrupted = runInTerminal(this, client, ['publish', 'a.html', '--lock'], env());
    await interrupted.answer('Passcode for viewers: ', '\x03');
    expect(await interrupted.ended()).to.equal(130);

    await fails(2, ['a.html', '--lock'], ['--passcode-file']);
  });

  it('refuses what looks like a secret, in page and context, without showing it; --allow-secrets publishes it', async () => {
    const secret = newToken();
    write('a.html', `<title>A</title>\n<p>${secret}`);
    write('b.html', '<title>B</title>');
    write('made.md', secret);
    for (const [args, place] of [
      [['a.html'], 'a.html:2:4'],
      [['b.html', '--context', 'made.md'], 'made.md:1:1'],
    ] as const) {
      const said = [`${place}: Dropleaf token (dl_`];
      expect(await fails(7, args, said)).not.to.contain(secret);
    }
    expect(await drops()).to.have.length(0);
    expect(await publish(['a.html', '--allow-secrets'])).to.include({ latest_version: 1 });
  });

  it('warns on stderr and publishes; refuses a page that is too large before it is sent', async () => {
    write(
      'a.html',
      '<script src="https://cdn.example/a.js"></script><script>localStorage.a</script><img src="b.png">',
    );
    await fails(
      7,
      ['a.html'],
      ['not published', 'b.png: there is no such file (a.html:1)', '--allow-missing'],
    );
    const { stdout, stderr, code } = await run(['a.html', '--allow-missing']);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^http\S+\n$/);
    for (const text of ['cdn.example', 'localStorage', 'b.png', 'no <title>'])
      expect(stderr).to.contain(text);
    write('large.html', `<title>L</title>${'x'.repeat(2_097_152)}`);
    await fails(7, ['large.html'], ['too large: 2097168 of at most 2097152 bytes']);
    for (const bytes of [2_000_000, 2_097_152 - 16]) {
      write('large.html', `<title>L</title>${'x'.repeat(bytes)}`);
      expect((await run(['large.html'])).stderr).to.contain('close to the limit');
    }
  });

  it('local files become part of the page, and are named with their sizes; one that is too large is named, too', async () => {
    write('a.html', '<title>A</title><link rel=stylesheet href=a.css><script src=a.js></script>');
    write('a.css', 'p{}');
    write('a.js', 'a()');
    const { stdout, stderr } = await run(['a.html']);
    expect(stderr).to.contain('a.css: 3 bytes\na.js: 3 bytes\n');
    const { text } = await publisher.service.get(`${new URL(stdout.trim()).pathname}/raw`);
    expect(text).to.contain('<style>p{}</style><script>a()</script>');
    write('a.css', `/*${'x'.repeat(2_097_152)}*/`);
    await fails(
      7,
      ['a.html'],
      ['too large', 'The largest files in it are a.css (2097156 bytes), a.js (3 bytes).'],
    );
    write('a.css', `/* AKIA${'ABCDEFGHIJKLMNOP'} */`);
    const [listed] = JSON.parse(`[${(await run(['a.html', '--allow-secrets', '--json'])).stdout}]`);
    expect(listed.files.map(({ path }: { path: string }) => path)).to.deep.equal(['a.css', 'a.js']);
  });

  const mistakes: [what: string, args: string[], code: number, answer: string][] = [
    ['a file that is not there', ['none.html'], 1, 'cannot read none.html: there is no such file'],
    ['a folder', ['folder'], 7, 'folder has no index.html: name the page in it'],
    ['a device that never ends', ['/dev/zero'], 7, 'that is no page'],
    [
      'text that is not UTF-8',
      ['latin.html'],
      7,
      'latin.html cannot be published. The encoding of this file is unknown. Save the file as UTF-8',
    ],
    ['an empty file', ['empty.html'], 7, 'empty.html is empty'],
    ['a time in the past', ['a.html', '--expires', '2020-01-01'], 2, '--expires must be in the future'],
    ['a time that is none', ['a.html', '--expires', 'soon'], 2, '--expires must be as 30m'],
    ['a tag without a value', ['a.html', '--tag', 'project'], 2, '--tag must be key=value'],
    ['two uses of stdin', ['-', '--context', '-'], 2, 'only one of'],
    [
      'a passcode that is refused',
      ['a.html', '--passcode-file', '-'],
      7,
      'passcode_too_short)\n  min_length: 4\n',
    ],
    ['two wrong fields', ['a.html', '--title', ' ', '--tag', 'a b=c'], 7, '\n  metadata'],
    ['watching stdin', ['-', '--watch'], 2, '--watch needs a file'],
    ['stdin without a title', ['-'], 2, 'the page has no <title>: add one, or --title'],
    ['a slug that is none', ['a.html', '--slug', 'a b'], 2, 'there is no such page or file'],
    ['a .dropleaf.json that is not valid', ['broken/a.html'], 1, 'it has merge conflicts'],
  ];
  it('every mistake is named with what to do, and publishes nothing', async () => {
    write('a.html', '<title>A</title>');
    write('empty.html', '');
    write('latin.html', Buffer.from([0x3c, 0x70, 0x3e, 0xe9]));
    mkdirSync(path('folder'));
    mkdirSync(path('broken'));
    write('broken/a.html', '<title>A</title>');
    write('broken/.dropleaf.json', '<<<<<<< HEAD\n');
    for (const [, args, code, answer] of mistakes) {
      await fails(code, args, [answer], '<p>');
    }
    const unsigned = await run(['none.html'], { env: { DROPLEAF_URL: service.url } });
    expect(unsigned.stderr, 'before the sign-in').to.contain('there is no such file');
    expect(await drops()).to.have.length(0);
  });

  it('what cannot be remembered is published all the same, with a warning', async () => {
    write('a.html', '<title>A</title>');
    const file = openSync(path('a.html'), 'r');
    const { stdout, stderr, code } = await run([`/proc/${process.pid}/fd/${file}`]);
    closeSync(file);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^http/);
    expect(stderr).to.contain('cannot write /proc/').and.contain('--slug');
  });

  it('--watch publishes each save, continues after errors, and ends with 130', async () => {
    write('a.html', '<title>A</title>1');
    const watching = client.start(['publish', 'a.html', '--watch', '--json'], { env: env() });
    const versions = () =>
      watching.output.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ error }) => error === undefined)
        .map(({ latest_version }) => latest_version);
    await watching.firstMatch(/(Watching a\.html)/);
    await until(() => watching.output.stdout !== '', 'version 1');

    write('a.html', '<title>A</title>2');
    await until(() => versions().length === 2, 'version 2');
    write('new', '<title>A</title>3');
    renameSync(path('new'), path('a.html')); // as editors do
    await until(() => versions().length === 3, 'version 3');
    write('a.html', `<title>A</title>${newToken()}`);
    await watching.firstMatch(/(looks like|seems to contain a secret)/);
    rmSync(path('a.html'));
    write('other.html', '<title>Other</title>');
    write('a.html', '<title>A</title>4');
    await until(() => versions().length === 4, 'version 4');
    write('a.html', '<title>A</title><link rel=stylesheet href="css/a.css">');
    await watching.firstMatch(/(css\/a\.css: there is no such file)/);
    mkdirSync(path('css'));
    write('css/a.css', '5{}');
    write('a.html', '<title>A</title><link rel=stylesheet href="css/a.css"> ');
    await until(() => versions().length === 5, 'version 5');
    write('css/a.css', '6{}');
    await watching.firstMatch(/(Changed: a\.css)/);
    await until(() => versions().length === 6, 'version 6');
    rmSync(path('css'), { recursive: true }); // as builds do
    mkdirSync(path('css'));
    write('css/a.css', '7{}');
    await until(() => versions().length === 7, 'version 7');
    write('css/a.css', '8{}');
    await until(() => versions().length === 8, 'version 8');
    expect(versions()).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    watching.kill('SIGINT');
    expect((await watching.ended()).code).to.equal(130);
  });
});
