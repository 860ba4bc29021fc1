import type { Registry } from 'prom-client';
import type { Readings } from '../../ports/metrics.ts';
import { withTimeout } from '../../util/wait-at-most.ts';
import { addReading } from './metric-kinds.ts';

/** A database that is down must not hold up a scrape. */
const readyWithinMs = 2_000;

/** Numbers that parts of the service keep anyway: they are read for a scrape. */
export function addReadings(registry: Registry, readings: Readings): void {
  addMemories(registry, readings.memories);
  const gauge = (name: string, help: string, read: Parameters<typeof addReading>[3]) =>
    addReading(registry, 'gauge', { name, help }, read);
  const discarded = {
    name: 'dropleaf_page_memory_discarded_reads_total',
    help: 'Pages that were read and not kept in memory, because they changed meanwhile',
  };
  addReading(registry, 'counter', discarded, readings.discardedReads);
  gauge(
    'dropleaf_render_queue_length',
    'Pages, contexts and cards that wait for their turn to be rendered',
    () => Object.entries(readings.queues).map(([queue, read]) => [{ queue }, read()]),
  );
  gauge(
    'dropleaf_views_unrecorded',
    'Views that this process has counted and not recorded yet',
    readings.unrecordedViews,
  );
  gauge('dropleaf_ready', 'Whether reads and writes work, as GET /readyz says: 1 or 0', () => {
    const late = () => new Error('not in time');
    return withTimeout(readyWithinMs, readings.ready(), late).then(
      () => 1,
      () => 0,
    );
  });
}

function addMemories(registry: Registry, memories: Readings['memories']): void {
  const lookups = {
    name: 'dropleaf_page_memory_lookups_total',
    help: 'Lookups in memory by what was looked for: a hit spares a read of the store',
  };
  addReading(registry, 'counter', lookups, () =>
    Object.entries(memories).flatMap(([memory, read]) => {
      const { hits, misses } = read();
      return [
        [{ memory, result: 'hit' }, hits],
        [{ memory, result: 'miss' }, misses],
      ] as const;
    }),
  );
  const held = [
    ['entries', 'entries', 'Entries in memory'],
    ['bytes', 'bytes', 'Size of the entries in memory'],
    ['maxBytes', 'max_bytes', 'What they may take at most (PAGE_CACHE_BYTES)'],
  ] as const;
  for (const [field, unit, help] of held)
    addReading(registry, 'gauge', { name: `dropleaf_page_memory_${unit}`, help }, () =>
      Object.entries(memories).map(([memory, read]) => [{ memory }, read()[field]]),
    );
}
