import type { Clock } from '../../shared/domain/clock.ts';
import type { Job } from '../../shared/jobs/job-catalogue.ts';
import type { SignInStore } from '../../shared/sign-ins/sign-in-store.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** Marks sign-ins past their time as expired, and removes those that clients no longer poll. */
export class SignInExpire implements Job<'sign-in.expire'> {
  readonly #signIns: SignInStore;
  readonly #clock: Clock;
  readonly #keepMs: number;

  constructor({ engine, clock, config }: WorkerDeps) {
    this.#signIns = engine.signIns;
    this.#clock = clock;
    this.#keepMs = config.SIGN_IN_KEEP_SECONDS * 1_000;
  }

  async run(): Promise<void> {
    const now = this.#clock.now();
    await this.#signIns.expire(now);
    await this.#signIns.removeExpiredBefore(now - this.#keepMs); // spec 3
  }
}
