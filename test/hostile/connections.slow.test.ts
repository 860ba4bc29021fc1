import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { startService, type TestService } from '../support/service.ts';
import { openConnection } from '../support/socket.ts';
import { until } from '../support/until.ts';

const html = `<!doctype html>${'x'.repeat(2_000_000)}`;

describe('Hostile connections', function () {
  this.timeout(30_000);
  let service: TestService;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await service.stop();
  });

  /** A connection of which nothing is read. */
  async function open(text = ''): Promise<Socket> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    return socket;
  }

  /** The same, read, and whether it was closed. */
  async function openWatched(text = '') {
    const socket = await open(text);
    const watched = { socket, isClosed: false, text: '' };
    socket.on('data', (data) => {
      watched.text += data;
    });
    socket.on('close', () => {
      watched.isClosed = true;
    });
    return watched;
  }

  async function pagesInMemory(count: number): Promise<string[]> {
    const owner = await service.newOwner();
    const slugs: string[] = [];
    for (let n = 1; n <= count; n++) slugs.push((await owner.create({ html: `${html}${n}` })).slug);
    await service.settle();
    for (const slug of slugs) await service.get(`/p/${slug}/raw`);
    return slugs;
  }

  /** Asks for a page and reads nothing. */
  async function ask(slug: string, address = '192.0.2.1'): Promise<void> {
    await open(service.head('GET', `/p/${slug}/raw`, { 'x-forwarded-for': address }).repeat(20));
    await service.get('/healthz'); // it has been seen
  }

  const cutOff = (slug: string) =>
    service.logs.filter((line) => line.includes(`/p/${slug}/raw`) && line.includes('was cut off')).length;

  describe('more than MAX_CONNECTIONS', () => {
    it('a new connection ends the longest idle one and is served', async () => {
      service = await startService({ env: { MAX_CONNECTIONS: '10' } });
      const idle: { isClosed: boolean }[] = [];
      for (let n = 0; n < 30; n++)
        idle.push(await openWatched(n % 2 === 0 ? '' : 'GET /healthz HTTP/1.1\r\n'));
      expect((await service.get('/healthz')).status).to.equal(200);
      const open = () => idle.filter(({ isClosed }) => !isClosed).length;
      await until(() => open() <= 10, 'twenty of them are ended');
      expect(idle.slice(0, 20).every(({ isClosed }) => isClosed)).to.equal(true);
      expect(open()).to.be.at.least(8);
    });

    it('a new connection ends one whose body is still arriving; if every request is being handled, the new connection is ended', async () => {
      const gate = createGate();
      service = await startService({
        env: { MAX_CONNECTIONS: '10' },
        adaptEngine: (engine) => ({ ...engine, drops: gate.wrap(engine.drops) }),
      });
      const { token } = await service.newOwner();
      const read = service.head('GET', '/api/drops/none', { authorization: `Bearer ${token}` });
      const length = { 'content-length': '9', 'content-type': 'application/json' };
      gate.hold();
      const sending = await openWatched(service.head('POST', '/api/auth/start', length));
      for (let n = 0; n < 9; n++) await open(read);
      await until(() => gate.waiting() === 9, 'nine are being answered');
      await open(read);
      await until(() => sending.isClosed && gate.waiting() === 10, 'the tenth has its place');
      const refused = await openWatched();
      await until(() => refused.isClosed, 'the eleventh is ended');
      gate.open();
      await service.eventually(async () => {
        expect((await service.get('/healthz')).status).to.equal(200);
      });
    });
  });

  describe('an answer that the client does not read', () => {
    it('is cut off for a new connection at MAX_CONNECTIONS', async () => {
      const gate = createGate();
      service = await startService({
        env: { MAX_CONNECTIONS: '10' },
        adaptEngine: (engine) => ({ ...engine, tokens: gate.wrap(engine.tokens) }),
      });
      const { owner, slug } = await service.newDrop({ html });
      await service.settle();
      await service.get(`/p/${slug}/raw`); // in memory from now on
      for (let n = 0; n < 9; n++) await ask(slug);
      gate.hold();
      await open(service.head('GET', '/api/drops', { authorization: `Bearer ${owner.token}` }));
      await until(() => gate.waiting() === 1, 'the tenth is being answered');
      const connection = await openConnection(service.url);
      await connection.send(service.head('GET', '/healthz'));
      expect((await connection.answer()).status).to.equal(200);
      gate.open();
    });

    it('is cut off after READ_SECONDS without progress, and others are served', async () => {
      service = await startService({ env: { READ_SECONDS: '1' } });
      const { slug } = await (await service.newOwner()).create({ html });
      await open(service.head('GET', `/p/${slug}/raw`).repeat(20));
      await until(() => cutOff(slug) > 0, 'it is cut off');
      expect((await service.get(`/p/${slug}/raw`)).bytes.length).to.be.above(html.length);
    });

    it('the client that holds most is cut off, not the one that waits longest', async () => {
      service = await startService({ env: { BUFFERED_BYTES: '7000000', TRUST_PROXY: '1' } });
      const slugs = await pagesInMemory(5);
      const [slow = '', ...others] = slugs;
      await ask(slow, '198.51.100.1');
      // One client, whose addresses are of one network.
      for (const [n, slug] of others.entries()) await ask(slug, `2001:db8:0:${n + 1}::1`);
      const cutOffOthers = () => others.reduce((sum, slug) => sum + cutOff(slug), 0);
      await until(() => cutOffOthers() === 2, 'two of theirs are cut off');
      expect(cutOff(slow)).to.equal(0);
      expect(
        service.logs.filter((line) => line.includes('was cut off') && line.includes('2001:db8:0:')),
      ).to.have.lengthOf(2);
    });

    it('counts together with bodies that are still arriving: the client that holds most of both is cut off', async () => {
      service = await startService({ env: { BUFFERED_BYTES: '7000000', TRUST_PROXY: '1' } });
      const owner = await service.newOwner();
      const [first, second] = [await owner.create({ html }), await owner.create({ html: `${html}2` })];
      await service.settle();
      const connection = await openConnection(service.url);
      const authorization = `Bearer ${owner.token}`;
      const headers = { authorization, 'content-type': 'application/json', 'content-length': '9000000' };
      await connection.send(service.head('PATCH', `/api/drops/${first.slug}`, headers));
      await connection.send(Buffer.alloc(4_500_000, 'x'));
      for (const [n, { slug }] of [first, second].entries()) {
        await service.get(`/p/${slug}/raw`);
        await ask(slug, `192.0.2.${n}`);
      }
      expectError(await connection.answer(), 503, 'unavailable');
      expect(cutOff(first.slug) + cutOff(second.slug)).to.equal(0);
      connection.close();
    });

    it('of one client the oldest is cut off above BUFFERED_BYTES; the same page counts once', async () => {
      service = await startService({ env: { BUFFERED_BYTES: '5000000' } });
      const [first = '', second = '', third = ''] = await pagesInMemory(3);
      await ask(first);
      for (let n = 0; n < 5; n++) await ask(second);
      expect(cutOff(first) + cutOff(second)).to.equal(0);
      await ask(third);
      await until(() => cutOff(first) === 1, 'the first is cut off');
      expect(cutOff(second) + cutOff(third)).to.equal(0);
    });
  });

  describe('pipelined requests', () => {
    it('are handled one at a time', async () => {
      const gate = createGate();
      service = await startService({
        adaptEngine: (engine) => ({ ...engine, drops: gate.wrap(engine.drops) }),
      });
      const { token } = await service.newOwner();
      const connection = await openConnection(service.url);
      gate.hold();
      await connection.send(
        service.head('GET', '/api/drops', { authorization: `Bearer ${token}` }).repeat(20),
      );
      await until(() => gate.waiting() > 0, 'the first is being answered');
      expect((await service.get('/healthz')).status).to.equal(200);
      expect(gate.waiting()).to.equal(1);
      gate.open();
      for (let n = 0; n < 20; n++) expect((await connection.answer()).status).to.equal(200);
      connection.close();
    });

    it('more than 65 at once end the connection', async () => {
      service = await startService();
      const flood = await openWatched('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(500));
      await until(() => flood.isClosed, 'it ends');
    });
  });

  describe('slow clients', () => {
    it('an unfinished head after REQUEST_SECONDS: 408 invalid_arg; a connection without any byte is closed without an answer', async () => {
      service = await startService({ env: { REQUEST_SECONDS: '1' } });
      const silent = await openWatched();
      const slow = await openConnection(service.url);
      await slow.send('GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ');
      expectError(await slow.answer(), 408, 'invalid_arg');
      await until(() => silent.isClosed, 'the silent one is ended');
      expect(silent.text).to.equal('');
    });

    it('an unfinished body after REQUEST_SECONDS: 408 invalid_arg', async () => {
      service = await startService({ env: { REQUEST_SECONDS: '1' } });
      const slow = await openConnection(service.url);
      const headers = { 'content-type': 'application/json', 'content-length': '9' };
      await slow.send(`${service.head('POST', '/api/auth/start', headers)}{`);
      expectError(await slow.answer(), 408, 'invalid_arg');
    });
  });

  it('a client that still sends after its answer is disconnected after REQUEST_SECONDS', async () => {
    service = await startService({ env: { BUFFERED_BYTES: '1048576', REQUEST_SECONDS: '1' } });
    const { token } = await service.newOwner();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const client = await openWatched(
      service.head('POST', '/api/drops', { ...headers, 'content-length': '9000000' }),
    );
    client.socket.allowHalfOpen = true;
    client.socket.write(Buffer.alloc(1_100_000, 'x'));
    await until(() => client.text !== '', 'it is answered');
    expect(client.text).to.match(/^HTTP\/1\.1 503 /);
    await until(() => {
      client.socket.write('x');
      return client.isClosed;
    }, 'its connection ends');
  });
});
