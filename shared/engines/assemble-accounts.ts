import { Accounts } from '../accounts/accounts.ts';
import type { Config } from '../config/config.ts';
import { Sessions } from '../credentials/sessions.ts';
import { Tokens } from '../credentials/tokens.ts';
import type { Clock } from '../domain/clock.ts';
import type { SideEffects } from '../drops/side-effects.ts';
import { AccessEnd } from '../identities/access-end.ts';
import { Identities } from '../identities/identities.ts';
import { Operators } from '../identities/operators.ts';
import { Readers } from '../identities/readers.ts';
import { SignInAge } from '../identities/sign-in-age.ts';
import type { Limits } from '../limits/limits.ts';
import type { Log } from '../log/log.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { OidcProvider } from '../sign-ins/oidc.ts';
import { SignIns } from '../sign-ins/sign-ins.ts';
import type { Engine } from './engine.ts';

/** Accounts, and how their owners prove who they are. */
export function assembleAccounts(parts: {
  config: Config;
  clock: Clock;
  log: Log;
  engine: Engine;
  sealer: Sealer;
  oidc: OidcProvider | null;
  limits: Limits;
  sideEffects: SideEffects;
}) {
  const { config, clock, log, engine, sealer, oidc, limits, sideEffects } = parts;
  const identities = new Identities({
    identities: engine.identities,
    accounts: engine.accounts,
    sealer,
    clock,
    config,
  });
  const tokens = new Tokens({
    tokens: engine.tokens,
    signIns: engine.signIns,
    limits,
    clock,
    log,
    config,
  });
  const sessions = new Sessions({
    sessions: engine.sessions,
    age: new SignInAge({ identities: engine.identities, clock, config }),
    clock,
    log,
  });
  const signIns = new SignIns({
    signIns: engine.signIns,
    accounts: engine.accounts,
    identities,
    tokens,
    sealer,
    clock,
    config,
  });
  const accounts = new Accounts({
    accounts: engine.accounts,
    identities: engine.identities,
    drops: engine.drops,
    signIns: engine.signIns,
    removals: [
      (accountId, limit) => engine.tokens.revokeSome(accountId, limit),
      (accountId, limit) => engine.sessions.revokeSome(accountId, limit),
      (accountId, limit) => engine.identities.removeSome(accountId, limit),
      (accountId, limit) => engine.accessRequests.removeSome(accountId, limit),
    ],
    sealer,
    sideEffects,
    jobs: engine.jobs,
    clock,
    log,
  });
  const readers = new Readers({ ...engine, clock, config });
  const operators = new Operators({ config, identities: engine.identities, oidc });
  const accessEnd = new AccessEnd({ ...engine, clock });
  return { tokens, sessions, signIns, accounts, identities, readers, operators, accessEnd };
}
