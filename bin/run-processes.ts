import type { Config } from '../shared/config/config.ts';
import { openServices, type Services } from '../shared/open-services.ts';
import { describeMisspelt, type Env } from './env.ts';
import { explainListening, openServer } from './listening.ts';
import type { ProcessLog } from './log.ts';
import { type Part, stopAll, watchForStop } from './stopping.ts';

export type ProcessName = 'web' | 'worker';

/**
 * Runs web, worker or both in this process until something asks it to stop.
 * @param hooks `check` looks at the parts before anybody is answered and throws what is in the way; `onReady` tells
 *   of a service that works
 * @returns the exit code
 * @throws Error that says in one sentence why it cannot start
 */
export async function runProcesses(
  names: readonly ProcessName[],
  { asked, env, log }: { asked: Config; env: Env; log: ProcessLog },
  hooks: { check?: (services: Services) => Promise<unknown>; onReady: (services: Services) => void },
): Promise<number> {
  for (const warning of describeMisspelt(env)) log.warn({}, warning);
  const stopAsked = watchForStop(asked.SHUTDOWN_SECONDS, log);
  const parts: Part[] = [];
  try {
    const opened = names.includes('web') ? await openServer(asked) : null;
    if (opened !== null) parts.push({ stop: async () => void opened.server.close() });
    const services = await openServices(opened?.config ?? asked, { log });
    parts.push({ stop: () => services.close() });
    await hooks.check?.(services);
    const web = opened === null ? null : await opened.startWeb(services);
    if (names.includes('worker')) {
      const { startWorker } = await import('../worker/start-worker.ts');
      parts.push(startWorker(services)); // now that the port is had
    }
    if (web !== null) parts.push(web);
    hooks.onReady(services);
  } catch (error) {
    await stopAll(parts, asked.SHUTDOWN_SECONDS, log);
    throw explainListening(error, asked);
  }
  const exitCode = await stopAsked;
  const clean = await stopAll(parts, asked.SHUTDOWN_SECONDS, log);
  log.info({}, 'stopped');
  await log.flush();
  return clean ? exitCode : 1;
}
