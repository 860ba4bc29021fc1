import { AccessRequests } from '../access-requests/access-requests.ts';
import { AnsweredRequests } from '../access-requests/answered.ts';
import type { Comments } from '../comments/comments.ts';
import type { Resolutions } from '../comments/resolutions.ts';
import { ResolvedAlready } from '../comments/resolved-already.ts';
import type { Config } from '../config/config.ts';
import type { Tokens } from '../credentials/tokens.ts';
import { Diffs } from '../diffs/diffs.ts';
import type { Clock } from '../domain/clock.ts';
import { ChecksInTurn } from '../drops/checks-in-turn.ts';
import { Drops } from '../drops/drops.ts';
import { FollowingTitles } from '../drops/following-titles.ts';
import { SharedDrops } from '../drops/shared-drops.ts';
import type { SideEffects } from '../drops/side-effects.ts';
import { Titles } from '../drops/titles.ts';
import { Idempotency } from '../idempotency/idempotency.ts';
import type { Readers } from '../identities/readers.ts';
import type { Limits } from '../limits/limits.ts';
import type { ListsAtOnce } from '../limits/lists-at-once.ts';
import type { Log } from '../log/log.ts';
import type { Passcodes } from '../passcodes/passcodes.ts';
import type { Threads } from '../threads/threads.ts';
import { Uploads } from '../uploads/uploads.ts';
import { ViewStats } from '../views/views.ts';
import type { Engine } from './engine.ts';

interface Parts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly engine: Engine;
  readonly threads: Threads;
  readonly tokens: Tokens;
  readonly readers: Readers;
  readonly limits: Limits;
  readonly runList: ListsAtOnce;
  readonly passcodes: Passcodes;
  readonly sideEffects: SideEffects;
  readonly comments: Comments;
  readonly resolutions: Resolutions;
}

/** What owners do with their drops: they write them, and read their versions and views. */
export function assembleDrops(parts: Parts) {
  const { config, clock, log, engine, threads, readers, limits, runList, sideEffects, comments } = parts;
  const answeredRequests = new AnsweredRequests({ requests: engine.accessRequests, readers, log });
  const drops = new Drops({
    drops: engine.drops,
    html: engine.html,
    contexts: engine.contexts,
    limits,
    runList,
    passcodes: parts.passcodes,
    sideEffects,
    resolutions: parts.resolutions,
    answeredRequests,
    clock,
    log,
    config,
  });
  const idempotency = new Idempotency({
    limits,
    idempotency: engine.idempotency,
    drops: engine.drops,
    pendingTasks: engine.pendingTasks,
    sideEffects,
    clock,
    log,
  });
  const uploads = new Uploads({
    uploads: engine.uploads,
    drops,
    tokens: parts.tokens,
    limits,
    idempotency,
    clock,
    config,
  });
  const titles = new Titles({ findTitle: threads.findTitle, config });
  const followingTitles = new FollowingTitles({ drops, titles, log });
  const checksInTurn = new ChecksInTurn({ checkDocument: threads.checkDocument, clock, log });
  const resolvedAlready = new ResolvedAlready({ drops, comments });
  const diffs = new Diffs({ drops, compare: threads.compare });
  const { accounts } = engine;
  const sharedDrops = new SharedDrops({ drops: engine.drops, accounts, readers, runList });
  const accessRequests = new AccessRequests({
    requests: engine.accessRequests,
    accounts,
    readers,
    drops,
    limits,
    clock,
  });
  const viewStats = new ViewStats({ drops, views: engine.views, clock });
  return {
    drops,
    idempotency,
    uploads,
    titles,
    followingTitles,
    checksInTurn,
    resolvedAlready,
    diffs,
    sharedDrops,
    viewStats,
    accessRequests,
  };
}
