import type { Config } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import type { SideEffects } from '../drops/side-effects.ts';
import type { Identities } from '../identities/identities.ts';
import type { Limits } from '../limits/limits.ts';
import type { Log } from '../log/log.ts';
import { Audit } from '../moderation/audit.ts';
import { Moderation } from '../moderation/moderation.ts';
import { Reports } from '../reports/reports.ts';
import type { Engine } from './engine.ts';

/** What operators do: the service and the commands have the same. */
export function assembleOperators(parts: {
  config: Config;
  clock: Clock;
  log: Log;
  engine: Engine;
  identities: Identities;
  limits: Limits;
  sideEffects: SideEffects;
}) {
  const { config, clock, log, engine, identities, limits, sideEffects } = parts;
  const audit = new Audit({
    auditLog: engine.auditLog,
    clock,
    urgently: (act) => engine.urgently(act),
  });
  const moderation = new Moderation({
    moderation: engine.moderation,
    drops: engine.drops,
    comments: engine.comments,
    accounts: engine.accounts,
    identities,
    tokens: engine.tokens,
    sessions: engine.sessions,
    signIns: engine.signIns,
    audit,
    sideEffects,
    clock,
  });
  const reports = new Reports({
    reports: engine.reports,
    limits,
    audit,
    clock,
    config,
    log,
  });
  return { audit, moderation, reports };
}
