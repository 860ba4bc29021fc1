import { Cards } from '../cards/cards.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../log/log.ts';
import { Pages } from '../pages/pages.ts';
import { Rendering } from '../renders/rendering.ts';
import type { Threads } from '../threads/threads.ts';
import { Views } from '../views/views.ts';
import type { Engine } from './engine.ts';

/** What viewers get: pages, share cards, and counts of their views. */
export function assemblePages(parts: {
  config: Config;
  clock: Clock;
  log: Log;
  engine: Engine;
  threads: Threads;
  /** How many pages are rendered at once. */
  maxRenders: number;
}) {
  const { config, clock, log, engine, threads, maxRenders } = parts;
  const rendering = new Rendering({
    html: engine.html,
    contexts: engine.contexts,
    renders: engine.renders,
    renderer: threads,
    atOnce: maxRenders,
    log,
    config,
  });
  const pages = new Pages({
    drops: engine.drops,
    changes: engine.pageChanges,
    html: engine.html,
    renders: engine.renders,
    jobs: engine.jobs,
    rendering,
    clock,
    log,
    config,
  });
  const cards = new Cards({
    cards: engine.cards,
    drawCard: threads.drawCard,
    log,
    config,
  });
  const views = new Views({
    store: engine.views,
    clock,
    log,
  });
  return { rendering, pages, cards, views };
}
