import { expect } from 'chai';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { useService } from '../support/service.ts';
import type { Connection } from '../support/socket.ts';

const room = 1024 * 1024;

describe('Bodies of forms', () => {
  const service = useService({
    BODIES_IN_FLIGHT_BYTES: String(room),
    REPORT_MAX_CHARACTERS: '20000',
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

  const post = (path: string, form: string, headers: Readonly<Record<string, string>> = {}) =>
    service.request('POST', path, {
      raw: form,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: service.url,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    });

  const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  it('are refused where other bodies fill BODIES_IN_FLIGHT_BYTES: 503 unavailable with Retry-After, in a page for a person', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ passcode: 'open-sesame' });
    const forms = [
      [`/p/${slug}`, 'passcode=open-sesame'],
      [`/report/${slug}`, 'reason=phishing'],
      ['/sign-in', 'code=BCDF-GHJK'],
    ] as const;
    const json = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
    const fill = () => almostSend('/api/drops', room - 10, json);
    let body = await fill();
    for (const [path, form] of forms) {
      await service.eventually(async () => {
        if ((await post(path, form, navigation)).status !== 503) {
          // The form was let in first, and the other body may have been refused.
          body.close();
          body = await fill();
        }
        const details = expectErrorPage(await post(path, form, navigation), 503, 'unavailable');
        expect(details.retry_after_seconds, path).to.be.at.least(1);
      });
      const refused = await post(path, form);
      expectError(refused, 503, 'unavailable');
      expect(refused.headers['retry-after'], path).to.match(/^[1-9]\d*$/);
    }
    body.close();
    await service.eventually(async () => {
      expect((await post(`/p/${slug}`, 'passcode=open-sesame', navigation)).status).to.equal(303);
    });
  });

  it('leave others no room while they come, and give it back when their clients go away or are answered', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: service.url };
    for (const isEnded of [false, true]) {
      let sending: Connection[] = [];
      await service.eventually(async () => {
        if ((await owner.post()).status !== 503) {
          // It was let in first, and one of the forms may have been refused.
          for (const connection of sending) connection.close();
          const fills = [1, 2, 3, 4, 5].map(() => almostSend(`/report/${slug}`, (room - 11) / 5, headers));
          sending = await Promise.all(fills);
        }
        expectError(await owner.post(), 503, 'unavailable');
      });
      for (const connection of sending) {
        if (isEnded) {
          await connection.send('x');
          expectError(await connection.answer(), 400, 'invalid_arg');
        } else connection.close();
      }
      await service.eventually(async () => {
        expect((await owner.post()).status).to.equal(201);
      });
    }
  });
});
