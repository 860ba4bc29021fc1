import { expect } from 'chai';
import { reportFormBytes } from '../../api/reports/reports.ts';
import { maxDropBodyBytes } from '../../shared/config/config.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';
import type { Connection } from '../support/socket.ts';

const mib = 1024 * 1024;
const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('Request bodies that are still arriving', () => {
  // The forms of reports are large, so that few connections hold much.
  const common = { REPORT_MAX_CHARACTERS: '20000', TRUST_PROXY: '1', WRITES_PER_MINUTE: '1000' };
  const open: Connection[] = [];
  afterEach(() => {
    for (const connection of open.splice(0)) connection.close();
  });

  function senderTo(service: ReturnType<typeof useService>) {
    /** A request of which the last byte of the body is still to come. */
    async function almostSend(
      method: string,
      path: string,
      body: Buffer,
      headers: Readonly<Record<string, string>>,
    ): Promise<Connection> {
      const connection = await service.connect();
      open.push(connection);
      const length = { 'content-length': String(body.length) };
      await connection.send(service.head(method, path, { ...headers, ...length }));
      await connection.send(body.subarray(0, -1));
      return connection;
    }

    return {
      almostWrite(
        owner: Owner,
        method: 'POST' | 'PATCH',
        path: string,
        body: Buffer,
        address = '192.0.2.200',
      ) {
        const authorization = `Bearer ${owner.token}`;
        const headers = { authorization, 'content-type': 'application/json', 'x-forwarded-for': address };
        return almostSend(method, path, body, headers);
      },

      almostSendForm(address: string, path: string, bytes: number) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: service.url };
        return almostSend('POST', path, Buffer.alloc(bytes, 'x'), {
          ...headers,
          ...navigation,
          'x-forwarded-for': address,
        });
      },

      async untilRead(): Promise<void> {
        for (let n = 0; n < 20; n++) await service.get('/healthz');
      },
    };
  }

  describe('with the default BUFFERED_BYTES', () => {
    const service = useService(common);
    const { almostWrite, almostSendForm, untilRead } = senderTo(service);

    /** A document of 2 MB with every character escaped: as large as a legal body can be. */
    const escaped = () => `{"title":"t","html":"${'\\u0078'.repeat(2 * mib)}"}`;

    it('three PATCH bodies of up to 13 MB each from two accounts do not stop others from publishing', async () => {
      const other = await service.newOwner();
      const largest = maxDropBodyBytes(service.config);
      for (const owner of [await service.newOwner(), await service.newOwner()]) {
        const { slug } = await owner.create();
        for (const bytes of [largest, largest, 32 * mib - 2 * largest - 100]) {
          await almostWrite(owner, 'PATCH', `/api/drops/${slug}`, Buffer.alloc(bytes, 'x'));
        }
      }
      await untilRead();
      for (let n = 0; n < 5; n++) {
        expect((await other.post({ html: 'x'.repeat(1_000) })).status).to.equal(201);
      }
      expect((await other.request('POST', '/api/drops', { raw: escaped() })).status).to.equal(201);
    });

    it('unfinished forms from 16 addresses do not stop others from signing in or unlocking a page', async () => {
      const { slug } = await (await service.newOwner()).create({ passcode: 'open-sesame' });
      const largest = reportFormBytes(service.config.REPORT_MAX_CHARACTERS);
      for (let n = 1; n <= 16; n++) {
        for (const bytes of [largest, largest, largest, largest, mib - 4 * largest]) {
          await almostSendForm(`192.0.2.${n}`, `/report/${slug}`, bytes);
        }
      }
      await untilRead();
      const started = await service.request('POST', '/api/auth/start', { body: { label: 'a laptop' } });
      expect(started.status).to.equal(200);
      const unlocked = await service.request('POST', `/p/${slug}`, {
        raw: 'passcode=open-sesame',
        headers: {
          ...navigation,
          'content-type': 'application/x-www-form-urlencoded',
          origin: service.url,
        },
      });
      expect(unlocked.status).to.equal(303);
    });
  });

  describe('with BUFFERED_BYTES of 1 MiB', () => {
    const service = useService({ ...common, BUFFERED_BYTES: String(mib) });
    const owner = useOwner(service);
    const { almostWrite, almostSendForm, untilRead } = senderTo(service);
    const body = (bytes: number) => Buffer.from(JSON.stringify({ title: 't', html: 'x'.repeat(bytes) }));
    const post = (owner: Owner, bytes: number) => owner.request('POST', '/api/drops', { raw: body(bytes) });

    it('a body that is cut off is answered 503 unavailable with Retry-After', async () => {
      const holder = await service.newOwner();
      const other = await service.newOwner();
      const stalled = await almostWrite(holder, 'POST', '/api/drops', body(700_000));
      await untilRead();
      expect((await post(other, 500_000)).status).to.equal(201);
      const answer = await stalled.answer();
      const details = expectError(answer, 503, 'unavailable');
      expect(answer.headers['retry-after'])
        .to.match(/^[1-9]\d*$/)
        .and.equal(String(details.retry_after_seconds));
      expect(answer.headers.connection).to.equal('close');
      expect((await post(holder, 700_000)).status).to.equal(201);
    });

    it('bodies of one account count together, from all addresses and connections', async () => {
      const holder = await service.newOwner();
      const other = await service.newOwner();
      const sending: Connection[] = [];
      for (let n = 0; n < 50; n++) {
        sending.push(await almostWrite(holder, 'POST', '/api/drops', body(15_000), `192.0.2.${n}`));
      }
      await untilRead();
      expect((await post(other, 500_000)).status).to.equal(201);
      for (const each of sending) await each.send('}');
      const answers = await Promise.all(sending.map((each) => each.answer()));
      expect(answers.filter(({ status }) => status === 503)).to.have.length.within(1, 25);
      expect(answers.filter(({ status }) => status === 201)).to.have.length.within(25, 49);
    });

    it('forms from one network count together, and a person gets the error as a page', async () => {
      const { slug } = await (await service.newOwner()).create();
      const sending: Connection[] = [];
      for (let n = 1; n <= 4; n++) {
        sending.push(await almostSendForm(`2001:db8:0:${n}::1`, `/report/${slug}`, 200_000));
      }
      const other = await almostSendForm('2001:db8:1::1', `/report/${slug}`, 200_000);
      await almostSendForm('192.0.2.1', `/report/${slug}`, 200_000);
      const answer = await Promise.any(sending.map((each) => each.answer()));
      const details = expectErrorPage(answer, 503, 'unavailable');
      expect(answer.headers['retry-after']).to.equal(String(details.retry_after_seconds));
      await other.send('x');
      expectErrorPage(await other.answer(), 400, 'invalid_arg');
    });

    it('bodies no longer count when their clients have disconnected', async () => {
      for (let n = 0; n < 3; n++) {
        (await almostWrite(owner, 'POST', '/api/drops', body(700_000))).close();
      }
      await untilRead();
      const first = await service.newOwner();
      const second = await service.newOwner();
      const sending = await almostWrite(first, 'POST', '/api/drops', body(500_000));
      expect((await post(second, 490_000)).status).to.equal(201);
      await sending.send('}');
      expect((await sending.answer()).status).to.equal(201);
    });

    it('bodies behind unread answers no longer count when the connection is closed', async () => {
      const { slug } = await owner.create({ html: `<!doctype html>${'x'.repeat(300_000)}` });
      const whole = body(600_000);
      const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
      const length = { 'content-length': String(whole.length) };
      const connection = await service.connect();
      for (let n = 0; n < 30; n++) await connection.send(service.head('GET', `/p/${slug}/raw`));
      await connection.send(service.head('POST', '/api/drops', { ...headers, ...length }));
      await connection.send(whole);
      await service.eventually(async () => {
        expect((await owner.get('/api/me')).body.drop_count, 'the write is done').to.equal(2);
      });
      connection.close();
      await untilRead();
      const other = await service.newOwner();
      const sending = await almostWrite(owner, 'POST', '/api/drops', body(500_000));
      expect((await post(other, 490_000)).status).to.equal(201);
      await sending.send('}');
      expect((await sending.answer()).status).to.equal(201);
    });
  });
});
