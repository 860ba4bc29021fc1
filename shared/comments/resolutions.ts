import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError } from '../domain/errors.ts';
import { idAt, newId } from '../domain/ids.ts';
import type { Drop } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import { findOwner } from './authors.ts';
import { boundReached } from './bounds.ts';
import { changeThread } from './changing.ts';
import { changerOf, commentLimits, type Mark, type Thread } from './comment.ts';
import type { CommentStore } from './comment-store.ts';
import type { Waiting } from './waiting.ts';

/** A version is stored at most minutes after its comments were marked: then it was refused. */
const refusedMs = 60 * 60_000;

/** The comments that a version resolves. */
export interface Resolves {
  readonly ids: readonly string[];
  /** Added to each of them; null: none. */
  readonly reply: string | null;
}

interface Write<T> {
  add(): Promise<T>;
  isRefused(outcome: T | null): boolean;
}

interface Deps {
  readonly comments: CommentStore;
  readonly drops: Pick<DropStore, 'find' | 'listVersions'>;
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly waiting: Pick<Waiting, 'notify'>;
  readonly clock: Clock;
}

/**
 * A version and the comments that it resolves are one write, without a transaction: first each comment is marked with the id of
 * the version, then the version is stored, which decides, and then the marked comments are resolved. If the process dies before
 * that, the job `version.render` of the version does it. A mark reserves room for its reply, so that a stored version never loses
 * one. The mark of a refused version means nothing; it is removed at once or, if the process dies, an hour later.
 */
export class Resolutions {
  readonly #store: CommentStore;
  readonly #drops: Deps['drops'];
  readonly #accounts: Pick<AccountStore, 'find'>;
  readonly #waiting: Pick<Waiting, 'notify'>;
  readonly #clock: Clock;

  constructor({ comments, drops, accounts, waiting, clock }: Deps) {
    this.#store = comments;
    this.#drops = drops;
    this.#accounts = accounts;
    this.#waiting = waiting;
    this.#clock = clock;
  }

  /**
   * Stores a version, and marks the comments before. One that is resolved stays as it is, but for the reply.
   * @param write `add` stores the version; if it throws, nobody knows whether it did. `isRefused`: whether no attempt has stored it;
   * null: none has begun
   * @throws DropError `invalid_arg` if one is not a comment on the drop, `quota_exceeded` if one has no room for the reply
   */
  async around<T>(
    caller: Caller,
    slug: string,
    { ids, reply }: Resolves,
    versionId: string,
    { add, isRefused }: Write<T>,
  ): Promise<T> {
    const drop = await this.#drops.find(caller.accountId, slug);
    if (drop === null) return add(); // says so
    const own: Mark = { versionId, reply, author: await findOwner(this.#accounts, caller) };
    const marked: string[] = [];
    const release = async () => {
      for (const id of marked) await this.#store.unmark(id, own);
    };
    try {
      for (const id of ids) if (await this.#mark(drop, id, own)) marked.push(id);
    } catch (error) {
      if (isRefused(null)) await release();
      throw error;
    }
    const outcome = await add();
    if (isRefused(outcome)) await release();
    return outcome;
  }

  /** Resolves the marked comments of the drop whose versions are stored. May be repeated, and run twice at once. */
  async settle({ id: dropId, ownerId }: Pick<Drop, 'id' | 'ownerId'>): Promise<void> {
    const [first, ...others] = await this.#store.listMarked(dropId);
    const thread = first === undefined ? null : await this.#store.findThread(first);
    if (first === undefined || thread === null) return;
    const versions = await this.#drops.listVersions(ownerId, thread.slug);
    const numbers = new Map(versions?.map(({ id, number }) => [id, number]));
    for (const id of [first, ...others]) {
      await this.#settleThread(id, numbers);
      await setImmediate();
    }
    this.#waiting.notify(ownerId);
  }

  /** @returns whether this call has marked it @throws DropError `invalid_arg`, `quota_exceeded` */
  async #mark(drop: Drop, id: string, mark: Mark): Promise<boolean> {
    const thread = await this.#store.findThread(id);
    if (thread?.dropId !== drop.id) throw notOfDrop(id);
    if (thread.state === 'resolved' && mark.reply === null) return false;
    for (const old of thread.resolving.filter((each) => this.#isOld(each))) await this.#store.unmark(id, old);
    const outcome = await this.#store.mark(id, mark, commentLimits);
    if (outcome === null) throw notOfDrop(id);
    if (outcome === 'marked' || outcome === 'known') return outcome === 'marked';
    throw boundReached(outcome);
  }

  #isOld({ versionId }: Mark): boolean {
    return versionId < idAt(this.#clock.now() - refusedMs);
  }

  async #settleThread(id: string, numbers: ReadonlyMap<string, number>): Promise<void> {
    const deps = { store: this.#store, clock: this.#clock };
    await changeThread(deps, id, (thread) => settled(thread, numbers, this.#clock.now()));
    const left = (await this.#store.findThread(id))?.resolving ?? [];
    for (const mark of left.filter((each) => numbers.has(each.versionId) || this.#isOld(each)))
      await this.#store.unmark(id, mark);
  }
}

/** null: no version of its marks is stored, or the thread is resolved already and gets no reply. */
function settled(thread: Thread, numbers: ReadonlyMap<string, number>, now: number) {
  const marks = thread.resolving.filter(({ versionId }) => numbers.has(versionId));
  const last = marks.at(-1);
  const added = marks.flatMap(({ reply: text, author }) =>
    text === null ? [] : [{ id: newId(now), author, text, createdAt: now }],
  );
  const isOpen = thread.state !== 'resolved';
  if (last === undefined || (!isOpen && added.length === 0)) return null;
  const { versionId, author } = last;
  const resolvedBy = { versionId, version: numbers.get(versionId) ?? 1 };
  const act = {
    settled: marks.map((mark) => mark.versionId),
    added,
    ...(isOpen && { fields: { state: 'resolved', resolvedBy } as const }),
  };
  return { act, changer: changerOf(author) };
}

function notOfDrop(id: string): DropError {
  return new DropError('invalid_arg', `resolves: there is no comment ${id} on this drop`, {
    field: 'resolves',
  });
}
