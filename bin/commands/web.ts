import type { Env } from '../env.ts';
import { createLog } from '../log.ts';
import { runProcesses } from '../run-processes.ts';
import { readScaleOutConfig } from '../scale-out-config.ts';
import { nameServers } from '../server-names.ts';

/**
 * Answers requests, as one of many processes that share MongoDB and Redis, until something asks it to stop. Without
 * Redis it works as far as it can.
 * @returns the exit code
 * @throws Error that says in one sentence why it cannot start
 */
export async function web(env: Env): Promise<number> {
  const ownEnv = { ...env, HOST: env.HOST || '0.0.0.0' }; // a platform's router comes from another machine
  const asked = readScaleOutConfig('web', ownEnv);
  const log = createLog(asked.LOG_LEVEL);
  return runProcesses(
    ['web'],
    { asked, env, log },
    {
      onReady({ config }) {
        if (!env.BASE_URL) {
          log.warn(
            { baseUrl: config.BASE_URL },
            'BASE_URL is unset: pages get addresses that only this machine has',
          );
        }
        const { HOST, PORT, BASE_URL } = config;
        log.info(
          { engine: 'scale-out', host: HOST, port: PORT, baseUrl: BASE_URL, ...nameServers(config) },
          'web answers',
        );
      },
    },
  );
}
