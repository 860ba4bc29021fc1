import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import type { NewDrop } from '../../shared/drops/drop.ts';
import type { DropStore } from '../../shared/drops/drop-store.ts';
import type { IdempotencyStore } from '../../shared/idempotency/idempotency-store.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { writeWith } from '../support/keyed.ts';
import { type Owner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

const lease = 30_000;
const minute = 60_000;

/** Lets the store do a call and loses its answer, refuses the call before it is done or for the day's count, or does it only later. */
type Fault = 'lost answer' | 'not done' | 'day full' | 'late' | null;

describe('Idempotency-Key, when the outcome of the first request is unknown', () => {
  const gate = createGate();
  let faults: { drops: Fault; finish: Fault; replace: Fault };
  let owner: Owner;
  let key: string;
  const created: NewDrop[] = [];
  /** Does a call that was late. */
  let catchUp: (() => Promise<unknown>) | null = null;

  /** The method with the fault that is set when it is called. */
  function withFault<A extends unknown[], T>(
    name: keyof typeof faults,
    method: (...args: A) => Promise<T>,
    note: (...args: A) => void = () => undefined,
  ) {
    return async (...args: A): Promise<T> => {
      note(...args);
      const fault = faults[name];
      if (fault === 'late') catchUp = () => method(...args);
      else if (fault !== 'not done') {
        const result = await method(...args);
        if (fault === null) return result;
      }
      throw unavailable('The test has cut this call off.');
    };
  }

  after(() => gate.open());
  const service = useService(
    { WRITES_PER_DAY: '3', WRITES_PER_MINUTE: '1000', ANSWER_MS: '60000' },
    (engine) => {
      const stores: { drops: DropStore; idempotency: IdempotencyStore } = engine;
      const gated = gate.wrap(stores.drops, ['create', 'addVersion']);
      const create = withFault('drops', gated.create, (drop) => created.push(drop));
      const drops: DropStore = {
        ...methodsOf(stores.drops),
        create: async (...args) => (faults.drops === 'day full' ? 'day_full' : create(...args)),
        addVersion: withFault('drops', gated.addVersion),
      };
      const records = methodsOf(stores.idempotency);
      const idempotency = {
        ...records,
        finish: withFault('finish', records.finish),
        replace: withFault('replace', records.replace),
      };
      const findReferenced: typeof engine.pendingTasks.findReferenced = async (ids) => {
        const found = await engine.pendingTasks.findReferenced(ids);
        await catchUp?.();
        catchUp = null;
        return found;
      };
      return {
        ...engine,
        drops,
        idempotency,
        pendingTasks: { ...methodsOf(engine.pendingTasks), findReferenced },
      };
    },
  );

  beforeEach(async () => {
    faults = { drops: null, finish: null, replace: null };
    owner = await service.newOwner();
    key = randomUUID();
    created.length = 0;
  });

  const post = () => writeWith(owner, key, 'POST', '/api/drops');
  const countDrops = async () => (await owner.get('/api/me')).body.drop_count;

  /** How many of today's 3 writes are left. */
  async function writesLeft(): Promise<number> {
    faults = { drops: null, finish: null, replace: null };
    for (let written = 0; ; written++) {
      const answer = await owner.post();
      if (answer.status === 201) continue;
      expectTooMany(answer, 'daily_quota_exceeded');
      return written;
    }
  }

  it('the process dies after the write: 409 until the lease ends, then the same drop, and no second write of the day', async () => {
    faults.finish = 'not done';
    const first = await post();
    expect(first.status).to.equal(201); // the write is done, whatever becomes of the record
    expect(first.headers).to.not.have.property('idempotency-replayed');
    faults.finish = null;
    service.clock.advance(lease - 1);
    const { retry_after_seconds } = expectError(await post(), 409, 'idempotency_key_in_use');
    expect(retry_after_seconds).to.equal(1);
    service.clock.advance(1);
    const replay = await post();
    expect(replay.status, replay.text).to.equal(201);
    expect(replay.headers['idempotency-replayed']).to.equal('true');
    expect(replay.body).to.deep.equal(first.body);
    expect(await countDrops()).to.equal(1);
    expect(await writesLeft()).to.equal(2);
  });

  it('409 says to wait as long again as the first request has taken, at most until the lease ends', async () => {
    faults.finish = 'not done';
    await post();
    for (const [atMs, seconds] of [
      [0, 1],
      [500, 1],
      [4_000, 4],
      [14_000, 14],
      [20_000, 10],
      [29_500, 1],
    ] as const) {
      service.clock.advance(atMs);
      expect(expectError(await post(), 409, 'idempotency_key_in_use').retry_after_seconds).to.equal(seconds);
      service.clock.advance(-atMs);
    }
  });

  it('503 after a PUT that is the last write of the day, with If-Match: the next request finds its version', async () => {
    const { slug } = await owner.create();
    await owner.put(slug);
    const put = () => writeWith(owner, key, 'PUT', `/api/drops/${slug}`, { headers: { 'if-match': '"2"' } });
    faults.drops = 'lost answer';
    expectError(await put(), 503, 'unavailable');
    faults.drops = null;
    const replay = await put();
    expect(replay.status, replay.text).to.equal(200);
    expect(replay.body.latest_version).to.equal(3);
    expect((await put()).body).to.deep.equal(replay.body);
    expect(await writesLeft()).to.equal(0);
  });

  it('503 after a PUT: a viewer sees its version once the next request is answered', async () => {
    const { slug } = await owner.create();
    const raw = async () => (await owner.get(`/p/${slug}/raw`)).text;
    await service.settle(); // the page is rendered, and the next reads keep it in memory
    for (let reads = 0; reads < 2; reads++) expect(await raw()).to.include('A page');
    const put = () => writeWith(owner, key, 'PUT', `/api/drops/${slug}`);
    faults.drops = 'lost answer';
    expectError(await put(), 503, 'unavailable');
    faults.drops = null;
    await raw();
    expect((await put()).headers['idempotency-replayed']).to.equal('true');
    expect(await raw()).to.include('Another page');
  });

  it('503 of a restore that is done while the next request begins: no conflict with itself, and one version', async () => {
    const { slug } = await owner.create();
    const restore = () => {
      const headers = { 'idempotency-key': key, 'if-match': '"1"' };
      return owner.request('POST', `/api/drops/${slug}/v/1/restore`, { headers });
    };
    faults.drops = 'late';
    expectError(await restore(), 503, 'unavailable');
    faults.drops = null;
    const answer = await restore();
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.latest_version).to.equal(2);
    expect((await restore()).headers['idempotency-replayed']).to.equal('true');
  });

  it('503 before the write: the next request writes, and no write of the day is lost', async () => {
    faults.drops = 'not done';
    expectError(await post(), 503, 'unavailable');
    faults.drops = null;
    const answer = await post();
    expect(answer.status).to.equal(201);
    expect(answer.headers).to.not.have.property('idempotency-replayed');
    expect(await countDrops()).to.equal(1);
    expect(await writesLeft()).to.equal(2);
  });

  it('the first request is still running when its lease ends: both get the one drop', async () => {
    gate.hold();
    const first = post();
    await until(() => gate.waiting() === 1, 'the first waits for its record');
    service.clock.advance(lease);
    const second = post();
    await until(() => gate.waiting() === 2, 'the second waits for the same record');
    gate.open();
    const answers = await Promise.all([first, second]);
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201]);
    expect(new Set(answers.map(({ body }) => body.slug)).size).to.equal(1);
    expect(await countDrops()).to.equal(1);
    expect((await post()).headers['idempotency-replayed']).to.equal('true');
    expect((await owner.get(`/p/${answers[0]?.body.slug}/raw`)).text).to.include('A page');
  });

  it('a repeat that is refused while the first is still running forgets nothing: a later one finds the drop', async () => {
    gate.hold();
    const first = post();
    await until(() => gate.waiting() === 1, 'the first waits for its record');
    service.clock.advance(lease);
    faults.drops = 'day full'; // as if the first had taken the last write of the day
    expectTooMany(await post(), 'daily_quota_exceeded');
    faults.drops = null;
    gate.open();
    const done = await first;
    expect(done.status).to.equal(201);
    const replay = await post();
    expect(replay.status, replay.text).to.equal(201);
    expect(replay.body).to.deep.equal(done.body);
    expect((await owner.get(`/p/${done.body.slug}/raw`)).text).to.include('A page');
    expect(await countDrops()).to.equal(1);
  });

  it('a repeat writes with the ids of the first request, and after half an hour with new ones', async () => {
    faults.drops = 'not done';
    for (const ms of [0, 30 * minute - 1, 1]) {
      service.clock.advance(ms);
      expectError(await post(), 503, 'unavailable');
    }
    const [first, second, third] = created.map(({ id, slug, version }) => [id, slug, version.id]);
    expect(second).to.deep.equal(first);
    // The job removes blobs whose id is an hour old and in no record.
    for (const [at, id] of (third ?? []).entries()) expect(id).to.not.equal(first?.[at]);
    expect(created.map(({ version }) => version.isRepeat)).to.deep.equal([false, true, false]);
  });
});
