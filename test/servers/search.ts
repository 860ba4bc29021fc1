import type { Cache } from './cache.ts';
import type { Keeper, Keepers } from './keepers.ts';
import type { Addresses } from './reach.ts';

/** A MongoDB and a Redis that answer. */
export interface Servers extends Addresses {
  readonly kind: 'servers';
  /** What they are, for people. */
  readonly from: string;
  /** What runs them; undefined for those that ran before. */
  readonly keeper?: Keeper;
}

/** Why there are no servers: a line or more for each way that was tried. */
interface NoServers {
  readonly kind: 'none';
  readonly reasons: readonly string[];
}

/** Servers were named, but can't be used. */
interface WrongServers {
  readonly kind: 'wrong';
  readonly reason: string;
}

export type Found = Servers | NoServers | WrongServers;

export interface Search {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly keepers: Keepers;
  readonly cache: Cache;
  /** Tells people what takes time. */
  say(line: string): void;
}
