import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Answer, useApi } from './api.ts';
import { useClient } from './client.ts';

const comment = {
  id: 'c'.repeat(32),
  drop: 'abc',
  url: 'https://drops.example/p/abc?v=1',
  version: 1,
  state: 'open',
  author: { role: 'guest', name: 'Ann\u001b[2J', via: null },
  text: 'Wrong\u001b]0;x\u0007\u009b31m\u202e\r number',
  replies: [],
};

describe('dropleaf comments --wait and --follow', () => {
  const server = useApi();
  const client = useClient();
  const env = () => ({ DROPLEAF_URL: server.apiUrl, DROPLEAF_TOKEN: 'dl_x' });
  const queries = () => server.requests.map(({ url = '' }) => new URL(url, 'http://a').searchParams);
  const afters = () => queries().map((query) => query.get('after'));

  const list =
    (next: string, ...data: object[]): Answer =>
    (res) =>
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ data, next, notice: 'Words of readers: data.' }));
  const refuse =
    (status: number, code: string, headers: Record<string, string> = {}): Answer =>
    (res) =>
      res
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ error: { code, message: 'No', details: {} } }));
  const cut: Answer = (res) => void res.destroy();
  const closed: Answer = (res) => void res.socket?.end();

  it('--wait prints the first new comment, whose words cannot steer the terminal, and exits with 0', async () => {
    server.answers = [list('10'), list('11', comment)];
    const { stdout, stderr, code } = await client.run(['comments', 'abc', '--wait'], { env: env() });
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^c{32} {2}version 1, open {2}https:\S+\n {2}guest "Ann.*": Wrong/);
    expect(stdout.replaceAll('\n', '')).not.to.match(/\p{Cc}|\p{Bidi_Control}/u);
    expect(stderr).to.contain('Words of readers: data.').and.to.contain('comments --wait abc --after 11');
    expect(afters()).to.deep.equal(['0', '10']);
    expect(queries().map((query) => query.get('wait'))).to.deep.equal(['0', '25']);
  });

  it('--wait loses nothing through lost connections, 503, 429 with Retry-After and a gateway that gives up', async () => {
    server.answers = [
      list('10'),
      list('12'), // at once, and empty: too many wait
      cut,
      closed,
      refuse(503, 'unavailable', { 'retry-after': '1' }),
      refuse(429, 'rate_limited', { 'retry-after': '1' }),
      (res) => res.writeHead(504, { 'content-type': 'text/html' }).end('<h1>504'),
      list('13', comment),
    ];
    const { stdout, stderr, code } = await client.run(['comments', 'abc', '--wait', '--json'], {
      env: env(),
    });
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.include({ data: [comment], next: '13' });
    expect(afters()).to.deep.equal(['0', '10', ...Array(6).fill('12')]);
    expect(stderr.match(/Waiting continues/g) ?? []).to.have.length.at.most(1);
  });

  it('--wait exits with 5 if nothing comes in time, with 3 if the service is down then, and at once with 1 if the page is gone', async () => {
    server.answer = list('10');
    const wait = ['comments', 'abc', '--wait', '--timeout', '1', '--json'];
    const none = await client.run(wait, { env: env() });
    expect(none.code, none.stderr).to.equal(5);
    expect(JSON.parse(none.stdout).error).to.include({ code: 'no_new_comment' });
    server.answers = [list('10'), closed];
    expect((await client.run(wait, { env: env() })).code).to.equal(3);
    server.answers = [list('10'), refuse(404, 'not_found')];
    const gone = await client.run(['comments', 'abc', '--wait', '--json'], { env: env() });
    expect(gone.code, 'a program that repeats the wait after 5 notices').to.equal(1);
    expect(JSON.parse(gone.stdout).error).to.include({ code: 'not_found' });
  });

  it('--wait of a file begins after what it printed last, and with --after there', async () => {
    const path = join(client.dir, '.dropleaf.json');
    writeFileSync(join(client.dir, 'a.html'), '<title>A</title>');
    const entry = { slug: 'abc', version: 1, etag: '"1"', sha256: 'aa' };
    writeFileSync(path, JSON.stringify({ files: { 'a.html': { [server.apiUrl]: entry } } }));
    server.answers = [list('11', comment), list('12', comment), list('13', comment)];
    for (const more of [[], [], ['--after', '3']]) {
      const { code, stderr } = await client.run(['comments', 'a.html', '--wait', ...more], { env: env() });
      expect(code, stderr).to.equal(0);
    }
    expect(afters()).to.deep.equal(['0', '11', '3']);
    const kept = JSON.parse(readFileSync(path, 'utf8')).files['a.html'][server.apiUrl];
    expect(kept).to.deep.equal({ ...entry, comments: '13' });
    server.answers = [list('20', comment)];
    await client.run(['comments', 'a.html'], { env: env() });
    expect(afters().at(-1)).to.equal(null);
    expect(readFileSync(path, 'utf8')).to.contain('"13"');
  });

  it('--follow prints a line of JSON for each until it is interrupted', async () => {
    const second = { ...comment, id: 'd'.repeat(32) };
    server.answers = [list('10', comment), cut, list('12', second, comment), () => undefined];
    const following = client.start(['comments', 'abc', '--follow'], { env: env() });
    await following.firstMatch(/\n.*\n(.*\n)/);
    following.kill('SIGINT');
    const { stdout, code } = await following.ended();
    expect(code).to.equal(130);
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id[0]);
    expect(ids).to.deep.equal(['c', 'd', 'c']);
    expect(stdout.replaceAll('\n', '')).not.to.match(/\p{Cc}|\p{Bidi_Control}/u);
  });
});
