import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { type Owner, useService } from '../support/service.ts';

describe('Bodies in flight', () => {
  const service = useService({ BODIES_IN_FLIGHT_BYTES: String(1024 * 1024), WRITES_PER_MINUTE: '1000' });

  const body = Buffer.from(JSON.stringify({ title: 't', html: 'x'.repeat(700_000) }));

  /** A write all of whose body is sent but the last byte. */
  async function almostSent(owner: Owner) {
    const connection = await service.connect();
    const headers = {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    await connection.send(service.head('POST', '/api/drops', headers));
    await connection.send(body.subarray(0, -1));
    return connection;
  }

  it('more than BODIES_IN_FLIGHT_BYTES: 503 unavailable with Retry-After, until they have ended', async () => {
    const owner = await service.newOwner();
    let first = await almostSent(owner);
    try {
      await service.eventually(async () => {
        const refused = await owner.request('POST', '/api/drops', { raw: body });
        if (refused.status === 201) {
          // The later one's body was let in first, and the other one was refused.
          first.close();
          first = await almostSent(owner);
        }
        const details = expectError(refused, 503, 'unavailable');
        expect(refused.headers['retry-after']).to.match(/^[1-9]\d*$/);
        expect(details.retry_after_seconds).to.equal(Number(refused.headers['retry-after']));
      });
      expect((await owner.get('/api/me')).status, 'reads go on').to.equal(200);
      expect((await owner.post()).status, 'small bodies that fit go on').to.equal(201);
      await first.send(body.subarray(-1));
      expect((await first.answer()).status).to.equal(201);
      expect((await owner.request('POST', '/api/drops', { raw: body })).status).to.equal(201);
    } finally {
      first.close();
    }
  });

  it('a client that sends more before it has read an answer, and goes away, gives its bytes back', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ html: `<!doctype html>${'x'.repeat(300_000)}` });
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
    const post = service.head('POST', '/api/drops', { ...headers, 'content-length': String(body.length) });
    const connection = await service.connect();
    for (let n = 0; n < 30; n++) await connection.send(service.head('GET', `/p/${slug}/raw`));
    await connection.send(post);
    await connection.send(body);
    await service.eventually(async () => {
      expect(
        (await owner.get('/api/me')).body.drop_count,
        'the write behind the unread pages is done',
      ).to.equal(2);
    });
    connection.close();
    await service.eventually(async () => {
      expect((await owner.request('POST', '/api/drops', { raw: body })).status).to.equal(201);
    });
  });

  it('a client that goes away gives its bytes back', async () => {
    const owner = await service.newOwner();
    for (let n = 0; n < 3; n++) {
      const connection = await almostSent(owner);
      connection.close();
    }
    await service.eventually(async () => {
      expect((await owner.request('POST', '/api/drops', { raw: body })).status).to.equal(201);
    });
  });
});
