import type { Env } from '../env.ts';
import { createLog } from '../log.ts';
import { runProcesses } from '../run-processes.ts';
import { readScaleOutConfig } from '../scale-out-config.ts';
import { nameServers } from '../server-names.ts';

/**
 * Runs jobs, as one of many processes that share MongoDB and Redis, until something asks it to stop. While Redis is
 * away it waits for it.
 * @returns the exit code
 * @throws Error that says in one sentence why it cannot start
 */
export async function worker(env: Env): Promise<number> {
  const asked = readScaleOutConfig('worker', env);
  const log = createLog(asked.LOG_LEVEL);
  return runProcesses(
    ['worker'],
    { asked, env, log },
    {
      onReady: ({ config }) =>
        log.info(
          { engine: 'scale-out', jobsAtOnce: config.JOBS_AT_ONCE, ...nameServers(config) },
          'worker runs jobs',
        ),
    },
  );
}
