import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { startService, type TestService } from '../support/service.ts';
import { openConnection } from '../support/socket.ts';
import { until } from '../support/until.ts';

const html = `<!doctype html>${'x'.repeat(2_000_000)}`;

describe('Hostile connections', () => {
  let service: TestService;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await service.stop();
  });

  /** A connection of which nothing is read. */
  async function open(text = '', localAddress = '127.0.0.1'): Promise<Socket> {
    const { hostname, port } = new URL(service.url);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    return socket;
  }

  /** The same, read, and whether it was closed. */
  async function openWatched(text = '', localAddress?: string) {
    const socket = await open(text, localAddress);
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

  describe('connections that make progress', () => {
    type Watched = Awaited<ReturnType<typeof openWatched>>;
    const atOnce = 10;
    const other = '127.0.0.2';
    const parts = 20;
    const part = 'x'.repeat(1_000);
    let token = '';
    beforeEach(async () => {
      service = await startService({ env: { MAX_CONNECTIONS: String(atOnce), WRITES_PER_MINUTE: '1000' } });
      token = (await service.newOwner()).token;
    });

    /** A document of 20 parts of which the first arrives with its head. */
    function upload(localAddress?: string) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/html' };
      const length = { 'content-length': String(parts * part.length) };
      return openWatched(
        service.head('POST', '/api/drops?title=x', { ...headers, ...length }) + part,
        localAddress,
      );
    }

    /** More of them than there are places. */
    async function flood(text: string, localAddress?: string): Promise<void> {
      for (let n = 0; n < 2 * atOnce; n++) await open(text, localAddress);
    }

    async function finish({ socket }: { socket: Socket }): Promise<void> {
      for (let n = 1; n < parts; n++) socket.write(part);
    }

    async function isServed(localAddress: string): Promise<boolean> {
      const watched = await openWatched(service.head('GET', '/healthz'), localAddress);
      await until(() => watched.isClosed || watched.text !== '', 'it is answered or ended');
      watched.socket.destroy();
      return watched.text.startsWith('HTTP/1.1 200');
    }

    for (const [name, text] of [
      ['empty', ''],
      ['half a head', 'GET /p/x HTTP/1.1\r\nhost: x\r\n'],
      ['bodies that do not come', 'begin'],
    ] as const)
      for (const address of ['127.0.0.1', other])
        it(`an upload stays while connections are opened from ${address}: ${name}`, async () => {
          const begun =
            text === 'begin' ? service.head('POST', '/api/auth/start', { 'content-length': '9' }) : text;
          const sending = await upload();
          await service.get('/healthz'); // its head was read
          for (let n = 1; n < parts; n++) {
            sending.socket.write(part);
            await flood(begun, address);
          }
          await until(() => sending.isClosed || sending.text !== '', 'it is answered or ended');
          expect(sending.text).to.match(/^HTTP\/1.1 201/);
        });

    it('idle connections of one network stay while another network opens more than there are', async () => {
      const kept = [await openWatched(service.head('GET', '/healthz')), await openWatched()];
      await until(() => kept[0]?.text !== '', 'it is answered');
      await flood('', other);
      await flood('GET / HTTP/1.1\r\n', other);
      expect(await isServed(other), 'the other network').to.equal(true);
      expect(kept.map(({ isClosed }) => isClosed)).to.deep.equal([false, false]);
    });

    it('of a network that has all places one ends for a request from another, and none for idle connections', async () => {
      const uploads: Watched[] = [];
      for (let n = 0; n < atOnce; n++) uploads.push(await upload(other));
      for (const { socket } of uploads) socket.write(part);
      const isOpen = () => uploads.filter(({ isClosed }) => !isClosed).length;
      expect(await isServed('127.0.0.1'), 'a request').to.equal(true);
      await flood('');
      expect(isOpen()).to.equal(atOnce - 1);
      expect(await isServed('127.0.0.1'), 'a request beside them').to.equal(true);
      for (const one of uploads) await finish(one);
      const isDone = () => uploads.filter(({ text }) => text.startsWith('HTTP/1.1 201')).length;
      await until(() => isDone() === atOnce - 1, 'the others are published');
    });

    it('bodies that come byte by byte give way to a new connection of their network', async () => {
      const slow: Watched[] = [];
      let drips = 0;
      for (let n = 0; n < atOnce; n++) slow.push(await upload());
      const drip = setInterval(() => {
        for (const { socket } of slow) if (!socket.destroyed) socket.write('x');
        drips += 1;
      }, 50);
      await until(() => drips > 5, 'some bytes have come');
      const isAnswered = () => isServed('127.0.0.1').catch(() => false);
      await until(isAnswered, 'a new one is served').finally(() => clearInterval(drip));
    });

    it('a reader that reads stays, and readers that read nothing give way', async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create({ html });
      const { slug: longest } = await owner.create({ html: `${html}y` });
      await service.settle();
      const ask = (path: string) =>
        open(service.head('GET', path, { 'accept-encoding': 'identity' }).repeat(8));
      const reader = await ask(`/p/${longest}/raw`);
      const reading = setInterval(() => reader.read(20_000), 20);
      for (let n = 1; n < atOnce; n++) await ask(`/p/${slug}/raw`);
      for (let n = 0; n < 5; n++) {
        await until(() => isServed('127.0.0.1').catch(() => false), 'a new one is served');
        await flood('');
      }
      clearInterval(reading);
      expect(reader.destroyed).to.equal(false);
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
      const isServed = async () => {
        const connection = await openConnection(service.url);
        await connection.send(service.head('GET', '/healthz'));
        return (await connection.answer().catch(() => null))?.status === 200;
      };
      await until(isServed, 'one of the readers has made no progress for two seconds');
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
      const first = await owner.create({ html });
      const second = await owner.create({ html: `${html}2` });
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
