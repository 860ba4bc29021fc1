/** What a drop shows to those who have no passcode: a page by its mark, or that it is locked, or gone. */
export type Shown = string | 'locked' | 'gone';

interface Period {
  readonly shown: Shown;
  /** When the change that began it was sent, ms. */
  readonly from: number;
  /** When the change that ended it was acknowledged; unset: it goes on. */
  until: number;
}

export interface Verdict {
  readonly isLegal: boolean;
  /** How long after its end was acknowledged this was still asked for and seen, ms; 0: it was no old one. */
  readonly ageMs: number;
}

/** What one drop has shown, and when; to judge by it what readers see. */
export function createHistory(first: Shown, sentAt: number) {
  const periods: Period[] = [{ shown: first, from: sentAt, until: Number.POSITIVE_INFINITY }];

  return {
    get current(): Shown {
      return periods.at(-1)?.shown ?? 'gone';
    },

    /** A change begins: from now on readers may see what it makes. @returns to be called when it is acknowledged */
    begin(shown: Shown): () => void {
      const ended = periods.at(-1);
      periods.push({ shown, from: performance.now(), until: Number.POSITIVE_INFINITY });
      return () => {
        if (ended !== undefined) ended.until = performance.now();
      };
    },

    /** @param graceMs how long after its end a period may still be seen by who asks then */
    judge(shown: Shown, askedAt: number, answeredAt: number, graceMs: number): Verdict {
      const seen = periods.filter((period) => period.shown === shown && period.from <= answeredAt);
      const last = Math.max(...seen.map(({ until }) => until), Number.NEGATIVE_INFINITY);
      return { isLegal: last + graceMs >= askedAt, ageMs: Math.max(askedAt - last, 0) };
    },
  };
}

export type History = ReturnType<typeof createHistory>;
