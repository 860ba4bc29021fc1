/** What can be seen of a drop. `head` and `v1`, `v2` …: which document its latest version and those versions have. */
export type Property = 'removed' | 'takenDown' | 'locked' | 'title' | 'head' | `v${number}`;

/** `yes` or `no`, the name of a document or title, or `absent` for a version that does not exist. */
export type Facts = Readonly<Partial<Record<Property, string>>>;

/** A change of a drop. Times are milliseconds of `performance.now()` in the process of the clients. */
export interface Change {
  readonly slug: string;
  /** As in `PUT m7`. */
  readonly what: string;
  /** The name of the process that made it. */
  readonly through: string;
  readonly begun: number;
  /** Infinity: the answer was no success, so the change may have happened at any time after `begun`, or never. */
  readonly acknowledged: number;
  /** 0: no answer. 200 for an operator's. */
  readonly status: number;
  readonly sets: Facts;
}

/** A request of a public page. */
export interface Read {
  readonly slug: string;
  readonly path: string;
  readonly through: string;
  readonly begun: number;
  readonly ended: number;
  /** 0: no answer. */
  readonly status: number;
  /** Empty: the answer says nothing of the drop, as a 503. */
  readonly saw: Facts;
}

export interface History {
  readonly changes: Change[];
  readonly reads: Read[];
}

/** `PUT` for `PUT m7`, `DELETE v` for `DELETE v/2`. */
export function kindOf({ what }: Change): string {
  return what.replace(/[ /]*[mt]?\d+$/, '');
}

/** @param items at least one @param index may be their number or more */
export function itemAt<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T; // proof: the index is below their number
}

/** @param items at least one */
export function pick<T>(items: readonly T[], random: () => number): T {
  return itemAt(items, Math.floor(random() * items.length));
}
