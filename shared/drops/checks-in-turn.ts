import type { Clock } from '../domain/clock.ts';
import type { Log } from '../log/log.ts';
import {
  type CheckDocument,
  type CheckedDocument,
  checkDocument,
  type DocumentFindings,
} from '../page-checks/check-document.ts';
import { FairQueue } from '../util/fair-queue.ts';

/** A waiting document is in memory, and so is the answer that waits for it. */
const maxWaiting = 16;
/** So many bytes take at most 5 ms, whatever they are (bench/looks.ts). */
const maxOnLoop = 96 * 1024;
/** Of `mostEffort`: 1 ms. A document that needs more is looked at in a thread. */
const effortOnLoop = 10_000;

interface Deps {
  readonly checkDocument: CheckDocument;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** Checks documents before or after they are published. Large ones are checked in a thread, for which the accounts take fair turns. */
export class ChecksInTurn {
  readonly #checkInThread: CheckDocument;
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'warn'>;
  readonly #turns = new FairQueue(1, maxWaiting);

  constructor({ checkDocument, clock, log }: Deps) {
    this.#checkInThread = checkDocument;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Never fails: of a document that was not looked at `isWhole` is false and nothing, or little, is found.
   * @param ownerId the account whose turn it takes
   */
  async check(ownerId: string, document: CheckedDocument): Promise<DocumentFindings> {
    const isSmall = document.html.length + (document.context?.length ?? 0) <= maxOnLoop;
    const first = isSmall ? checkDocument(document, this.#clock.now(), effortOnLoop) : notSeen;
    return first.isWhole ? first : ((await this.#checkInTurn(ownerId, document)) ?? first);
  }

  /** null: too many wait, or it took too long, or the thread failed */
  async #checkInTurn(ownerId: string, document: CheckedDocument): Promise<DocumentFindings | null> {
    try {
      const inThread = () => this.#checkInThread(document, this.#clock.now());
      return (await this.#turns.run([ownerId], inThread)) ?? null;
    } catch (err) {
      this.#log.warn({ err }, 'a document was not looked at');
      return null;
    }
  }
}

const notSeen: DocumentFindings = {
  secrets: [],
  contextSecrets: [],
  files: new Set(),
  links: new Set(),
  storage: new Map(),
  isHtml: true,
  isWhole: false,
};
