import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { useEach } from '../support/between.ts';
import { countJobs } from '../support/jobs.ts';
import { createFaults, type FaultKind, faultKinds } from './faults.ts';
import { type CaseScene, type JobCase, jobCases } from './job-cases.ts';
import type { createWorkerProcess, ProcessOptions } from './worker-process.ts';

type Awaitable<T> = T | Promise<T>;

/** A scene of any engine, whose processes can be ended. */
export interface FaultScene extends CaseScene {
  startProcess(options?: ProcessOptions): Awaitable<FaultProcess>;
  close(): Promise<void>;
}

interface FaultProcess extends ReturnType<typeof createWorkerProcess> {
  /** Ends it like SIGKILL. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** One repeat of purges is enough: the others are alike. */
export const purgeAgain = '1';
/** More often than any job enqueues itself again. */
const repeatsAtMost = 8;

/** Runs due jobs, then delayed ones. @returns what handlers threw, without `unavailable`, which is retried */
export async function settleAll(scene: FaultScene, process: FaultProcess): Promise<unknown[]> {
  const thrown = await process.settle();
  for (let n = 0; n < repeatsAtMost && (await countJobs(process.queue)).waiting > 0; n++) {
    scene.clock.advance(60_000);
    thrown.push(...(await process.settle()));
  }
  return thrown.filter((error) => !(error instanceof DropError && error.code === 'unavailable'));
}

/** Injects each kind of fault at each step of each job. */
export function describeFaultMatrix(
  engine: string,
  openScene: () => Awaitable<FaultScene>,
  kinds: readonly FaultKind[] = faultKinds,
): void {
  describe(`When a step of a job fails (${engine})`, function () {
    this.timeout(180_000); // each test is dozens of runs

    const scene = useEach(openScene);

    /** Runs the case with a fault at that step; false: the job has fewer steps. */
    async function runWithFault(each: JobCase, step: number, kind: FaultKind): Promise<boolean> {
      const { job, prepare, repeats = 0 } = each;
      const { enqueue, always, atLast } = await prepare(scene);
      scene.clock.advance(20 * 60_000); // the periodic ones are due
      const faults = createFaults(job, step, kind);
      const first = await scene.startProcess({ faults, purgeAgain });
      await enqueue?.(first.queue);
      await Promise.race([first.settle(), faults.ended]);
      for (let repeat = 0; repeat < repeats && !faults.hasOccurred(); repeat++) {
        scene.clock.advance(60_000);
        await Promise.race([first.settle(), faults.ended]);
      }
      faults.disarm();
      await always?.();

      // A live process retries; after one that ended another is started.
      const hasEnded = kind.startsWith('ends') && faults.hasOccurred();
      if (hasEnded) await first.kill();
      const next = hasEnded ? await scene.startProcess({ purgeAgain }) : first;
      scene.clock.advance(20 * 60_000);
      expect(await settleAll(scene, next), `${job} again`).to.deep.equal([]);
      await always?.();
      await atLast();
      await next.close();
      return faults.hasOccurred();
    }

    for (const each of jobCases) {
      for (const kind of kinds) {
        it(`${each.job}: ${each.what}, whichever step ${kind}`, async () => {
          let step = 1;
          while (await runWithFault(each, step, kind)) step += 1;
          expect(step, 'steps').to.be.above(each.steps);
        });
      }
    }
  });
}
