/**
 * Lets so many works run at a time, and shares turns out fairly among those for whom they are done: whoever asks much
 * waits behind their own asking, and not others behind it.
 */
export interface FairQueue {
  /**
   * Runs the work when its turn has come.
   * @param lines for whom it is done, as names: it comes after what is already asked for any of them
   * @returns undefined, and the work is never run, when too many wait and nobody waiting has asked for more
   * @throws what the work throws
   */
  take<T>(lines: readonly string[], work: () => Promise<T>): Promise<T | undefined>;
}

interface Waiting {
  /** Its turn in virtual time: one more than that of the work before it in any of its lines. */
  readonly turn: number;
  readonly lines: readonly string[];
  /** Where its lines ended before it. */
  readonly endsBefore: readonly number[];
  readonly go: (isTaken: boolean) => void;
}

/**
 * Start-time fair queueing (Goyal, Vin and Cheng 1996), with works that stand in several lines at once.
 * @param running how many may run at a time
 * @param maxWaiting how many may wait; of more, the one whose lines have asked for most is turned away
 */
export function createFairQueue(running: number, maxWaiting: number): FairQueue {
  /** In order of their turns, and those of one turn in the order of asking. */
  const waiting: Waiting[] = [];
  /** Where each line ends in virtual time; a line without an entry ends now or before. */
  const ends = new Map<string, number>();
  let now = 0;
  let free = running;

  function endOf(line: string): number {
    return Math.max(now, ends.get(line) ?? 0);
  }

  /** Stands at the end of all of its lines. */
  function enter(lines: readonly string[]): { turn: number; endsBefore: readonly number[] } {
    const endsBefore = lines.map(endOf);
    const turn = Math.max(now, ...endsBefore);
    for (const line of lines) ends.set(line, turn + 1);
    return { turn, endsBefore };
  }

  function line(lines: readonly string[]): Promise<boolean> {
    return new Promise((go) => {
      const entered = { ...enter(lines), lines, go };
      const after = waiting.findLastIndex(({ turn }) => turn <= entered.turn);
      waiting.splice(after + 1, 0, entered);
      if (waiting.length > maxWaiting) turnLastAway();
    });
  }

  /** The last of all is the last of each of its lines, which then end where they ended before. */
  function turnLastAway(): void {
    const last = waiting.pop();
    for (const [i, name] of last?.lines.entries() ?? []) ends.set(name, last?.endsBefore[i] ?? 0);
    last?.go(false);
  }

  function passOn(): void {
    const next = waiting.shift();
    if (next === undefined) {
      free += 1;
      if (free === running) ends.clear();
      return;
    }
    // As if all were served at once, each a little: or newcomers, who begin at `now`, would always come first.
    now = Math.max(now, next.turn) + 1 / (waiting.length + 1);
    for (const [name, end] of ends) if (end <= now) ends.delete(name);
    next.go(true);
  }

  return {
    async take(lines, work) {
      if (free > 0) {
        free -= 1;
        enter(lines);
      } else if (!(await line(lines))) return undefined;
      try {
        return await work();
      } finally {
        passOn();
      }
    },
  };
}
