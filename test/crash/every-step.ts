import { jobCases } from '../worker/job-cases.ts';
import type { JobKills, ServerKind, Strike } from './job-kills.ts';

export interface StepsReport {
  readonly kills: number;
  /** Places at which a job was interrupted, over all kinds. */
  readonly places: number;
}

/** Kills workers at every command of every job. @param told of each kill that did no harm */
export async function killAtEveryStep(
  kills: JobKills,
  told: (struck: readonly Strike[]) => void,
): Promise<StepsReport> {
  let count = 0;
  let places = 0;

  /** Those of the strikes whose jobs have as many commands. */
  async function kill(strikes: readonly Strike[]): Promise<readonly Strike[]> {
    const struck = await kills.kill(strikes);
    count += 1;
    places += struck.length;
    told(struck);
    return struck;
  }

  /** @param strikes at the first command of each */
  async function walk(strikes: readonly Strike[]): Promise<void> {
    let left = strikes;
    while (left.length > 0) {
      left = (await kill(left)).map((strike) => ({ ...strike, command: strike.command + 1 }));
    }
  }

  const firstOf = (server: ServerKind, verdict: Strike['verdict']) =>
    jobCases.map((each): Strike => ({ each, server, command: 1, verdict }));
  for (const verdict of ['hold', 'hold the answer'] as const) {
    await walk(firstOf('mongodb', verdict));
    for (const strike of firstOf('redis', verdict)) await walk([strike]);
  }
  return { kills: count, places };
}
