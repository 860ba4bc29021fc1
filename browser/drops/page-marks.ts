/** What is known of a version from earlier loads. */
export type Mark =
  /** Nothing loaded any more while it loaded beside others. */
  | 'suspect'
  /** Nothing loaded any more while it was the only page. */
  | 'slow'
  /** The same a second time, or it stopped the dashboard itself. */
  | 'stays-slow'
  | 'floods';

/** While a page loads. If the note is found by a later visit, that page has stopped the dashboard, or the browser has ended. */
type Note = Mark | 'loads' | 'loads-alone';

interface Entry {
  readonly id: string;
  readonly note: Note;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const key = 'page-marks';
const dayMs = 24 * 60 * 60 * 1_000;
const mostEntries = 100;
/** A note of a page that loads is younger in another tab, which lives: browsers warn of a script that stops them after ten seconds. */
const liveMs = 10_000;

/** The marks of pages, by the id of their version, kept in this browser for a day: the newest hundred. */
export class PageMarks {
  /** null: the person forbids storage, and marks last as long as the page of the dashboard. */
  readonly #storage: Storage | null;

  constructor(storage: Storage | null) {
    this.#storage = storage;
  }

  /** Those of all pages that have one, by id. */
  read(): ReadonlyMap<string, Mark> {
    return new Map(this.#entries().map((entry) => [entry.id, markOf(entry)]));
  }

  /** @param note null: nothing is known of them any more */
  write(ids: readonly string[], note: Note | null): void {
    const others = this.#entries().filter(({ id }) => !ids.includes(id));
    const added = note === null ? [] : ids.map((id) => ({ id, note, at: Date.now() }));
    try {
      this.#storage?.setItem(key, JSON.stringify([...others, ...added].slice(-mostEntries)));
    } catch {
      // The storage is full: a page that is not remembered is tried as a new one.
    }
  }

  /** Oldest first. */
  #entries(): Entry[] {
    const since = Date.now() - dayMs;
    return parse(this.#storage?.getItem(key) ?? '[]').filter(({ at }) => at > since);
  }
}

/** @returns null if the person forbids it */
export function openStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null; // reading the property alone throws then
  }
}

function markOf({ note, at }: Entry): Mark {
  if (note === 'loads') return 'suspect';
  if (note === 'loads-alone') return Date.now() - at > liveMs ? 'stays-slow' : 'suspect';
  return note;
}

/** @returns nothing if this is no list that an instance has written */
function parse(text: string): Entry[] {
  try {
    const entries: unknown = JSON.parse(text);
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

const notes: readonly unknown[] = ['suspect', 'slow', 'stays-slow', 'floods', 'loads', 'loads-alone'];

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { id, note, at } = value as Partial<Record<keyof Entry, unknown>>;
  return typeof id === 'string' && notes.includes(note) && typeof at === 'number';
}
