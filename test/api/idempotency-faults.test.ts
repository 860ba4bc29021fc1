import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import type { Answer } from '../support/client.ts';
import { expectTooMany } from '../support/expect.ts';
import { writeWith } from '../support/keyed.ts';
import { type Owner, useService } from '../support/service.ts';

const lease = 30_000;

/** The store calls of a write with a key, in their order. */
const steps = ['insert', 'write', 'finish'] as const;
const moments = ['before', 'after'] as const;
/** `fails`: the call fails, and the process continues. `process dies`: so does every later call of the request. */
const ways = ['fails', 'process dies'] as const;

describe('A write with Idempotency-Key that is cut off at one of its store calls, repeated until it is answered', () => {
  let fault: {
    step: (typeof steps)[number];
    moment: (typeof moments)[number];
    way: (typeof ways)[number];
  } | null = null;
  let isDead = false;

  function cutOff(): never {
    throw unavailable('The test has cut this call off.');
  }

  /** The method, which fails at the step of the fault, once. @param step null: only if the process has died */
  function faulty<A extends unknown[], T>(
    step: (typeof steps)[number] | null,
    method: (...args: A) => Promise<T>,
  ) {
    return async (...args: A): Promise<T> => {
      if (isDead) cutOff();
      const { moment, way } = fault?.step === step ? (fault ?? {}) : {};
      if (moment !== undefined) {
        fault = null;
        isDead = way === 'process dies';
      }
      if (moment === 'before') cutOff();
      const result = await method(...args);
      if (moment === 'after') cutOff();
      return result;
    };
  }

  function adaptEngine(engine: Engine): Engine {
    const idempotency = methodsOf(engine.idempotency);
    const drops = methodsOf(engine.drops);
    return {
      ...engine,
      drops: {
        ...drops,
        create: faulty('write', drops.create),
        addVersion: faulty('write', drops.addVersion),
      },
      idempotency: {
        ...idempotency,
        insert: faulty('insert', idempotency.insert),
        finish: faulty('finish', idempotency.finish),
        replace: faulty(null, idempotency.replace),
        remove: faulty(null, idempotency.remove),
      },
    };
  }

  const service = useService({ WRITES_PER_DAY: '5' }, adaptEngine);

  /** Repeats the request until it is answered, after the lease where a dead process holds it. */
  async function untilAnswered(request: () => Promise<Answer>): Promise<Answer> {
    for (let left = 5; left > 0; left--) {
      const answer = await request();
      isDead = false; // another process takes the next request
      if (answer.status < 400) return answer;
      expect(answer.status, answer.text).to.be.oneOf([409, 503]);
      if (answer.status === 409) service.clock.advance(lease);
    }
    throw new Error('the write was not answered');
  }

  /** How many of the 5 writes of the day are left. */
  async function writesLeft(owner: Owner): Promise<number> {
    for (let written = 0; ; written++) {
      const answer = await owner.post();
      if (answer.status === 201) continue;
      expectTooMany(answer, 'daily_quota_exceeded');
      return written;
    }
  }

  for (const step of steps)
    for (const moment of moments)
      for (const way of ways)
        it(`${moment} ${step}, ${way}: one drop, one version and one write of the day each`, async () => {
          const { owner, slug } = await service.newDrop();
          for (const [method, path, status] of [
            ['POST', '/api/drops', 201],
            ['PUT', `/api/drops/${slug}`, 200],
          ] as const) {
            const key = randomUUID();
            fault = { step, moment, way };
            const answer = await untilAnswered(() => writeWith(owner, key, method, path));
            expect(answer.status, method).to.equal(status);
            const replay = await untilAnswered(() => writeWith(owner, key, method, path));
            expect(replay.headers['idempotency-replayed']).to.equal('true');
            expect(replay.body).to.deep.equal(answer.body);
            expect(fault, 'the fault has happened').to.equal(null);
          }
          expect((await owner.get('/api/me')).body.drop_count).to.equal(2);
          expect((await owner.get<unknown[]>(`/api/drops/${slug}/versions`)).body).to.have.length(2);
          expect(await writesLeft(owner)).to.equal(2);
        });
});
