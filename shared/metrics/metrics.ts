import type { EdgePurger } from '../edge/edge-purger.ts';
import type { Engine } from '../engines/engine.ts';

/** Counts the answers of one method of one route. */
export interface RouteCounter {
  /**
   * @param seconds from the arrival of the request until the answer was handed to the system or a download began, without the time
   * that the client took to send the body, and without a wait for a change that the client asked for
   */
  answered(status: number, seconds: number): void;
}

export interface RequestMetrics {
  /** The counter of a route; call it at the start. @param path as in the table of routes, `/p/:slug`; `other`: no route */
  route(method: string, path: string): RouteCounter;

  /** Counts a request whose client left before it was answered. */
  abandoned(): void;

  /** @param count is called for each scrape: the number of open connections */
  watchConnections(count: () => number): void;
}

/** Instead of its name, for a command that was not sent, because no server was available. */
export const notSent = 'not_sent';

/** Called for each command to a server. @param name of the command alone, without keys and values @param seconds null: not sent */
export type CommandObserver = (name: string, seconds: number | null, isFailed: boolean) => void;

/** Called for each transaction. @param writes how many writes of one turn of the event loop it joined */
export type TransactionObserver = (writes: number, seconds: number, isFailed: boolean) => void;

/** Called for each flush of SQLite's log. @param seconds null: it failed */
export type FlushObserver = (seconds: number | null) => void;

/** In bytes. */
export interface FileSizes {
  readonly database: number;
  readonly wal: number;
  /** Space on their disk that the service may fill; null: unknown. */
  readonly free: number | null;
}

export interface StoreMetrics {
  readonly mongoCommand: CommandObserver;
  readonly redisCommand: CommandObserver;
  readonly sqliteTransaction: TransactionObserver;
  readonly sqliteFlush: FlushObserver;
  /** Counts a read that SQLite refused. */
  sqliteReadFailed(): void;
  /** @param read is called for each scrape */
  watchFiles(read: () => FileSizes): void;
}

/** Lookups in memory that spared a read or not, and what the memory holds. */
export interface MemoryReading {
  readonly hits: number;
  readonly misses: number;
  readonly entries: number;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** What is read for each scrape. */
export interface Readings {
  readonly memories: Readonly<Record<'pages' | 'bodies' | 'cards', () => MemoryReading>>;
  /** Reads of pages whose result was not kept, because the page changed meanwhile. */
  discardedReads(): number;
  /** How many renders wait for their turn. */
  readonly queues: Readonly<Record<'page' | 'context' | 'card', () => number>>;
  unrecordedViews(): number;
  /** @throws if reads and writes would fail */
  ready(): Promise<void>;
}

/** The kinds of work that threads do. */
export const threadTasks = [
  'render_page',
  'render_context',
  'draw_card',
  'parse_json',
  'find_title',
  'diff',
  'find_quotes',
  'frame_page',
  'check_document',
] as const;
export type ThreadTask = (typeof threadTasks)[number];

/** Numbers that operators watch. Labels are names of the code: never a slug, an account or an address. */
export interface Metrics {
  readonly requests: RequestMetrics;
  readonly stores: StoreMetrics;

  /** The same engine, which counts what is published, viewed, refused and run. */
  watchEngine(engine: Engine): Engine;

  /** The same purger, which counts its purges. */
  watchPurger(purger: EdgePurger): EdgePurger;

  /** The same function, which counts its calls. */
  watchTask<T extends (...args: never[]) => Promise<unknown>>(task: ThreadTask, call: T): T;

  /** Counts a failure that the task's caller does not see, because a simpler result took its place. */
  taskFailed(task: ThreadTask): void;

  /** Call it once. */
  read(readings: Readings): void;
}
