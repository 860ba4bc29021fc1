import { sessionIdleMs } from '../../shared/credentials/session.ts';
import { isUnavailable } from '../../shared/domain/errors.ts';
import { dayOf } from '../../shared/domain/time-windows.ts';
import { keepKeysMs } from '../../shared/idempotency/idempotency.ts';
import type { Job } from '../../shared/jobs/job-catalogue.ts';
import type { AuditLog } from '../../shared/moderation/moderation-store.ts';
import { messageOf } from '../../shared/util/error-texts.ts';
import { viewDaysKept } from '../../shared/views/views.ts';
import { OrphanRemoval } from '../steps/orphan-removal.ts';
import { PendingWork } from '../steps/pending-work.ts';
import type { WorkerDeps } from '../worker-deps.ts';

const day = 24 * 60 * 60_000;

type Deps = Pick<WorkerDeps, 'engine' | 'jobs' | 'clock' | 'log'> & {
  readonly config: Pick<WorkerDeps['config'], 'REPORTS_KEEP_DAYS' | 'AUDIT_KEEP_DAYS'>;
};

type Steps = Record<string, () => Promise<unknown>>;

/** Repeats failed jobs, enqueues pending work, removes orphans and old records, each also if others fail. */
export class StoreReconcile implements Job<'store.reconcile'> {
  readonly #deps: Deps;
  readonly #pending: PendingWork;
  readonly #orphans: Steps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#pending = new PendingWork(deps);
    this.#orphans = orphanSteps(deps);
  }

  async run(): Promise<void> {
    const pending = this.#pending;
    await runEach({
      'failed jobs': () => pending.enqueueFailed(),
      'pending tasks': () => pending.enqueueOverdue(),
      'deleted accounts': () => pending.enqueueAccounts(),
      ...this.#orphans,
      ...oldRecordSteps(this.#deps),
    });
  }
}

/** Each run continues where the one before ended. */
function orphanSteps({ engine, clock, log }: Deps): Steps {
  const { pendingTasks, html, contexts, renders, comments, cards } = engine;
  const findReferenced = (ids: readonly string[]) => pendingTasks.findReferenced(ids);
  const findExisting = (ids: readonly string[]) => pendingTasks.findExisting(ids);
  const ofHtml = new OrphanRemoval(html, findReferenced, { clock, log });
  const ofContexts = new OrphanRemoval(contexts, findReferenced, { clock, log });
  const ofArtefacts = new OrphanRemoval(renders, findReferenced, { clock, log });
  const ofComments = new OrphanRemoval(comments, findReferenced, { clock, log });
  const ofCards = new OrphanRemoval(cards, findExisting, { clock, log });
  return {
    'orphans of html': () => ofHtml.run(),
    'orphans of contexts': () => ofContexts.run(),
    'orphans of artefacts': () => ofArtefacts.run(),
    'orphans of comments': () => ofComments.run(),
    'orphans of cards': () => ofCards.run(),
  };
}

function oldRecordSteps({ engine, clock, config }: Deps): Steps {
  const { idempotency, uploads, tokens, sessions, reports, views, auditLog } = engine;
  return {
    'idempotency keys': () => idempotency.removeCreatedBefore(clock.now() - keepKeysMs),
    uploads: () => uploads.removeExpiredBefore(clock.now()),
    tokens: () => tokens.removeExpiredBefore(clock.now()),
    sessions: () => sessions.removeUsedBefore(clock.now() - sessionIdleMs),
    reports: () => reports.removeClosedBefore(clock.now() - config.REPORTS_KEEP_DAYS * day),
    'days of views': () => views.removeDaysBefore(dayOf(clock.now() - viewDaysKept * day).id),
    'audit log': () => removeOldEntries(auditLog, clock.now(), config.AUDIT_KEEP_DAYS),
  };
}

/** @param keepDays '': entries are kept */
async function removeOldEntries(auditLog: AuditLog, now: number, keepDays: string): Promise<void> {
  if (keepDays === '') return;
  await auditLog.removeBefore(now - Number(keepDays) * day);
}

/** @throws after the last step: `unavailable` if each failure is, which costs the job no attempt; otherwise what failed */
async function runEach(steps: Steps): Promise<void> {
  const failures: unknown[] = [];
  const texts: string[] = [];
  for (const [name, run] of Object.entries(steps)) {
    try {
      await run();
    } catch (error) {
      failures.push(error);
      texts.push(`${name}: ${messageOf(error)}`);
    }
  }
  if (failures.length === 0) return;
  const cause = failures.find((error) => !isUnavailable(error));
  throw cause === undefined ? failures[0] : new Error(texts.join('; '), { cause });
}
