import type { Engine } from '../../shared/engines/engine.ts';
import { useEach } from '../support/between.ts';
import type { TestClock } from '../support/clock.ts';

/** The stores of one database. The suites know them by their ports only, so any engine can be run through them. */
export type Stores = Omit<Engine, 'rateLimiter' | 'jobs' | 'pageChanges' | 'ready' | 'urgently'> & {
  /** Stands at `start` (records.ts) until it is moved. */
  readonly clock: TestClock;
};

/** Opens them over data of their own: what one test writes no other test finds. */
export type OpenStores = () => Promise<Stores>;

/** Fresh stores for each test of the suite that this is called in. */
export function useStores<T extends Pick<Engine, 'close'>>(openStores: () => Promise<T>): () => T {
  const stores = useEach(openStores);
  return () => stores;
}
