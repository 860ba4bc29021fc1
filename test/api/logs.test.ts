import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { useOwner, useService } from '../support/service.ts';

describe('Logs', () => {
  const service = useService({ LOG_RAW_SAMPLE: '1' });
  const owner = useOwner(service);

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
