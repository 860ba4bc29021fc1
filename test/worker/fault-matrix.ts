import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { createFaults, type FaultKind, faultKinds } from './faults.ts';
import { type CaseScene, type JobCase, jobCases } from './job-cases.ts';
import type { createWorkerProcess, ProcessOptions } from './worker-process.ts';

type Awaitable<T> = T | Promise<T>;

/** A scene whose processes can be ended, over whichever engine. */
export interface FaultScene extends CaseScene {
  startProcess(options?: ProcessOptions): Awaitable<FaultProcess>;
  close(): Promise<void>;
}

interface FaultProcess extends ReturnType<typeof createWorkerProcess> {
  /** As SIGKILL does. */
  kill(): Promise<void>;
  /** It does nothing any more. */
  close(): Promise<void>;
}

/** One repeat is like the others, and a run less at each of its steps. */
export const purgeAgain = '1';
/** More than any job asks for itself. */
const repeatsAtMost = 8;

/**
 * Runs what is due, and then what that has asked for to be done later.
 * @returns what handlers threw; not that the line of jobs was late, as it may be on a busy machine: that is tried again
 */
export async function settleAll(scene: FaultScene, process: FaultProcess): Promise<unknown[]> {
  const thrown = await process.settle();
  for (let n = 0; n < repeatsAtMost && (await process.queue.count()).waiting > 0; n++) {
    scene.clock.advance(60_000);
    thrown.push(...(await process.settle()));
  }
  return thrown.filter((error) => !(error instanceof DropError && error.code === 'unavailable'));
}

/** Every step of every job, going wrong in every way. */
export function describeFaultMatrix(engine: string, openScene: () => Awaitable<FaultScene>): void {
  describe(`When a step of a job goes wrong (${engine})`, function () {
    this.timeout(180_000); // one test is dozens of runs, and MongoDB is emptied before each

    let scene: FaultScene;

    beforeEach(async () => {
      scene = await openScene();
    });

    afterEach(() => scene.close());

    /** Runs the case with a fault at that step; false: the job has fewer steps. */
    async function runWithFault(each: JobCase, step: number, kind: FaultKind): Promise<boolean> {
      const { job, prepare, repeats = 0 } = each;
      const { ask, always, atLast } = await prepare(scene);
      scene.clock.advance(10 * 60_000); // the periodic ones are due
      const faults = createFaults(job, step, kind);
      const first = await scene.startProcess({ faults, purgeAgain });
      await ask?.(first.queue);
      await Promise.race([first.settle(), faults.ended]);
      for (let repeat = 0; repeat < repeats && !faults.hasStruck(); repeat++) {
        scene.clock.advance(60_000);
        await Promise.race([first.settle(), faults.ended]);
      }
      faults.disarm();
      await always?.();

      // A process that lives tries again by itself; one that has ended is followed by another.
      const hasEnded = kind.startsWith('ends') && faults.hasStruck();
      if (hasEnded) await first.kill();
      const next = hasEnded ? await scene.startProcess({ purgeAgain }) : first;
      scene.clock.advance(10 * 60_000);
      expect(await settleAll(scene, next), `${job} again`).to.deep.equal([]);
      await always?.();
      await atLast();
      await next.close();
      return faults.hasStruck();
    }

    for (const each of jobCases) {
      for (const kind of faultKinds) {
        it(`${each.job}: ${each.what}, at whichever step it ${kind}`, async () => {
          let step = 1;
          while (await runWithFault(each, step, kind)) step += 1;
          expect(step, 'steps').to.be.above(each.steps);
        });
      }
    }
  });
}
