import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { inTimeMs } from '../support/in-time.ts';
import { type Owner, useServiceOfEach } from '../support/service.ts';
import { until } from '../support/until.ts';
import type { WireCommentList } from '../support/wire.ts';

describe('GET /api/comments with wait', () => {
  const gate = createGate();
  let lists = 0;
  /** For changes of other processes, while requests wait. */
  let looks = 0;
  let hasChangesElsewhere = true;
  beforeEach(() => {
    lists = 0;
    looks = 0;
    hasChangesElsewhere = true;
  });
  afterEach(() => gate.open());
  const service = useServiceOfEach({}, (engine) => {
    const { list } = methodsOf(engine.comments);
    const counted = {
      ...methodsOf(engine.comments),
      list: async (...args: Parameters<typeof list>) => {
        const found = await list(...args);
        if (!args[1].states.includes('held')) lists += 1; // jobs ask for held ones, too
        return found;
      },
      ownersAfter: async (seq: number) => {
        looks += 1;
        return hasChangesElsewhere ? engine.comments.ownersAfter(seq) : [];
      },
    };
    return { ...engine, comments: gate.wrap(counted, ['list', 'lastSeq', 'ownersAfter']) };
  });

  async function timed<T>(answer: Promise<T>): Promise<{ answer: T; ms: number }> {
    const from = performance.now();
    return { answer: await answer, ms: performance.now() - from };
  }

  const wait = (owner: Owner, query: string) => owner.get<WireCommentList>(`/api/comments?${query}`);

  /** A request that waits, and has found nothing yet. */
  async function startWaiting(owner: Owner, query = 'wait=25') {
    const before = lists;
    const answer = wait(owner, query);
    await until(() => lists > before, 'the request has looked once');
    return answer;
  }

  /** Waits until the request that listed comments last will certainly get the next change. */
  async function untilTold(listsBefore: number): Promise<void> {
    await until(() => lists > listsBefore, 'it has listed comments');
    const seen = looks;
    await until(() => looks >= seen + 2, 'the process looks for it'); // the first look may be for an earlier request
  }

  const write = (owner: Owner, slug: string, text = 'New') =>
    owner.request('POST', `/api/drops/${slug}/comments`, { body: { text } });

  it('is answered at once with what there is', async () => {
    const { owner, slug } = await service.newDrop();
    await write(owner, slug);
    const { answer, ms } = await timed(wait(owner, 'wait=25'));
    expect(answer.body.data).to.have.length(1);
    expect(ms).to.be.below(inTimeMs);
  });

  it('is answered after a comment, without a look for changes of other processes, and then waits for the next change of somebody else', async () => {
    const { owner, slug } = await service.newDrop();
    const agent = await service.newToken(owner);
    hasChangesElsewhere = false;
    let after = '0';
    for (const text of ['first', 'second']) {
      let before = lists;
      const answer = wait(agent, `wait=25&after=${after}&drop=${slug}`);
      await untilTold(before);
      if (text === 'first') {
        before = lists;
        await write(agent, slug, 'its own');
        await untilTold(before);
      }
      await write(owner, slug, text);
      const { body } = await answer;
      expect(body.data.map((one) => one.text)).to.deep.equal([text]);
      after = body.next;
    }
  });

  it('is answered after a version has resolved comments, without a look for changes of other processes', async () => {
    const { owner, slug } = await service.newDrop();
    const { id = '' } = (await write(owner, slug)).body as { id?: string };
    const agent = await service.newToken(owner);
    const { next } = (await wait(agent, 'wait=0&state=resolved')).body;
    hasChangesElsewhere = false;
    const before = lists;
    const answer = wait(agent, `wait=25&state=resolved&after=${next}`);
    await untilTold(before);
    expect((await owner.put(slug, { resolves: [id] })).status).to.equal(200);
    expect((await answer).body.data.map((one) => [one.id, one.state])).to.deep.equal([[id, 'resolved']]);
  });

  it('is answered with nothing and a cursor after the time, also when ANSWER_MS is less', async () => {
    const { owner } = await service.newDrop();
    Object.assign(service.services.config, { ANSWER_MS: 600 });
    // A busy machine may take longer before the request waits.
    await service.eventually(async () => {
      const { answer, ms } = await timed(wait(owner, 'wait=1'));
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.include({ data: [], next: '0' });
      expect(ms).to.be.at.least(950);
    });
  });

  it('ends after the time with nothing if the store has stopped answering; the next request gets 503 after ANSWER_MS', async () => {
    const { owner } = await service.newDrop();
    const answer = wait(owner, 'wait=3');
    await untilTold(0);
    gate.hold();
    expect((await answer).body.data).to.deep.equal([]);
    Object.assign(service.services.config, { ANSWER_MS: 600 });
    expectError(await wait(owner, 'wait=0'), 503, 'unavailable');
  });

  it('of more than 5 of a token the others are answered at once, and one that has gone does not count', async () => {
    const { owner } = await service.newDrop();
    const request = service.head('GET', '/api/comments?wait=25', { authorization: `Bearer ${owner.token}` });
    const connections = await Promise.all(Array.from({ length: 5 }, () => service.connect()));
    for (const connection of connections) await connection.send(request);
    await until(() => lists === 5, 'five wait');
    const full = await timed(wait(owner, 'wait=25'));
    expect(full.answer.status).to.equal(200);
    expect(full.answer.body.data).to.deep.equal([]);
    expect(full.ms).to.be.below(inTimeMs);
    expect((await timed(wait(await service.newToken(owner), 'wait=1'))).ms).to.be.at.least(950);
    for (const connection of connections) connection.close();
    await until(
      async () => (await timed(wait(owner, 'wait=1'))).ms >= 950,
      'requests of clients that have gone do not count',
    );
  });

  it('of more than 100 of an account the others are answered at once; another account waits', async () => {
    const { owner } = await service.newDrop();
    const connections = await Promise.all(Array.from({ length: 100 }, () => service.connect()));
    const tokens = await Promise.all(Array.from({ length: 20 }, () => service.newToken(owner)));
    for (const [n, connection] of connections.entries()) {
      const token = tokens[n % tokens.length]?.token;
      const head = service.head('GET', '/api/comments?wait=25', { authorization: `Bearer ${token}` });
      await connection.send(head);
    }
    await until(() => lists === 100, 'a hundred wait');
    const full = await timed(wait(await service.newToken(owner), 'wait=25'));
    expect([full.answer.status, full.answer.body.data]).to.deep.equal([200, []]);
    expect(full.ms).to.be.below(inTimeMs);
    expect((await timed(wait(await service.newOwner(), 'wait=1'))).ms).to.be.at.least(950);
    for (const connection of connections) connection.close();
  });

  it('is answered when the process stops, which does not wait for it', async () => {
    const { owner } = await service.newDrop();
    const connection = await service.connect();
    await connection.send(
      service.head('GET', '/api/comments?wait=25', { authorization: `Bearer ${owner.token}` }),
    );
    await until(() => lists === 1, 'it waits');
    const { ms } = await timed(service.restart());
    const answer = await connection.answer();
    expect(answer.status).to.equal(200);
    expect((answer.body as unknown as WireCommentList).data).to.deep.equal([]);
    expect(ms).to.be.below(inTimeMs);
    connection.close();
  });

  it('is answered though the database is away in between, with 503 at the latest at its end', async () => {
    const { owner, slug } = await service.newDrop();
    const away = startWaiting(owner, 'wait=1');
    await until(() => lists === 1, 'it waits');
    gate.refuse(unavailable('The database is away'));
    expect((await away).status).to.be.oneOf([200, 503]);
    expectError(await wait(owner, 'wait=25'), 503, 'unavailable');
    gate.open();
    expect((await wait(owner, 'wait=1')).status).to.equal(200);
    await write(owner, slug);
    expect((await wait(owner, 'wait=25')).body.data).to.have.length(1);
  });
});
