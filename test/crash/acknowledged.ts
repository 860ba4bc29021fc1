import type { Client } from '../support/client.ts';

/** What was posted as one version of a drop. */
export interface Posted {
  readonly html: string;
  readonly context: string;
  /** The id of the comment that the version resolves. */
  readonly resolves?: string;
}

/** A drop as the answers have described it, and what was under way when no answer came. */
export interface Entry {
  readonly slug: string;
  /** By the numbers that were answered. */
  readonly versions: Map<number, Posted>;
  metadata: Record<string, string>;
  /** The ids of acknowledged comments. */
  readonly comments: Set<string>;
  /** Writes with an unknown outcome: they may be there, whole, or not. */
  unknown: { versions: Posted[]; metadata: Record<string, string>[]; removal: boolean };
  isRemoved: boolean;
}

/** Everything that was answered 2xx since the beginning, over all crashes. */
export interface Acknowledged {
  readonly entries: Map<string, Entry>;
  /** Accepted POSTs and PUTs. */
  accepted: number;
  /** POSTs and PUTs without an answer, or answered 503: they may have been done. */
  unknownWrites: number;
  /** Answers of 503, to writes of any kind. */
  unavailable: number;
  /** POSTs with an unknown outcome, by the mark in their metadata. */
  readonly unknownCreates: Map<string, Posted>;
  /** Writes with a key that had no answer: each repeats one until it is answered, and enters the answer. */
  readonly unfinished: ((client: Client) => Promise<void>)[];
}

export function createAcknowledged(): Acknowledged {
  const counts = { accepted: 0, unknownWrites: 0, unavailable: 0 };
  return { ...counts, entries: new Map(), unknownCreates: new Map(), unfinished: [] };
}

/** A drop that was created with that document. */
export function entryOf(slug: string, posted: Posted, metadata: Record<string, string>): Entry {
  const unknown = { versions: [], metadata: [], removal: false };
  const versions = new Map([[1, posted]]);
  return { slug, versions, metadata, comments: new Set(), unknown, isRemoved: false };
}

/** @throws Error with that text unless the condition holds */
export function check(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new Error(fault);
}
