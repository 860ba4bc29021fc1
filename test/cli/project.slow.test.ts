import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { usePublisher } from './publisher.ts';

interface Row {
  readonly file: string;
  readonly status: string;
  readonly problem?: string;
}

describe('dropleaf status, publish --all and verify', () => {
  const publisher = usePublisher();
  const { client, service, env, path, write, publish, source, fails } = publisher;
  const command = (args: readonly string[]) => client.run(args, { env: env() });

  async function statuses(): Promise<Record<string, string>> {
    const { stdout, code, stderr } = await command(['status', '--json']);
    expect(code, stderr).to.equal(0);
    return Object.fromEntries((JSON.parse(stdout) as Row[]).map(({ file, status }) => [file, status]));
  }

  /** One file for each state, and what became of it. */
  async function makeProject() {
    const names = ['same.html', 'changed.html', 'newer.html', 'gone.html', 'expired.html', 'unreadable.html'];
    const slugs: Record<string, string> = {};
    const expiry = Date.now() + 3_600_000;
    for (const name of [...names, 'notes.md']) {
      write(name, name.endsWith('.md') ? '# Notes\n' : `<title>${name}</title>`);
      const soon = name === 'expired.html' ? ['--expires', new Date(expiry).toISOString()] : [];
      slugs[name] = (await publish([name, ...soon])).slug;
    }
    const { owner } = publisher;
    write('changed.html', '<title>changed</title><p>more');
    write('notes.md', '# Notes\n\nMore');
    await owner.request('PUT', `/api/drops/${slugs['newer.html']}`, { body: { html: '<p>elsewhere' } });
    await owner.request('PATCH', `/api/drops/${slugs['same.html']}`, { body: { title: 'Other' } });
    await owner.request('DELETE', `/api/drops/${slugs['gone.html']}`);
    rmSync(path('unreadable.html'));
    service.clock.advance(expiry - service.clock.now() + 1_000);
    const remembered = JSON.parse(readFileSync(path('.dropleaf.json'), 'utf8'));
    remembered.files['expired.html'][service.url].expires_at = Date.now() - 1; // the clock of this test is not the client's
    write('.dropleaf.json', JSON.stringify(remembered));
    return slugs;
  }

  it('status tells in a table and in JSON what became of each file', async () => {
    await makeProject();
    expect(await statuses()).to.deep.equal({
      'changed.html': 'changed',
      'expired.html': 'expired',
      'gone.html': 'gone',
      'newer.html': 'newer there',
      'notes.md': 'changed',
      'same.html': 'unchanged',
      'unreadable.html': 'unreadable',
    });
    const { stdout } = await command(['status']);
    expect(stdout).to.match(/^FILE +STATUS +VERSION +ADDRESS\n/);
    expect(stdout).to.match(/^changed\.html +changed +1 +http:\S+\/p\/\S+$/m);
    expect(stdout).to.match(/^unreadable\.html .* cannot read unreadable\.html: there is no such file$/m);
  });

  it('publish --all publishes what has changed, in the way it was published before, and nothing else', async () => {
    const slugs = await makeProject();
    await fails(2, ['--all'], ['no terminal', 'add --yes', 'newer there']);
    write('unreadable.html', '<title>unreadable.html</title>');
    const { stdout, stderr, code } = await command(['publish', '--all', '--yes', '--json']);
    expect(code, stderr).to.equal(0);
    const published: { file: string; latest_version: number }[] = JSON.parse(stdout);
    expect(published.map(({ file, latest_version }) => [file, latest_version])).to.deep.equal([
      ['changed.html', 2],
      ['notes.md', 2],
    ]);
    expect(await source(slugs['newer.html'] ?? '')).to.equal('<p>elsewhere');
    expect(await statuses()).to.include({ 'changed.html': 'unchanged', 'notes.md': 'unchanged' });
    const again = await command(['publish', '--all', '--yes']);
    expect(again.stderr).to.contain('Nothing has changed here.');
    write('newer.html', '<p>here, too');
    const conflict = await command(['publish', '--all', '--yes']);
    expect(conflict.code).to.equal(6);
    expect(conflict.stderr).to.contain('changed here, too').and.to.contain('Overwrite it:');
  });

  it('publish --all goes on after a file that cannot be published, and fails at the end', async () => {
    for (const name of ['a.html', 'b.html']) {
      write(name, `<title>${name}</title>`);
      await publish([name]);
    }
    write('a.html', '<img src="missing.png">');
    write('b.html', '<title>b</title>More');
    const { stderr, stdout, code } = await command(['publish', '--all', '--yes']);
    expect(code).to.equal(7);
    expect(stderr).to.contain('missing.png').and.to.contain('1 of 2 files were not published');
    expect(stdout).to.match(/^http:\S+\n$/);
    expect(await statuses()).to.deep.equal({ 'a.html': 'changed', 'b.html': 'unchanged' });
  });

  it('a folder without published files, and arguments that do not belong together', async () => {
    const { stderr, stdout, code } = await command(['status']);
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 0 });
    expect(stderr).to.contain('No file of . was published');
    await client.fails(2, ['status', 'none'], ['there is no folder none'], { env: env() });
    await fails(2, ['--all', 'none'], ['there is no folder none']);
    write('a.html', '<p>');
    await fails(2, ['--all', 'a.html'], ['there is no folder a.html']);
    await fails(2, ['--all', '--title', 'x'], ["'--all' cannot be used with option '--title"]);
    await fails(2, ['--all', '--force'], ["'--all' cannot be used with option '--force"]);
    await fails(2, ['--all', '--text'], ["'--all' cannot be used with option '--text"]);
    await fails(2, [], ['name the file to publish; or publish what has changed: --all']);
  });

  it('status and publish --all cover the folders below, but for node_modules, .git and links', async () => {
    for (const folder of ['sub/deep', 'node_modules/x', '.git']) mkdirSync(path(folder), { recursive: true });
    const files = ['a.html', 'sub/b.html', 'sub/deep/c.html', 'node_modules/x/d.html', '.git/e.html'];
    for (const file of files) {
      write(file, `<title>${file}</title>`);
      await publish([file]);
      write(file, `<title>${file}</title>2`);
    }
    symlinkSync(path('.'), path('sub/circle'));
    write('sub/.dropleaf.json', `\ufeff${readFileSync(path('sub/.dropleaf.json'), 'utf8')}`);
    const changed = files.slice(0, 3);
    expect(await statuses()).to.deep.equal(Object.fromEntries(changed.map((file) => [file, 'changed'])));
    const { stdout } = await command(['publish', '--all', '--yes', '--json']);
    expect(JSON.parse(stdout).map(({ file }: Row) => file)).to.deep.equal(changed);
    expect(Object.values(await statuses())).to.deep.equal(['unchanged', 'unchanged', 'unchanged']);
  });

  it('of the folders below, which others may have made, no file is published that leads out of the folder', async () => {
    write('secret.txt', 'the secret of this computer');
    write('page.html', '<title>Page</title>');
    const { slug } = await publish(['page.html']);
    const { files } = JSON.parse(readFileSync(path('.dropleaf.json'), 'utf8'));
    mkdirSync(path('got/deep'), { recursive: true });
    const known = { 'x.html': { [service.url]: { ...files['page.html'][service.url], as: 'text' } } };
    write('got/deep/.dropleaf.json', JSON.stringify({ files: known }));
    symlinkSync(path('secret.txt'), path('got/deep/x.html'));
    symlinkSync('/dev/zero', path('got/.dropleaf.json'));
    const before = await source(slug);
    expect(await statuses()).to.deep.equal({ 'page.html': 'unchanged', 'got/deep/x.html': 'unreadable' });
    const { code, stderr } = await command(['publish', '--all', '--yes']);
    expect(code, stderr).to.equal(7);
    expect(stderr).to.contain('got/deep/x.html is a link that leads out of its folder');
    rmSync(path('got/deep/x.html'));
    mkdirSync(path('elsewhere'));
    write('elsewhere/index.html', '<title>Page</title>elsewhere');
    symlinkSync(path('elsewhere'), path('got/deep/x.html'));
    expect((await command(['publish', '--all', '--yes'])).code).to.equal(7);
    expect(await source(slug)).to.equal(before);
  });

  it('a damaged .dropleaf.json in a folder below is left out with a warning, the others are not', async () => {
    write('page.html', '<title>Page</title>');
    await publish(['page.html']);
    mkdirSync(path('got'));
    for (const damaged of ['{', '{"files":{"../x.html":{}}}', '[]']) {
      write('got/.dropleaf.json', damaged);
      expect(await statuses()).to.deep.equal({ 'page.html': 'unchanged' });
      const { code, stderr } = await command(['publish', '--all', '--yes']);
      expect(code, stderr).to.equal(0);
      expect(stderr).to.include('got is left out: ');
    }
  });

  it('publish --all publishes what a link in the folder that was named, or within one below, leads to', async () => {
    mkdirSync(path('sub'));
    mkdirSync(path('built'));
    for (const [file, link] of [
      ['built/a.html', 'a.html'],
      ['sub/real.html', 'sub/b.html'],
    ] as const) {
      write(file, `<title>${file}</title>`);
      symlinkSync(path(file), path(link));
      await publish([link]);
      write(file, `<title>${file}</title>2`);
    }
    expect(await statuses()).to.deep.equal({ 'a.html': 'changed', 'sub/b.html': 'changed' });
    expect((await command(['publish', '--all', '--yes'])).code).to.equal(0);
    expect(await statuses()).to.deep.equal({ 'a.html': 'unchanged', 'sub/b.html': 'unchanged' });
  });

  it('publish --all --json prints one line, also if some files were not published', async () => {
    for (const name of ['a.html', 'b.html']) {
      write(name, `<title>${name}</title>`);
      await publish([name]);
    }
    write('a.html', '<img src="missing.png">');
    write('b.html', '<title>b</title>More');
    const { stdout, code } = await command(['publish', '--all', '--yes', '--json']);
    expect(code).to.equal(7);
    const { details } = JSON.parse(stdout).error;
    expect(details.published).to.have.length(1);
    expect(details.failed[0]).to.deep.include({ file: 'a.html' });
  });

  it('verify compares what a file makes with the source of its page', async () => {
    write('a.css', 'p { color: red }');
    write('a.html', '<link rel=stylesheet href=a.css><title>A</title>');
    const { slug } = await publish(['a.html']);
    const same = await command(['verify', 'a.html', '--json']);
    expect(same.code, same.stderr).to.equal(0);
    expect(JSON.parse(same.stdout)).to.include({ file: 'a.html', slug, version: 1 });
    write('a.css', 'p { color: blue }');
    await client.fails(6, ['verify', 'a.html'], ['a.html is not what', 'sha256_here', 'sha256_there'], {
      env: env(),
    });
    await publish(['a.html']);
    expect((await command(['verify', 'a.html'])).code).to.equal(0);
    await client.fails(6, ['verify', 'a.html', `${slug}@1`], [`/p/${slug}?v=1`], { env: env() });
    await client.fails(2, ['verify', 'b.html'], ['there is no such page or file'], { env: env() });
  });
});
