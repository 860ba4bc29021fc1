import { Comments } from '../comments/comments.ts';
import { Inbox } from '../comments/inbox.ts';
import { Resolutions } from '../comments/resolutions.ts';
import { Sides } from '../comments/sides.ts';
import { Waiting } from '../comments/waiting.ts';
import type { Clock } from '../domain/clock.ts';
import type { SideEffects } from '../drops/side-effects.ts';
import type { FindQuotes } from '../html/quotes.ts';
import type { Limits } from '../limits/limits.ts';
import type { ListsAtOnce } from '../limits/lists-at-once.ts';
import type { Log } from '../log/log.ts';
import type { Engine } from './engine.ts';

/** Comments, the requests that wait for them, and the versions that resolve them. */
export function assembleComments(parts: {
  clock: Clock;
  log: Log;
  engine: Engine;
  findQuotes: FindQuotes;
  sidesMs: number | undefined;
  limits: Limits;
  runList: ListsAtOnce;
  sideEffects: SideEffects;
}) {
  const { clock, log, engine, findQuotes, sidesMs, limits, runList, sideEffects } = parts;
  const waiting = new Waiting({
    comments: engine.comments,
    clock,
    log,
  });
  const resolutions = new Resolutions({
    comments: engine.comments,
    drops: engine.drops,
    accounts: engine.accounts,
    waiting,
    clock,
  });
  const sides = new Sides({
    html: engine.html,
    findQuotes,
    sidesMs,
  });
  const comments = new Comments({
    comments: engine.comments,
    drops: engine.drops,
    accounts: engine.accounts,
    limits,
    runList,
    waiting,
    sides,
    sideEffects,
    clock,
  });
  const inbox = new Inbox({
    comments: engine.comments,
    accounts: engine.accounts,
    accessRequests: engine.accessRequests,
  });
  return {
    resolutions,
    inbox,
    comments,
    /** Answers the requests that wait for comments, so that the process can stop. */
    endWaiting: () => waiting.close(),
  };
}
