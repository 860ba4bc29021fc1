import { performance } from 'node:perf_hooks';

/**
 * A function that does the `work` at its first call in each turn of the event loop; after a failure, at the next one.
 * A turn begins when the loop asks the system what has arrived, so whatever a request was sent after is older than
 * the turn that reads it. (An immediate that ends the turn would not do: one asked for in the check phase runs after
 * the next requests.)
 */
export function onceATurn(work: () => void): () => void {
  const { nodeTiming } = performance;
  let turn = -1;
  let batch = -1; // of events: where very many wait, the loop asks more than once in a turn
  return () => {
    const { loopCount, events } = nodeTiming.uvMetricsInfo; // a tenth of a microsecond
    if (loopCount === turn && events === batch) return;
    work();
    turn = loopCount;
    batch = events;
  };
}
