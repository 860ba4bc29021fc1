import { expect } from 'chai';
import type { Watched } from '../bin/command.ts';
import { useOnce } from '../support/between.ts';
import type { Answer, Client } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { requireNginx } from '../support/nginx.ts';
import type { Owner } from '../support/owner.ts';
import { requireManyLoopbacks } from '../support/programs.ts';
import { until } from '../support/until.ts';
import { visitsOf } from '../support/visits.ts';
import type { WireVersionListItem } from '../support/wire.ts';
import { burst, crowd, expectLimit, isLate, withinOneWindow } from './crowd.ts';
import { type Front, openFront } from './front.ts';

const clients = 200;
const minute = 60_000;
const tenMinutes = 600_000;

/** Two web and two worker processes behind nginx. Limits are the spec's unless a test says otherwise. */
describe('Many processes behind nginx', function () {
  this.timeout(300_000); // a quiet machine takes a tenth of it
  let cluster: Cluster;
  let front: Front;
  let workers: Watched[];
  let openOther: (settings: Readonly<Record<string, string>>) => Promise<Front>;

  before(async function () {
    const nginx = requireNginx(this);
    // Jobs of a killed worker are retried soon.
    cluster = await openCluster({ JOB_LOCK_SECONDS: '3', JOB_STALL_SECONDS: '2' });
    openOther = (settings) => openFront(cluster, nginx, settings);
    [front, ...workers] = await Promise.all([openOther({}), cluster.startWorker(), cluster.startWorker()]);
  });

  after(async () => {
    await front?.close();
    await cluster?.close();
  });

  /** Asserts that each web process answered at least a quarter of the requests. */
  function expectShared(answers: readonly Answer[], through = front): void {
    for (const share of through.shares(answers))
      expect(share, 'answers of a web').to.be.above(answers.length / 4);
  }

  it('counts each view once while workers are killed, missing and restarted', async () => {
    const owner = await front.newOwner();
    const { slug } = await owner.create();
    let sent = 0;
    let late = 0;
    const count = async () => (await owner.get(`/api/drops/${slug}`)).body.view_count;
    async function viewMany(times = 300): Promise<void> {
      const answers = await crowd(clients, times, async () => {
        const answer = await front.view(`/p/${slug}`);
        sent += 1;
        if (isLate(answer)) late += 1;
        else expect(answer.status).to.equal(200);
        return answer;
      });
      if (times > 1) expectShared(answers);
    }
    async function expectCounted(): Promise<void> {
      await until(async () => (await count()) >= sent - late, 'all views are counted', 120_000);
      expect(await count()).to.be.at.most(sent);
    }

    const killed = until(() => sent > 100, 'views are under way', 60_000).then(async () => {
      workers.shift()?.kill('SIGKILL');
      workers.push(await cluster.startWorker());
    });
    await Promise.all([viewMany(), killed]);

    for (const worker of workers) worker.kill('SIGKILL');
    await Promise.all(workers.map((worker) => worker.ended()));
    const before = sent;
    await viewMany();
    expect(await count(), 'counted without a worker').to.be.at.most(before);

    workers = await Promise.all([cluster.startWorker(), cluster.startWorker()]);
    await viewMany();
    await expectCounted();
    await viewMany(1); // in another batch: once it is counted, a repeated batch would show
    await expectCounted();
  });

  describe('limits', () => {
    const raised = useOnce(() => openOther({ WRITES_PER_MINUTE: '100000', DROPS_PER_ACCOUNT: '100000' }));

    it('90 POSTs of an account at once: exactly 60 in the minute', async () => {
      const { owner, posted, began, ended } = await withinOneWindow(minute, async () => {
        const owner = await front.newOwner();
        return { owner, posted: await postAtOnce(90, owner, front) };
      });
      expectLimit(60, posted);
      for (const answer of posted.refused) {
        expectTooMany(answer, 'rate_limited');
        const { limit, retry_after_seconds } = answer.body.error.details;
        expect(limit).to.equal(60);
        expect(retry_after_seconds).to.be.within(secondsLeft(ended), secondsLeft(began));
      }
      await expectDrops(owner, posted.accepted.length, 60);
    });

    it('80 POSTs at once where an account may have 50 drops: exactly 50 drops', async () => {
      const other = await openOther({ WRITES_PER_MINUTE: '100000', DROPS_PER_ACCOUNT: '50' });
      const owner = await other.newOwner();
      const posted = await postAtOnce(80, owner, other);
      expectLimit(50, posted);
      for (const answer of posted.refused) expectTooMany(answer, 'quota_exceeded');
      await expectDrops(owner, 50, 50);
      await other.close();
    });

    it('220 PUTs of a drop at once: versions 1 to 200, each what its PUT sent', async () => {
      const owner = await raised.newOwner();
      const { slug } = await owner.create({ html: '<p>first' });
      const put = await burst(clients, 220, (n) => owner.put(slug, { html: `<p>PUT ${n}` }));
      expectShared(put.answers, raised);
      expectLimit(199, put);
      for (const answer of put.refused) expectTooMany(answer, 'version_limit_reached');

      const sent = new Map([[1, '<p>first']]);
      for (const [n, { status, body }] of put.answers.entries()) {
        if (status === 200) sent.set(body.latest_version, `<p>PUT ${n}`);
      }
      expect(sent.size, 'numbers that were answered').to.equal(put.accepted.length + 1);
      const { body } = await owner.get<WireVersionListItem[]>(`/api/drops/${slug}/versions`);
      const numbers = Array.from({ length: 200 }, (_, n) => 200 - n);
      expect(body.map(({ version }) => version)).to.deep.equal(numbers);
      for (const [number, html] of [...sent].filter((_, n) => n % 8 === 0)) {
        const raw = await raised.get(`/p/${slug}/raw?v=${number}`);
        expect(raw.text, `version ${number}`).to.match(new RegExp(`${html}$`));
      }
    });

    async function postAtOnce(count: number, owner: Owner, through: Front) {
      const posted = await burst(clients, count, (n) => owner.post({ html: `<p>${n}` }));
      expectShared(posted.answers, through);
      return posted;
    }

    async function expectDrops(owner: Owner, min: number, max: number): Promise<void> {
      const { body } = await owner.get('/api/me');
      expect(body.drop_count).to.be.within(min, max);
      expect((await owner.get('/api/drops')).body.pagination.total_items).to.equal(body.drop_count);
    }
  });

  describe('sign-ins, tokens and passcodes', () => {
    it('20 parallel polls of an approved sign-in: one token, valid at both web processes', async () => {
      for (let round = 1; round <= 3; round++) {
        const path = `/api/auth/poll?token=${await front.approveSignIn('ada')}`;
        const answers = await crowd(20, 20, () => front.get(path));
        const tokens = answers.flatMap(({ body }) => body.api_token ?? []);
        expectShared(answers);
        expect(tokens).to.have.length(1);
        const statuses = answers.map(({ body }) => body.status).sort();
        expect(statuses).to.deep.equal([...Array(19).fill('claimed'), 'verified']);
        const [token] = tokens;
        for (const web of front.direct) expect((await web.get('/api/me', { token })).status).to.equal(200);
      }
    });

    it('a token revoked through one web is refused by both at once', async () => {
      for (const web of front.direct) {
        const { token } = await front.newOwner('ada');
        const known = await Promise.all(front.direct.map((one) => one.get('/api/me', { token })));
        expect(known.map(({ status }) => status)).to.deep.equal([200, 200]);
        const id = known[0]?.body.token?.id;
        expect((await web.request('DELETE', `/api/tokens/${id}`, { token })).status).to.equal(204);
        for (const one of front.direct) {
          expectError(await one.get('/api/me', { token }), 401, 'unauthorized');
          expectError(await one.get('/api/drops', { token }), 401, 'invalid_token');
        }
      }
    });
  });

  describe('requests through nginx', () => {
    before(function () {
      requireManyLoopbacks(this);
    });

    let last = 0;
    const newVisitor = () => front.clientFrom(`127.0.1.${++last}`);
    const lie = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}` });

    it('a web keeps idle connections for longer than nginx does', async () => {
      const nginxKeepsSeconds = 60;
      for (const web of front.direct) {
        const [, seconds] =
          /timeout=(\d+)/.exec((await web.get('/api/onboard')).headers['keep-alive'] ?? '') ?? [];
        expect(Number(seconds)).to.be.above(nginxKeepsSeconds);
      }
    });

    it('40 sign-ins from one address with 40 forged addresses: 30 are started; another address can start its own', async () => {
      const { started, another } = await withinOneWindow(minute, async () => {
        const start = (client: Client, n: number) =>
          client.request('POST', '/api/auth/start', { body: {}, headers: lie(n) });
        const visitor = newVisitor();
        const started = await burst(40, 40, (n) => start(visitor, n));
        return { started, another: await start(newVisitor(), 0) };
      });
      expectLimit(30, started);
      for (const answer of started.refused) expectTooMany(answer, 'rate_limited');
      expect(another.status).to.equal(200);
    });

    it('30 parallel right passcodes from one address all open the page beside 9 wrong ones', async () => {
      const owner = await front.newOwner();
      const { opened, wrong } = await withinOneWindow(tenMinutes, async () => {
        const { slug } = await owner.create({ passcode: 'open-sesame' });
        const visitor = visitsOf(newVisitor());
        const wrong = await crowd(9, 9, (n) => visitor.unlock(slug, `wrong ${n}`));
        return { wrong, opened: await crowd(30, 30, () => visitor.unlock(slug, 'open-sesame')) };
      });
      expect(wrong.map(({ status }) => status)).to.deep.equal(Array(9).fill(403));
      expect(opened.map(({ status }) => status)).to.deep.equal(Array(30).fill(303));
      expectShared(opened);
    });
  });
});

/** Of the minute at that time. */
function secondsLeft(now: number): number {
  return Math.ceil((minute - (now % minute)) / 1_000);
}
