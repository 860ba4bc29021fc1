import { readFileSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { createCommentScene } from '../support/comments-page.ts';
import { inTimeMs } from '../support/in-time.ts';
import type { Owner } from '../support/service.ts';
import { until } from '../support/until.ts';
import { usePublisher } from './publisher.ts';
import { runInTerminal } from './terminal.ts';

interface WireComment {
  readonly id: string;
  readonly state: string;
  readonly replies: readonly { readonly text: string; readonly author: { readonly via: string } }[];
  readonly resolved_by_version?: number;
}

describe('dropleaf comments, reply, resolve, reopen and publish --resolves', () => {
  const publisher = usePublisher({ TRUST_PROXY: '1' });
  const { service, client, env, write, publish } = publisher;
  const scene = createCommentScene(service);

  /** Another program of the owner. */
  const newWriter = () => service.newToken(publisher.owner, 'laptop');

  /** @returns its id */
  async function comment(writer: Owner, slug: string, fields: object): Promise<string> {
    const answer = await writer.request<{ id: string }>('POST', `/api/drops/${slug}/comments`, {
      body: fields,
    });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id;
  }

  const publishFirst = (...args: string[]) => {
    write('a.html', '<title>A</title>Hello');
    return publish(['a.html', ...args]);
  };

  async function run(...args: string[]) {
    const outcome = await client.run(args, { env: env() });
    expect(outcome.code, `${args}: ${outcome.stderr}`).to.equal(0);
    return outcome;
  }

  const listed = async (...args: string[]): Promise<WireComment[]> =>
    JSON.parse((await run('comments', ...args, '--json')).stdout).data;

  /** A client that waits at the service. */
  async function startWaiting(...args: string[]) {
    const before = service.logs.length;
    const waiting = client.start(['comments', ...args], { env: env() });
    const hasAsked = () => service.logs.slice(before).some((line) => line.includes('/api/comments'));
    await until(hasAsked, 'its first request was answered');
    return waiting;
  }

  it('an agent publishes, waits, gets a comment at once, and publishes the version that resolves it', async () => {
    const { slug } = await publishFirst();
    const writer = await newWriter();
    const waiting = await startWaiting('a.html', '--wait');
    const startedAt = performance.now();
    const id = await comment(writer, slug, { text: 'Who?', anchor: { quote: 'Hello' } });
    const { stdout, code } = await waiting.ended();
    expect(performance.now() - startedAt, 'a request waits for 25 s').to.be.below(inTimeMs);
    expect({ stdout, code }).to.deep.equal({
      stdout: `${id}  version 1, open  ${service.url}/p/${slug}?v=1#t-${id}\n  "Hello"\n  owner "${publisher.owner.name}" via "laptop": Who?\n`,
      code: 0,
    });
    write('a.html', '<title>A</title>Hello, world');
    const drop = await publish(['a.html', '--resolves', id, '--reply', 'The world']);
    expect(drop).to.include({ latest_version: 2 }).and.not.to.have.property('open_comments');
    const [resolved] = await listed('a.html', '--resolved');
    expect(resolved).to.deep.include({ id, state: 'resolved', resolved_by_version: 2 });
    expect(resolved?.replies.map(({ text }) => text)).to.deep.equal(['The world']);
    expect((await run('comments', 'a.html')).stderr).to.match(/^No open comments\. To wait for one: /);
    expect(JSON.parse(readFileSync(publisher.path('.dropleaf.json'), 'utf8'))).to.have.nested.property(
      `files.a\\.html.${service.url.replaceAll('.', '\\.')}.comments`,
    );
  });

  it('--wait gets what was written before it waited, once; its own replies are not new, those of others are', async () => {
    const { slug } = await publishFirst();
    const writer = await newWriter();
    const id = await comment(writer, slug, { text: 'Early' });
    expect((await publisher.run(['a.html'])).stderr).to.contain('Open comments: 1. To read them: ');
    expect((await run('list')).stdout).to.match(/ COMMENTS .*\n.* 1 /);
    expect((await run('comments', 'a.html')).stdout).to.contain('Early');
    expect((await run('comments', 'a.html', '--wait')).stdout).to.contain('Early');
    await run('reply', id, 'Why?');
    await client.fails(5, ['comments', 'a.html', '--wait', '--timeout', '1'], ['no new comment within 1 s'], {
      env: env(),
    });
    expect((await run('comments', slug, '--wait')).stdout, 'of a slug: all that is open').to.contain('Why?');
    await writer.request('POST', `/api/comments/${id}/replies`, { body: { text: 'Because' } });
    expect((await run('comments', 'a.html', '--wait')).stdout).to.match(/Early\n.*: Why\?\n.*: Because\n$/);
    const { next } = JSON.parse((await run('comments', '--json')).stdout);
    const later = await startWaiting('--wait', '--after', next);
    await comment(writer, slug, { text: 'Late' });
    expect((await later.ended()).stdout)
      .to.contain('Late')
      .and.not.to.contain('Early');
  });

  it('--wait misses nothing while the service restarts', async () => {
    const { slug } = await publishFirst();
    const writer = await newWriter();
    const waiting = await startWaiting('a.html', '--wait');
    await service.restart();
    await comment(writer, slug, { text: 'After the restart' });
    const { stdout, stderr, code } = await waiting.ended();
    expect(code, stderr).to.equal(0);
    expect(stdout).to.contain('After the restart');
  });

  it('--follow prints each change as a line of JSON', async () => {
    const { slug } = await publishFirst();
    const writer = await newWriter();
    const following = await startWaiting(slug, '--follow');
    const first = await comment(writer, slug, { text: 'One' });
    await following.firstMatch(/("One")/);
    await comment(writer, slug, { text: 'Two' });
    await following.firstMatch(/("Two")/);
    await writer.request('POST', `/api/comments/${first}/replies`, { body: { text: 'Three' } });
    await following.firstMatch(/("Three")/);
    following.kill('SIGINT');
    const { stdout, code } = await following.ended();
    expect(code).to.equal(130);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).text),
    ).to.deep.equal(['One', 'Two', 'One']);
  });

  it('reply reads stdin for -, and resolves; resolve and reopen take several', async () => {
    const { slug } = await publishFirst();
    const ids = [await comment(publisher.owner, slug, { text: 'a' })];
    ids.push(await comment(publisher.owner, slug, { text: 'b' }));
    const [id = ''] = ids;
    const piped = await client.run(['reply', id, '-', '--resolve'], { env: env(), input: '- one\n- two\n' });
    expect(piped).to.include({ stdout: `${service.url}/p/${slug}?v=1#t-${id}\n`, code: 0 });
    expect((await listed(slug, '--resolved'))[0]?.replies[0]?.text).to.equal('- one\n- two');
    expect((await run('resolve', ...ids)).stdout).to.equal(ids.map((one) => `${one} is resolved\n`).join(''));
    expect(await listed(slug)).to.have.length(0);
    await run('reopen', ...ids);
    expect((await listed('--all')).map(({ state }) => state)).to.deep.equal(['open', 'open']);
    await client.fails(5, ['resolve', '0'.repeat(32)], ['not_found'], { env: env() });
    await client.fails(7, ['reply', id, ' '], ['text'], { env: env() });
  });

  it('guests write where the page allows it; their comments are held until reopen approves them', async () => {
    const { slug } = await publishFirst('--comments', 'anyone');
    const id = await scene.guest().write(slug, 'Hi\u202e there', { name: 'Ann (owner)' });
    expect(await listed(slug)).to.have.length(0);
    expect((await run('comments', slug, '--held')).stdout).to.contain('  guest "Ann (owner)": Hi');
    const waiting = await startWaiting(slug, '--wait');
    await run('reopen', id);
    expect((await waiting.ended()).stdout, 'nobody has read it before').to.match(/: Hi there\n$/);
    await scene.guest().write(slug, 'Held');
    await (await scene.member()).write(slug, 'I am signed in');
    const open = (await run('comments', slug)).stdout;
    expect(open).to.contain('  member "').and.to.contain(': I am signed in\n').and.not.to.contain('Held');
    await client.fails(7, ['publish', 'a.html', '--comments', 'nobody'], ['comments'], { env: env() });
  });

  it('publish --resolves makes a version of a page that has not changed, and needs a page and a comment on it', async () => {
    write('a.html', '<title>A</title>Hello');
    const fails = (code: number, args: string[], said: string) =>
      client.fails(code, ['publish', 'a.html', ...args], [said], { env: env() });
    await fails(2, ['--resolves', '0'.repeat(32)], '--resolves needs a page that is published');
    await fails(2, ['--reply', 'x'], '--reply needs --resolves');
    const { slug } = await publishFirst();
    const ids = [
      await comment(publisher.owner, slug, { text: 'a' }),
      await comment(publisher.owner, slug, { text: 'b' }),
    ];
    await fails(7, ['--resolves', '0'.repeat(32)], 'there is no comment');
    const drop = await publish(['a.html', '--resolves', ids.join(','), '--passcode-file', 'a.html']);
    expect(drop).to.include({ latest_version: 2, locked: true });
    expect(await listed(slug, '--resolved')).to.have.length(2);
  });

  it('publish --resolves again makes no version, and adds the reply; it does so from another folder, too', async () => {
    const { slug } = await publishFirst();
    const writer = await newWriter();
    const ids = [await comment(writer, slug, { text: 'a' }), await comment(writer, slug, { text: 'b' })];
    write('a.html', '<title>A</title>Corrected');
    const again = (reply: string, ...args: string[]) =>
      publish(['a.html', '--resolves', ids.join(','), '--reply', reply, ...args]);
    expect(await again('One')).to.include({ latest_version: 2, did: 'published' });
    expect(await again('Two')).to.include({ latest_version: 2, did: 'replied' });
    expect(await publish(['a.html', '--resolves', ids.join(',')])).to.include({ did: 'nothing' });
    rmSync(publisher.path('.dropleaf.json'));
    expect(await again('Three', '--slug', slug)).to.include({ latest_version: 2, did: 'replied' });
    expect(await again('Four', '--title', 'B')).to.include({ latest_version: 2, title: 'B', did: 'changed' });
    const texts = ['One', 'Two', 'Three', 'Four'];
    for (const { replies } of await listed(slug, '--resolved'))
      expect(replies.map(({ text }) => text)).to.deep.equal(texts);
    await run('reopen', ids[0] ?? '');
    expect(await again('Five')).to.include({ latest_version: 3, did: 'published' });
    expect(await again('Six', '--force')).to.include({ latest_version: 4, did: 'published' });
    const [first] = await listed(slug, '--resolved');
    expect(first?.replies.map(({ text }) => text)).to.deep.equal([...texts, 'Five', 'Six']);
  });

  it('on a terminal the words of readers cannot steer it', async function () {
    const { slug } = await publishFirst('--comments', 'anyone');
    const evil = '\u001b]0;title\u0007\u009b2J\u202e x';
    await comment(publisher.owner, slug, { text: evil, anchor: { quote: evil } });
    await scene.guest().write(slug, evil, { name: evil });
    const terminal = runInTerminal(this, client, ['comments', slug, '--all'], env());
    expect(await terminal.ended()).to.equal(0);
    expect(terminal.output().replaceAll('\r\n', '\n')).not.to.match(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  });
});
