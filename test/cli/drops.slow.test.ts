import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { RunOptions } from './client.ts';
import { useOwnersClient } from './publisher.ts';
import { runInTerminal } from './terminal.ts';

describe('dropleaf list, get, versions, diff, views, restore, lock, unlock and delete', () => {
  const signedIn = useOwnersClient();
  const { service, client, env, path, run } = signedIn;

  /** stdout of a command that must succeed. */
  async function done(args: readonly string[], options?: RunOptions): Promise<string> {
    const { stdout, stderr, code } = await run(args, options);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  it('list prints a table, by tag and in order, or with --json the pages; --all reads every page of the list', async () => {
    expect(await run(['list'])).to.include({ stdout: '', code: 0 });
    const slugs: string[] = [];
    for (let i = 0; i < 51; i++) {
      const metadata = { project: i % 2 === 0 ? 'even' : 'odd' };
      const passcode = i === 50 ? 'sesame' : '';
      slugs.push((await signedIn.owner.create({ title: `Page ${i}`, metadata, passcode })).slug);
      service.clock.advance(1500); // 60 writes a minute
    }
    const table = await run(['list']);
    expect(table.stdout.trim().split('\n')).to.have.length(51);
    expect(table.stdout).to.match(/^ADDRESS +VERSION +VIEWS +CHANGED \(UTC\) +LOCKED +TITLE\n/);
    expect(table.stdout)
      .to.contain(`${service.url}/p/${slugs[50]}  1        0 `)
      .and.match(/ yes {5}Page 50\n/);
    expect(table.stderr).to.contain('50 of 51 pages');
    const all = JSON.parse(await done(['list', '--all', '--json'])) as { slug: string }[];
    expect(all.map(({ slug }) => slug)).to.have.members(slugs);
    const even = JSON.parse(await done(['list', '--tag', 'project=even', '--json', '--sort', 'created'])) as {
      title: string;
    }[];
    expect(even.map(({ title }) => title).slice(0, 3)).to.deep.equal(['Page 50', 'Page 48', 'Page 46']);
    expect(await done(['list', '--search', 'page 17']))
      .to.contain(slugs[17])
      .and.not.contain(slugs[16]);
    expect((await run(['list', '--sort', 'size'])).code).to.equal(2);
  });

  it('get writes the bytes of a version to stdout or to a new file, and replaces one only with --force', async () => {
    const html = '\ufeff<title>é</title>\r\n\u001b[31m';
    const { slug, url } = await signedIn.owner.create({ html, passcode: 'sesame' });
    await signedIn.owner.put(slug, { html: '<p>2' });
    expect(await done(['get', `${slug}@1`])).to.equal(html);
    expect(await done(['get', `${url}/raw?v=1`])).to.equal(html);
    expect(await done(['get', slug, '-o', 'a.html'])).to.equal('');
    const said = ['a.html exists: nothing was written', '--force'];
    await client.fails(1, ['get', `${slug}@1`, '-o', 'a.html'], said, { env: env() });
    expect(readFileSync(path('a.html'), 'utf8')).to.equal('<p>2');
    await done(['get', `${slug}@1`, '-o', 'a.html', '--force']);
    expect(readFileSync(path('a.html'), 'utf8')).to.equal(html);
  });

  it('on a terminal, text of pages has no control characters, and lines fit', async function () {
    const title = `Evil \u009b2J ${'long '.repeat(30)}`;
    const { slug } = await signedIn.owner.create({ title, html: '<p>\u001b]0;title\u0007\u202e\r\nnext' });
    for (const args of [['get', slug], ['list']]) {
      const terminal = runInTerminal(this, client, args, env());
      await terminal.ended();
      expect(terminal.output().replaceAll('\r\n', '\n'), args[0]).not.to.match(
        /[^\P{Cc}\n]|\p{Bidi_Control}/u,
      );
    }
    const list = runInTerminal(this, client, ['list'], env());
    await list.ended();
    for (const line of list.output().split('\r\n')) expect(line.length).to.be.at.most(80);
  });

  it('characters that show nothing are shown as U+FFFD; emoji stay, and so does the value in JSON', async function () {
    const title = 'Two\u200b words\ufeff\u{e0041} 👩🏽‍🚀 ❤️';
    const html = '<title>a\u200b\u{e0041}</title>';
    const { slug } = await signedIn.owner.create({ title, html });
    await signedIn.owner.put(slug, { html: '<title>b\u200b\u{e0041}</title>' });
    expect(await done(['list'])).to.contain('Two\ufffd words\ufffd\ufffd 👩🏽‍🚀 ❤️');
    for (const args of [['get', slug], ['list'], ['diff', slug, '1', '2']]) {
      const terminal = runInTerminal(this, client, args, env());
      await terminal.ended();
      expect(terminal.output(), args[0])
        .to.contain('\ufffd\ufffd')
        .and.not.match(/[\u200b\ufeff\u{e0041}]/u);
    }
    const json = await done(['list', '--json']);
    expect(json).to.not.match(/[\u200b\ufeff\u{e0041}]/u);
    expect(JSON.stringify(JSON.parse(json))).to.contain(JSON.stringify(title));
  });

  it('on a terminal of 80 columns list shows what is locked and when a page expires, and the titles', async function () {
    const expires_at = Date.parse('2035-12-31T10:00Z');
    const { slug } = await signedIn.owner.create({ title: 'Locked for now', passcode: 'sesame', expires_at });
    const list = runInTerminal(this, client, ['list'], env());
    await list.ended();
    expect(list.output()).to.match(new RegExp(`^${slug} +1 +0 +\\S+ \\S+ +yes +2035-12-31 +Locked for`, 'm'));
    expect(list.output()).to.contain(`The address of a page is ${service.url}/p/SLUG`);
    expect(await done(['list'])).to.match(/ yes +2035-12-31 10:00 +Locked for now\n/);
  });

  it('a page is named by its slug, address or file, and every other name says what is wrong', async () => {
    writeFileSync(path('a.html'), '<title>A</title>');
    writeFileSync(path('new.html'), '<title>New</title>');
    const url = (await done(['publish', 'a.html'])).trim();
    const slug = url.slice(-12);
    for (const name of [slug, url, `${url}/raw`, 'a.html', './a.html']) {
      expect(await done(['get', name]), name).to.equal('<title>A</title>');
    }
    for (const [name, answer] of [
      ['new.html', 'new.html was not published to'],
      ['none.html', 'there is no such page or file'],
      ['https://other.example/p/abc', 'add --url https://other.example'],
      [`${service.url}/docs`, 'the address of a page is as'],
      ['a.html@0', 'a version is a number from 1'],
    ] as const) {
      await client.fails(2, ['get', name], [answer], { env: env() });
    }
    await client.fails(5, ['get', 'unknown'], ['not_found'], { env: env() });
  });

  it('restore makes an old version live; after that, publishing the file again is no conflict', async () => {
    writeFileSync(path('a.html'), '<title>A</title>1');
    const url = (await done(['publish', 'a.html'])).trim();
    writeFileSync(path('a.html'), '<title>A</title>2');
    await done(['publish', 'a.html']);
    expect(await done(['restore', 'a.html', '1'])).to.equal(`${url}\n`);
    const { files } = JSON.parse(readFileSync(path('.dropleaf.json'), 'utf8'));
    const live = await signedIn.owner.get(`/api/drops/${url.split('/p/')[1]}`);
    const [known] = Object.values(files['a.html']);
    expect(known).to.include({ version: 3, etag: live.headers.etag });
    expect(await done(['get', 'a.html'])).to.equal('<title>A</title>1');
    expect(JSON.parse(await done(['versions', 'a.html', '--json']))).to.have.length(3);
    expect(await done(['versions', 'a.html'])).to.match(/^VERSION .*\n3 .* 17 B +live\n2 .*\n1 .*\n$/);
    expect(JSON.parse(await done(['publish', 'a.html', '--json']))).to.include({ latest_version: 4 });
    expect((await run(['restore', 'a.html', '9'])).code).to.equal(5);
    expect((await run(['restore', 'a.html', 'x'])).code).to.equal(2);
  });

  it('restore and delete are done although .dropleaf.json cannot be written, with a warning', async () => {
    writeFileSync(path('a.html'), '<title>A</title>1');
    await done(['publish', 'a.html']);
    mkdirSync(path('.dropleaf.json.lock'));
    utimesSync(path('.dropleaf.json.lock'), 0, 0); // a stale lock that cannot be removed, also for root
    for (const args of [
      ['restore', 'a.html', '1'],
      ['delete', 'a.html', '--yes'],
    ]) {
      const { stderr, code } = await run(args);
      expect(code, stderr).to.equal(0);
      expect(stderr).to.match(/^warning: cannot write \S+\.dropleaf\.json: /m);
    }
  });

  it('lock takes the passcode from a file or stdin, and unlock removes it', async () => {
    const { slug, url } = await signedIn.owner.create();
    const { stdout, code } = await run(['lock', slug, '--passcode-file', '-'], { input: 'sesame\r\n' });
    expect({ stdout, code }).to.deep.equal({ stdout: `${url}\n`, code: 0 });
    expect((await service.request('GET', `/p/${slug}/raw`)).status).to.equal(403);
    expect((await service.unlock(slug, 'sesame')).status).to.be.lessThan(400);
    const empty = await run(['lock', slug, '--passcode-file', '-']);
    expect(empty.stderr).to.contain('the passcode is empty: nothing was changed');
    expect((await run(['lock', slug])).code).to.equal(2);
    await done(['unlock', slug]);
    expect((await service.request('GET', `/p/${slug}/raw`)).status).to.equal(200);
  });

  it('delete asks on a terminal, needs --yes without one, and forgets the file', async function () {
    writeFileSync(path('a.html'), '<title>A</title>1');
    const url = (await done(['publish', 'a.html'])).trim();
    writeFileSync(path('a.html'), '<title>A</title>2');
    await done(['publish', 'a.html']);
    await client.fails(2, ['delete', 'a.html'], ['add --yes'], { env: env() });
    const no = runInTerminal(this, client, ['delete', 'a.html'], env());
    await no.answer('This cannot be undone. [y/N]', '\r');
    expect(await no.ended()).to.equal(1);
    await done(['delete', 'a.html@1', '--yes']);
    expect(JSON.parse(await done(['versions', url, '--json']))).to.have.length(1);
    const yes = runInTerminal(this, client, ['delete', 'a.html'], env());
    await yes.answer('"A" at', 'y\r');
    expect(await yes.ended()).to.equal(0);
    expect(readFileSync(path('.dropleaf.json'), 'utf8')).not.to.contain('a.html');
    expect((await service.request('GET', new URL(url).pathname)).status).to.equal(404);
  });

  it('diff prints the unified diff of source or text as the service answers it, coloured on a terminal only', async function () {
    const { slug } = await signedIn.owner.create({ html: '<p>one</p>\n<p>same</p>\n' });
    await signedIn.owner.put(slug, { html: '<p>two</p>\n<p>same</p>\n' });
    await signedIn.owner.put(slug, { html: '<p>three</p>\n<p>same</p>\n' });
    expect(await done(['diff', slug])).to.contain('\n-<p>two</p>\n+<p>three</p>\n');
    expect(await done(['diff', slug, '1'])).to.contain('\n-<p>one</p>\n+<p>three</p>\n');
    expect(await done(['diff', slug, '1', '2', '--text'])).to.contain('\n-one\n+two\n');
    expect((await run(['diff', slug, '0'])).code).to.equal(2);
    const terminal = runInTerminal(this, client, ['diff', slug], env());
    await terminal.ended();
    expect(terminal.output()).to.contain('\u001b[32m+<p>three</p>\u001b[0m');
  });

  it('views prints the views of each day, as bars on a terminal', async function () {
    const { slug } = await signedIn.owner.create();
    for (let i = 0; i < 3; i++) await service.view(`/p/${slug}`);
    await service.settle();
    const today = new Date(service.clock.now()).toISOString().slice(0, 10);
    const { stdout, stderr } = await run(['views', slug, '--days', '2']);
    expect(stdout).to.match(new RegExp(`\\t0\\n${today}\\t3\\n$`));
    expect(stderr).to.contain('3 views since');
    expect(JSON.parse(await done(['views', slug, '--json'])).view_count).to.equal(3);
    const terminal = runInTerminal(this, client, ['views', slug], env());
    await terminal.ended();
    expect(terminal.output()).to.match(new RegExp(`${today}  █+ 3\r`));
  });
});
