import { setTimeout as sleep } from 'node:timers/promises';
import { schedules } from '../../shared/jobs/job-catalogue.ts';
import { queueName } from '../../shared/jobs/redis.ts';
import type { Redis } from '../../shared/redis/connection.ts';

function jobKeyIn(redis: Redis, type: string): string {
  return `${redis.keyPrefix}${queueName}:${type}`;
}

/** Waits until no job is due or runs, while a worker runs: it is woken where the test moved `Date.now`. */
export async function drainJobs(redis: Redis): Promise<void> {
  const key = (type: string) => jobKeyIn(redis, type);
  for (;;) {
    const replies = await redis.client
      .multi()
      .zcount(key('delayed'), '-inf', (Date.now() + 1) * 4096 - 1) // BullMQ's score: time times 4096
      .llen(key('wait'))
      .zcard(key('prioritized'))
      .llen(key('active'))
      .zcard(key('repeat'))
      .exec();
    const [due = 0, wait = 0, prioritized = 0, active = 0, scheduled = 0] = (replies ?? []).map(([, n]) =>
      Number(n),
    );
    if (due + wait + prioritized + active === 0 && scheduled >= schedules.length) return;
    if (due > 0) await redis.client.zadd(key('marker'), 0, '0');
    await sleep(3);
  }
}
