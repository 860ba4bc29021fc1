import { expect } from 'chai';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { useService } from '../support/service.ts';
import type { Connection } from '../support/socket.ts';

const formType = 'application/x-www-form-urlencoded';
const room = 1024 * 1024;
const roomOfStrangers = room / 4;

describe('Bodies of forms', () => {
  const service = useService({
    BODIES_IN_FLIGHT_BYTES: String(room),
    REPORT_MAX_CHARACTERS: '20000',
    TRUST_PROXY: '1',
    WRITES_PER_MINUTE: '1000',
  });
  const open: Connection[] = [];
  afterEach(() => {
    for (const connection of open.splice(0)) connection.close();
  });

  /** A body of which the last byte is still to come. */
  async function almostSend(path: string, bytes: number, headers: Readonly<Record<string, string>>) {
    const connection = await service.connect();
    open.push(connection);
    await connection.send(service.head('POST', path, { ...headers, 'content-length': String(bytes + 1) }));
    await connection.send('x'.repeat(bytes));
    for (let n = 0; n < 20; n++) await service.get('/healthz'); // it has been read
    return connection;
  }

  const post = (path: string, form: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
    service.request('POST', path, {
      raw: form,
      headers: {
        'content-type': formType,
        origin: service.url,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    });

  const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  /** All but the last bytes of forms from two networks, which leave room for four bytes. */
  function fillWithForms(slug: string): Promise<Connection[]> {
    const headers = { 'content-type': formType, origin: service.url };
    const from = (address: string, bytes: number) =>
      almostSend(`/report/${slug}`, bytes, { ...headers, 'x-forwarded-for': address });
    return Promise.all([from('192.0.2.1', 200_000), from('2001:db8::1', roomOfStrangers - 200_004)]);
  }

  it('are refused where forms fill a quarter of BODIES_IN_FLIGHT_BYTES: 503 unavailable with Retry-After, in a page for a person; who has a token has room', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ passcode: 'open-sesame' });
    const forms = [
      [`/p/${slug}`, 'passcode=open-sesame'],
      [`/report/${slug}`, 'reason=phishing'],
      ['/sign-in', 'code=BCDF-GHJK'],
    ] as const;
    for (const isEnded of [false, true]) {
      const sending = await fillWithForms(slug);
      for (const [path, form] of forms) {
        const details = expectErrorPage(await post(path, form, navigation), 503, 'unavailable');
        expect(details.retry_after_seconds, path).to.be.at.least(1);
        const refused = await post(path, form);
        expectError(refused, 503, 'unavailable');
        expect(refused.headers['retry-after'], path).to.match(/^[1-9]\d*$/);
      }
      expectError(
        await service.request('POST', '/api/auth/start', { body: { label: 'x' } }),
        503,
        'unavailable',
      );
      expect((await owner.post()).status).to.equal(201);
      for (const connection of sending) {
        if (isEnded) {
          await connection.send('x');
          expectError(await connection.answer(), 400, 'invalid_arg');
        } else connection.close();
      }
      await service.eventually(async () => {
        expect((await post(`/p/${slug}`, 'passcode=open-sesame', navigation)).status).to.equal(303);
      });
    }
  });

  it('have room where documents fill BODIES_IN_FLIGHT_BYTES', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ passcode: 'open-sesame' });
    const json = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
    await almostSend('/api/drops', room - 10, json);
    await service.eventually(async () => {
      expectError(await owner.post(), 503, 'unavailable');
    });
    expect((await post(`/p/${slug}`, 'passcode=open-sesame', navigation)).status).to.equal(303);
    expect((await service.request('POST', '/api/auth/start', { body: {} })).status).to.equal(200);
  });

  it('are refused where one network holds its part, and others are let in', async () => {
    const { slug } = await (await service.newOwner()).create({ passcode: 'open-sesame' });
    const headers = { 'content-type': formType, origin: service.url };
    const part = 12 * (20_000 + 200) + 1024; // a form may be as large as that
    await almostSend(`/report/${slug}`, part - 4, { ...headers, 'x-forwarded-for': '2001:db8::1' });
    const unlock = (from: string) =>
      post(`/p/${slug}`, 'passcode=open-sesame', { ...navigation, 'x-forwarded-for': from });
    expectErrorPage(await unlock('2001:db8:0:7::1'), 503, 'unavailable');
    expect((await unlock('2001:db8:1::1')).status).to.equal(303);
  });

  it('with a transfer coding: 415 invalid_arg', async () => {
    const headers = { 'content-type': formType, origin: service.url, 'transfer-encoding': 'gzip, chunked' };
    const connection = await service.connect();
    open.push(connection);
    await connection.send(`${service.head('POST', '/sign-in', headers)}6\r\ncode=x\r\n0\r\n\r\n`);
    expectError(await connection.answer(), 415, 'invalid_arg');
  });

  it('in another charset: 415 says what is accepted', async () => {
    const { slug } = await (await service.newOwner()).create({ passcode: 'abcd' });
    const answer = await post(`/p/${slug}`, 'passcode=x', { 'content-type': `${formType}; charset=utf-16` });
    const details = expectError(answer, 415, 'invalid_arg');
    expect(details).to.deep.include({ header: 'Content-Type', accepted: formType });
    expect(answer.headers['accept-post']).to.equal(formType);
  });

  for (const [name, headers, form, status] of [
    ['that are compressed', { 'content-encoding': 'gzip' }, 'passcode=x', 415],
    ['in another charset', { 'content-type': `${formType}; charset=iso-8859-1` }, 'passcode=x', 415],
    ['that are not UTF-8', {}, Buffer.from('passcode=abcd\xff', 'latin1'), 400],
    ['that are not UTF-8 once they are read', {}, 'passcode=abcd%ff', 400],
  ] as const) {
    it(`${name}: ${status} invalid_arg`, async () => {
      const { slug } = await (await service.newOwner()).create({ passcode: 'abcd\ufffd' });
      expectError(await post(`/p/${slug}`, form, headers), status, 'invalid_arg');
    });
  }
});
