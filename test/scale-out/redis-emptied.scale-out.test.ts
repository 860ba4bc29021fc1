import { expect } from 'chai';
import { useEach } from '../support/between.ts';
import { createGate } from '../support/gate.ts';
import { countJobs } from '../support/jobs.ts';
import { noLimits } from '../support/no-limits.ts';
import { openTestRedis } from '../support/redis.ts';
import { useOwner, useServiceOfEach } from '../support/service.ts';
import { until } from '../support/until.ts';

/** KEYS none. ARGV what the names begin with. Removes them all at one moment; the views that were among them. */
const emptyLua = `
local views, names = 0, redis.call('KEYS', ARGV[1] .. '*')
for _, name in ipairs(names) do
  if string.find(name, ':views:counts', 1, true) or string.find(name, ':views:batch:', 1, true) then
    for _, count in ipairs(redis.call('HVALS', name)) do views = views + tonumber(count) end
  end
  redis.call('UNLINK', name)
end
return views`;

describe('When Redis is emptied', () => {
  /** Between the jobs and what they read first. */
  const gate = createGate();
  const service = useServiceOfEach(noLimits, (opened) => ({
    ...opened,
    pendingTasks: gate.wrap(opened.pendingTasks, ['findForRender']),
  }));
  const owner = useOwner(service);
  const redis = useEach(() => openTestRedis(service.config.REDIS_PREFIX));

  /** @returns how many views only Redis had */
  async function empty(): Promise<number> {
    return Number(await redis.client.eval(emptyLua, 0, redis.keyPrefix));
  }

  const countOwing = async () =>
    (await service.services.engine.pendingTasks.listPending(Number.MAX_SAFE_INTEGER, null, 1_000)).length;

  it('aggregated views stay, views that only Redis had are lost, later views count', async () => {
    const { slug } = await owner.create();
    const view = async (times: number) => {
      for (let i = 0; i < times; i++) expect((await service.view(`/p/${slug}`)).status).to.equal(200);
    };
    await view(3);
    await service.settle();
    await view(5);
    await service.services.views.flush();
    await view(7); // in the web process still, unless its second is over
    const lost = await empty();
    expect(lost).to.be.within(5, 5 + 7);
    service.clock.advance(1_000); // batches are numbered by time where Redis knows no last one
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(3 + 5 + 7 - lost);
    await view(1);
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(3 + 5 + 7 - lost + 1);
  });

  it('the reconcile job, whose schedule is restored, enqueues the lost jobs again', async () => {
    gate.hold();
    for (let i = 0; i < 12; i++) await owner.create();
    await until(() => gate.waiting() > 0, 'a job runs');
    await until(async () => (await countJobs(service.services.jobs)).waiting > 0, 'others wait');
    await empty();
    gate.open();
    await service.settle();
    expect(await countOwing()).to.be.above(0);
    service.clock.advance(6 * 60_000);
    await service.settle();
    expect(await countOwing()).to.equal(0);
  });
});
