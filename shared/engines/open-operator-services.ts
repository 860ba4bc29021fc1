import type { Identity } from '../accounts/account.ts';
import type { Config } from '../config/config.ts';
import { Tokens, type WantedToken } from '../credentials/tokens.ts';
import { newId } from '../domain/ids.ts';
import { SideEffects } from '../drops/side-effects.ts';
import { Identities } from '../identities/identities.ts';
import type { JobMonitor } from '../jobs/job-queue.ts';
import { Limits } from '../limits/limits.ts';
import type { Log } from '../log/log.ts';
import { withoutClaims } from '../sign-ins/identity-provider.ts';
import { assembleOperators } from './assemble-operators.ts';
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
  const identities = new Identities({
    identities: engine.identities,
    accounts: engine.accounts,
    sealer: null,
    clock,
    config,
  });
  const jobs: JobMonitor = engine.jobs;
  const limits = new Limits({ limiter: engine.rateLimiter, clock, config });
  const tokens = new Tokens({
    tokens: engine.tokens,
    signIns: engine.signIns,
    limits,
    clock,
    log,
    config,
  });
  const sideEffects = new SideEffects({
    jobs: engine.jobs,
    purger: await openPurger(config, clock),
    changes: engine.pageChanges,
    log,
  });
  const { audit, moderation, reports } = assembleOperators({
    config,
    clock,
    log,
    engine,
    identities,
    limits,
    sideEffects,
  });
  return {
    config,
    audit,
    identities,
    jobs,
    moderation,
    reports,
    /**
     * Creates a token, and the account at its first use. @returns the token in plain text
     * @throws DropError `quota_exceeded` if the account has the maximum of active tokens
     */
    async createToken(identity: Identity, wanted: Pick<WantedToken, 'label' | 'scope'>): Promise<string> {
      const account = await identities.openAccount(withoutClaims(identity), newId(clock.now()));
      await tokens.checkRoom(account.id);
      return tokens.mint(account.id, wanted);
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
