import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { methodsOf } from '../../shared/util/methods.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { createGate, type Gate } from '../support/gate.ts';
import { useServiceOfEach } from '../support/service.ts';
import { until } from '../support/until.ts';

/** ANSWER_MS while the store does not answer. Otherwise it is a time that no busy machine exceeds. */
const shortMs = 200;

describe('An answer that takes longer than ANSWER_MS', () => {
  const atTokens = createGate();
  const atDrops = createGate();
  afterEach(openAll);
  const service = useServiceOfEach({ BUFFERED_BYTES: String(1024 * 1024) }, (engine) => ({
    ...engine,
    // Not of the jobs, which use other methods.
    tokens: { ...methodsOf(engine.tokens), findByHash: atTokens.wrap(engine.tokens).findByHash },
    drops: atDrops.wrap(engine.drops),
    ready: () => atDrops.wrap(engine).ready(),
    pageChanges: { ...methodsOf(engine.pageChanges), isCurrent: () => false }, // each page is read
  }));

  function hold(...gates: Gate[]): void {
    for (const gate of gates) gate.hold();
    setAnswerMs(shortMs);
  }

  function openAll(): void {
    atTokens.open();
    atDrops.open();
    setAnswerMs(60_000);
  }

  /** The service reads it for each request. */
  function setAnswerMs(ANSWER_MS: number): void {
    Object.assign(service.services.config, { ANSWER_MS });
  }

  async function untilWaiting(gate: Gate): Promise<void> {
    await until(() => gate.waiting() > 0, 'a call waits at the gate');
  }

  /** Nothing of what handlers did after the answer has surfaced. */
  async function expectQuiet() {
    openAll();
    await until(() => atTokens.waiting() + atDrops.waiting() === 0, 'handlers continue');
    await service.newDrop(); // its reads and writes come after theirs
    await service.settle();
    const faults = service.logs.filter(
      (line) => line.startsWith('error') || /^warn.*HEADERS_SENT/.test(line),
    );
    expect(faults).to.deep.equal([]);
  }

  it('503 unavailable with Retry-After on each route, and no error later', async () => {
    const { owner, slug } = await service.newDrop();
    hold(atTokens, atDrops);
    const from = performance.now();
    const answers = await Promise.all([
      owner.get('/api/me'),
      owner.get('/api/drops'),
      owner.get(`/api/drops/${slug}`),
      owner.post(),
      owner.put(slug),
      owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'new' } }),
      owner.request('DELETE', `/api/drops/${slug}/v/1`),
      service.get(`/p/${slug}`),
      service.get(`/p/${slug}/raw`),
      service.get('/readyz'),
    ]);
    expect(performance.now() - from).to.be.at.least(shortMs - 5);
    for (const answer of answers) {
      const details = expectError(answer, 503, 'unavailable');
      expect(details.retry_after_seconds).to.be.a('number').and.at.least(1);
      expect(answer.headers['retry-after']).to.equal(String(details.retry_after_seconds));
      expect(answer.headers['cache-control']).to.match(/no-store/);
    }
    expect((await service.get('/healthz')).status, 'what needs no store continues').to.equal(200);
    await expectQuiet();
    expect((await owner.get(`/api/drops/${slug}`)).status).to.equal(200);
    expect((await service.get('/readyz')).status).to.equal(200);
  });

  it('a page for a person, under the sandbox on the raw path', async () => {
    const { slug } = await service.newDrop();
    hold(atDrops);
    for (const answer of await Promise.all([service.view(`/p/${slug}`), service.view(`/p/${slug}/raw`)])) {
      expectErrorPage(answer, 503, 'unavailable');
    }
    const head = await service.request('HEAD', `/p/${slug}/raw`);
    expect(head.headers['content-security-policy']).to.match(/^sandbox /);
    expect(head.bytes).to.have.length(0);
    await expectQuiet();
  });

  it('the operation still completes', async () => {
    const owner = await service.newOwner();
    hold(atDrops);
    expectError(await owner.post({ title: 'Written all the same' }), 503, 'unavailable');
    expect((await owner.get('/readyz')).status).to.equal(503);
    await expectQuiet();
    await service.eventually(async () => {
      const { data } = (await owner.get('/api/drops')).body;
      expect(data.map(({ title }: { title: string }) => title)).to.deep.equal(['Written all the same']);
    });
  });

  it('a failure after the answer is logged, and the connection stays open', async () => {
    const owner = await service.newOwner();
    const request = service.head('GET', '/api/me', { authorization: `Bearer ${owner.token}` });
    const connection = await service.connect();
    try {
      hold(atTokens);
      await connection.send(request);
      expectError(await connection.answer(), 503, 'unavailable');
      atTokens.open(new Error('the store has an opinion'));
      openAll();
      await service.eventually(async () => {
        const lines = service.logs.filter((line) => line.includes('the store has an opinion'));
        expect(lines.map((line) => line.split(' ')[0])).to.deep.equal(['error']);
      });
      await connection.send(request);
      expect((await connection.answer()).status).to.equal(200);
    } finally {
      connection.close();
    }
  });

  it('no view is counted for it', async () => {
    const { owner, slug } = await service.newDrop();
    await service.settle();
    expect((await service.view(`/p/${slug}/raw`)).status).to.equal(200);
    await service.settle();
    hold(atDrops);
    const headers = {
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'user-agent': 'Mozilla/5.0',
    };
    const late = await Promise.all(
      [`/p/${slug}`, `/p/${slug}/raw?v=1`].map((path) => service.get(path, { headers })),
    );
    expect(late.map(({ status }) => status)).to.deep.equal([503, 503]);
    await expectQuiet();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(1);
  });

  it('the body counts as held until the operation is complete', async () => {
    const { owner, slug } = await service.newDrop();
    const raw = Buffer.from(JSON.stringify({ html: 'x'.repeat(700_000) }));
    const put = () => owner.request('PUT', `/api/drops/${slug}`, { raw });
    hold(atDrops);
    expectError(await put(), 503, 'unavailable');
    await untilWaiting(atDrops);
    const refused = await put();
    expectError(refused, 503, 'unavailable');
    expect(refused.body.error.message).to.match(/Too many unfinished requests/);
    await expectQuiet();
    await service.eventually(async () => {
      expect((await put()).status).to.equal(200);
    });
  });

  it('an unread body is discarded, so that the client gets the answer', async () => {
    const owner = await service.newOwner();
    hold(atTokens);
    const body = Buffer.from(JSON.stringify({ title: 't', html: 'x'.repeat(2_000_000) }));
    const answer = await service.sendWhole(
      'POST',
      '/api/drops',
      { authorization: `Bearer ${owner.token}` },
      body,
    );
    expectError(answer, 503, 'unavailable');
    await expectQuiet();
    expect(
      (await owner.get('/api/me')).body.drop_count,
      'a body that was let through is not written',
    ).to.equal(0);
  });

  for (const [name, isLate] of [
    ['', false],
    [', even if the handler reads it late', true],
  ] as const) {
    it(`the time in which the client sends its body does not count${name}`, async () => {
      const owner = await service.newOwner();
      const body = Buffer.from(JSON.stringify({ title: 't', html: 'x'.repeat(1_000) }));

      /** @param untilReadMs in which the handler must begin to read @returns the status */
      async function sendSlowly(untilReadMs: number): Promise<number> {
        setAnswerMs(untilReadMs);
        if (isLate) atTokens.hold();
        const connection = await service.connect();
        try {
          const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
          const authorization = `Bearer ${owner.token}`;
          await connection.send(service.head('POST', '/api/drops', { ...headers, authorization }));
          if (isLate) await untilWaiting(atTokens);
          await pause(untilReadMs / 4);
          openAll();
          for (let at = 0; at < body.length; at += 400) {
            await pause(untilReadMs / 2);
            await connection.send(body.subarray(at, at + 400));
          }
          return (await connection.answer()).status;
        } finally {
          connection.close();
        }
      }

      // On a busy machine the handler may begin later than the deadline.
      let status = 503;
      for (let ms = 1_000; ms <= 16_000 && status === 503; ms *= 4) status = await sendSlowly(ms);
      expect(status).to.equal(201);
    });
  }
});
