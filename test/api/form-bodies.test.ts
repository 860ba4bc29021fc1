import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';
import type { Connection } from '../support/socket.ts';

const formType = 'application/x-www-form-urlencoded';

describe('Bodies of forms', () => {
  const service = useService();
  const open: Connection[] = [];
  afterEach(() => {
    for (const connection of open.splice(0)) connection.close();
  });

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
