import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { useService } from '../support/service.ts';

const needles = {
  html: 'NEEDLE-HTML',
  context: 'NEEDLE-CONTEXT',
  passcode: 'NEEDLE-PASSCODE',
  wrong: 'NEEDLE-WRONG',
};

describe('Logs', () => {
  const service = useService();

  it('contain no secret: no token, passcode, code, poll token, cookie, grant, html or context', async () => {
    const owner = await service.newOwner();
    const { html, context, passcode } = needles;
    const { slug } = await owner.create({ html, context, passcode });
    await owner.put(slug, { html, context });
    await owner.put(slug, { html, context, title: 7 });
    await owner.request('POST', '/api/drops', { raw: `{"html":"${html}", "context":"${context}` });
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: `${passcode}\u0000` } });
    await service.get('/api/me', { token: owner.token.slice(0, -1) });
    const started = (await service.request('POST', '/api/auth/start', { body: { label: 'l' } })).body;
    await service.get(`/api/auth/poll?token=${started.poll_token}`);
    const verification = new URL(started.verification_url);
    await service.get(verification.pathname + verification.search);
    await service.unlock(slug, needles.wrong);
    const { cookie, frame } = await service.enter(slug, passcode);
    expect((await service.get(frame)).status).to.equal(200);
    await service.settle();

    const [grant] = [...new URL(frame, service.url).searchParams.values()].sort(
      (a, b) => b.length - a.length,
    );
    const secrets = {
      ...needles,
      token: owner.token,
      cutToken: owner.token.slice(0, -1),
      pollToken: started.poll_token,
      code: started.code,
      bareCode: started.code.replaceAll('-', ''),
      cookie: cookie.split('=')[1] ?? '',
      grant: grant ?? '',
    };
    const logged = service.logs.join('\n');
    expect(service.logs.length).to.be.above(10);
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret, name).to.have.length.above(5);
      expect(logged.includes(secret), `${name} is in the logs`).to.equal(false);
    }
  });

  /** The fields of the line of the request, as text. */
  async function lineOf(answer: { headers: Record<string, string | undefined> }): Promise<string> {
    const id = answer.headers['x-request-id'] ?? 'none';
    const find = () => service.logs.find((line) => line.includes(id)) ?? '';
    await service.eventually(async () => {
      expect(find()).to.not.equal('');
    });
    return find();
  }

  it('say which drop a request was for, and how many bytes its answer had', async () => {
    const owner = await service.newOwner();
    const created = await owner.post({ html: 'a'.repeat(5_000) });
    const { slug } = created.body;
    const answers = [
      created,
      await owner.put(slug, { html: 'b' }),
      await owner.get(`/api/drops/${slug}/html`),
      await service.get(`/p/${slug}`),
      await service.get(`/p/${slug}/raw?v=9`),
    ];
    for (const answer of answers) {
      const line = await lineOf(answer);
      expect(line).to.contain(`slug: '${slug}'`);
      expect(line).to.contain(`status: ${answer.status}`);
      const bytes = Number(/ bytes: (\d+)/.exec(line)?.[1]);
      const head = 100; // at least
      expect(bytes).to.be.within(answer.bytes.byteLength + head, answer.bytes.byteLength + 3_000);
    }
    expect(await lineOf(await owner.get('/api/drops'))).to.not.contain('slug');
  });

  it('have the files of our pages and health checks at debug, and their failures at info', async () => {
    const home = (await service.get('/')).text;
    const asset = /\/assets\/[\w.-]+/.exec(home)?.[0] ?? '';
    for (const path of [asset, '/favicon.ico', '/manifest.webmanifest', '/healthz']) {
      const answer = await service.get(path);
      expect(answer.status, path).to.equal(200);
      expect(await lineOf(answer), path).to.match(/^debug /);
    }
    expect(await lineOf(await service.get('/assets/none.js'))).to.match(/^info /);
  });

  it('have no status for an upload that a stop cut off', async () => {
    const owner = await service.newOwner();
    const from = service.logs.length;
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const head = `POST /api/drops HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${owner.token}\r\n`;
    socket.write(`${head}Content-Type: text/html\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, 'data'); // it waits for the document
    const closed = once(socket, 'close');
    await service.restart();
    await closed;
    const lines = service.logs.slice(from).filter((line) => line.includes("'POST'"));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('aborted: true').and.not.contain('status');
  });

  it('have one line for each request, with the id from X-Request-Id', async () => {
    const owner = await service.newOwner();
    for (const path of ['/api/me', '/nothing', '/api/drops?page=0']) {
      const from = service.logs.length;
      const answer = await owner.get(path);
      const id = answer.headers['x-request-id'] ?? '';
      expect(id).to.not.equal('');
      await service.eventually(async () => {
        expect(service.logs.slice(from).filter((line) => line.includes(id))).to.have.length(1);
      });
    }
  });
});
