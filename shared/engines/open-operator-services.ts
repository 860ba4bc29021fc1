import type { Identity } from '../accounts/account.ts';
import type { Config } from '../config/config.ts';
import { createTokens } from '../credentials/tokens.ts';
import { newId } from '../domain/ids.ts';
import { createFollowUps } from '../jobs/follow-ups.ts';
import type { JobMonitor } from '../jobs/job-queue.ts';
import { Limits } from '../limits/limits.ts';
import type { Log } from '../log/log.ts';
import { createAudit } from '../moderation/audit.ts';
import { createModeration } from '../moderation/moderation.ts';
import { createReports } from '../reports/reports.ts';
import { keepSignInKey, openStores, systemClock } from './open-stores.ts';

/** What the commands of an operator work with. */
export type OperatorServices = Awaited<ReturnType<typeof openOperatorServices>>;

/**
 * Opens the stores without the parts that answer requests or run jobs, so that a command starts quickly.
 * @throws Error that says in one sentence why they cannot be opened
 */
export async function openOperatorServices(
  config: Config,
  { log, clock = systemClock }: { log: Log; clock?: typeof systemClock },
) {
  const engine = await openStores(config, { log, role: 'command', clock });
  const base = { ...engine, changes: engine.pageChanges, clock, log, config };
  const { accounts } = engine;
  const jobs: JobMonitor = engine.jobs;
  const audit = createAudit(base);
  const limits = new Limits({ ...base, limiter: engine.rateLimiter });
  const tokens = createTokens({ ...base, limits });
  const followUps = createFollowUps({ ...base, purger: await openPurger(config, clock) });
  return {
    config,
    audit,
    jobs,
    moderation: createModeration({ ...base, audit, followUps }),
    reports: createReports({ ...base, limits, audit }),
    /**
     * Creates a token, and the account at its first use. @returns the token in plain text
     * @throws DropError `quota_exceeded` if the account has the maximum of active tokens
     */
    async createToken(identity: Identity, label: string | null): Promise<string> {
      const now = clock.now();
      const account = await accounts.findOrCreate(identity, newId(now), now);
      await tokens.checkRoom(account.id);
      return tokens.mint(account.id, label);
    },
    signInKey: () => keepSignInKey(engine.secrets),
    close: () => engine.close(),
  };
}

async function openPurger(config: Config, clock: typeof systemClock) {
  if (config.EDGE_PURGER === 'none') return null;
  const { openEdgePurger } = await import('./open-edge-purger.ts');
  return openEdgePurger(config, clock);
}
