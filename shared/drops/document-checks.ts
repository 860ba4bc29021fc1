import type { Clock } from '../domain/clock.ts';
import type { Log } from '../log/log.ts';
import {
  type CheckDocument,
  type CheckedDocument,
  checkDocument,
  type DocumentFaults,
} from '../page-checks/document-checks.ts';
import { createFairQueue } from '../util/queues.ts';

/** A waiting document is in memory, and so is the answer that waits for it. */
const maxWaiting = 16;
/** So many bytes take at most 5 ms, whatever they are (bench/looks.ts). */
const maxOnLoop = 96 * 1024;
/** Of `mostEffort`: 1 ms. A document that needs more is looked at in a thread. */
const effortOnLoop = 10_000;

/** Looks at documents before or after they are published. */
export function createDocumentChecks({
  checkDocument: checkInThread,
  clock,
  log,
}: {
  checkDocument: CheckDocument;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}) {
  const turns = createFairQueue(1, maxWaiting);

  /** null: too many wait, or it took too long, or the thread failed */
  async function checkInTurn(ownerId: string, document: CheckedDocument): Promise<DocumentFaults | null> {
    try {
      return (await turns.run([ownerId], () => checkInThread(document, clock.now()))) ?? null;
    } catch (err) {
      log.warn({ err }, 'a document was not looked at');
      return null;
    }
  }

  return {
    /**
     * Small documents are looked at at once; for others the accounts take fair turns in a thread. Never fails: of a document
     * that was not looked at `isWhole` is false and nothing, or little, is found. @param ownerId the account whose turn it takes
     */
    async check(ownerId: string, document: CheckedDocument): Promise<DocumentFaults> {
      const isSmall = document.html.length + (document.context?.length ?? 0) <= maxOnLoop;
      const first = isSmall ? checkDocument(document, clock.now(), effortOnLoop) : notSeen;
      return first.isWhole ? first : ((await checkInTurn(ownerId, document)) ?? first);
    },
  };
}

const notSeen: DocumentFaults = {
  secrets: [],
  contextSecrets: [],
  files: new Set(),
  links: new Set(),
  storage: new Map(),
  isHtml: true,
  isWhole: false,
};
