import { isScaleOut } from '../../shared/config/config.ts';
import { migrateStores } from '../../shared/open-stores.ts';
import { countJobs } from '../count-jobs.ts';
import { type Env, readSettings } from '../env.ts';
import { createLog } from '../log.ts';
import { runProcesses } from '../run-processes.ts';
import { welcome } from '../welcome.ts';

/**
 * Runs web and worker in this process until something asks it to stop: on the engine of one machine, or on MongoDB,
 * which it prepares, and Redis, both of which must be there.
 * @returns the exit code
 * @throws Error that says in one sentence why it cannot start
 */
export async function start(env: Env): Promise<number> {
  const asked = readSettings(env);
  const log = createLog(asked.LOG_LEVEL);
  if (isScaleOut(asked)) await migrateStores(asked, { log });
  return runProcesses(
    ['web', 'worker'],
    { asked, env, log },
    {
      check: countJobs,
      onReady: (services) =>
        process.stdout.write(welcome(services, { cwd: process.cwd(), env }, process.stdout.isTTY)),
    },
  );
}
