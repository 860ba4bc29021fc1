import type { Change, History, Property, Read } from './history.ts';

/** A request that saw what it must not have seen. */
export interface Violation {
  readonly read: Read;
  readonly property: Property;
  readonly value: string;
  /** The acknowledged change that had ended this value; null: no change has set the value before the request ended. */
  readonly endedBy: Change | null;
}

/** The time in which requests may see a value: they end after `from` and begin until `until`. */
interface Span {
  readonly from: number;
  readonly until: number;
  readonly endedBy: Change | null;
}

/**
 * The requests that saw a value that was outdated or never set. A request may see the value of a change if it ended after the
 * change began, and began before a later change of the property was acknowledged. Later: it began after the other was
 * acknowledged. A change without an answer ends no value, and its own may be seen at any time after it began.
 */
export function findViolations({ changes, reads }: History): Violation[] {
  const spans = findSpans(changes);
  return reads.flatMap((read) =>
    (Object.entries(read.saw) as [Property, string][]) // proof: the keys of Facts
      .flatMap(([property, value]) => {
        const all = spans.get(`${read.slug} ${property} ${value}`) ?? [];
        const begun = all.filter(({ from }) => from <= read.ended);
        if (begun.some(({ until }) => read.begun <= until)) return [];
        const last = begun.toSorted((a, b) => b.until - a.until)[0];
        return [{ read, property, value, endedBy: last?.endedBy ?? null }];
      }),
  );
}

/** By drop, property and value. */
function findSpans(changes: readonly Change[]): Map<string, Span[]> {
  const ofProperty = new Map<string, Change[]>();
  for (const change of changes) {
    for (const property of Object.keys(change.sets)) append(ofProperty, `${change.slug} ${property}`, change);
  }
  const spans = new Map<string, Span[]>();
  for (const change of changes) {
    for (const [property, value] of Object.entries(change.sets)) {
      const later = (ofProperty.get(`${change.slug} ${property}`) ?? []).filter(
        ({ begun }) => begun >= change.acknowledged,
      );
      const until = Math.min(...later.map(({ acknowledged }) => acknowledged)); // Infinity without one
      const endedBy = later.find(({ acknowledged }) => acknowledged === until) ?? null;
      append(spans, `${change.slug} ${property} ${value}`, { from: change.begun, until, endedBy });
    }
  }
  return spans;
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** One line: what was seen, and the change that forbids it. Times are seconds since `startedAt`. */
export function describeViolation({ read, property, value, endedBy }: Violation, startedAt: number): string {
  const at = (ms: number) => `${((ms - startedAt) / 1_000).toFixed(3)} s`;
  const seen = `${read.through}: GET ${read.path} from ${at(read.begun)} to ${at(read.ended)} was answered ${read.status}, ${property}: ${value}`;
  if (endedBy === null) return `${seen}, which no change had set`;
  const gap = (read.begun - endedBy.acknowledged).toFixed(1);
  return `${seen}; it began ${gap} ms after ${endedBy.through} acknowledged ${endedBy.what} (begun at ${at(endedBy.begun)})`;
}
