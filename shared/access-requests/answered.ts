import type { Drop } from '../drops/drop.ts';
import type { Readers } from '../identities/readers.ts';
import type { Log } from '../log/log.ts';
import type { AccessRequestStore } from './access-request-store.ts';

/** Removes the requests of people who may read a drop, as it is now, without an answer. */
export class AnsweredRequests {
  readonly #requests: Pick<AccessRequestStore, 'listOfDrop' | 'remove'>;
  readonly #readers: Pick<Readers, 'mayRead'>;
  readonly #log: Pick<Log, 'warn'>;

  constructor(parts: {
    requests: Pick<AccessRequestStore, 'listOfDrop' | 'remove'>;
    readers: Pick<Readers, 'mayRead'>;
    log: Pick<Log, 'warn'>;
  }) {
    this.#requests = parts.requests;
    this.#readers = parts.readers;
    this.#log = parts.log;
  }

  /** After a change of who may read the drop. Never throws: the change is stored, and the owner's list leaves out what this has left. */
  async remove(drop: Drop): Promise<void> {
    try {
      for (const request of await this.#requests.listOfDrop(drop.id))
        if (await this.#readers.mayRead(drop, request.accountId)) await this.#requests.remove(request);
    } catch (err) {
      this.#log.warn({ err }, 'requests for access were not removed; the list of them leaves them out');
    }
  }
}
