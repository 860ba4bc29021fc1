import { Counter, Gauge, type Registry } from 'prom-client';
import type { MemoryReading, Readings } from '../../ports/metrics.ts';
import { withTimeout } from '../../util/wait-at-most.ts';

/** A database that is down must not hold up a scrape. */
const readyWithinMs = 2_000;

/** Numbers that parts of the service keep anyway: they are read for a scrape. */
export function addReadings(registry: Registry, readings: Readings): void {
  addMemories(registry, readings.memories);
  const registers = [registry];
  new Counter({
    name: 'dropleaf_page_memory_discarded_reads_total',
    help: 'Pages that were read and not kept in memory, because they changed meanwhile',
    registers,
    collect() {
      this.reset();
      this.inc(readings.discardedReads());
    },
  });
  new Gauge({
    name: 'dropleaf_render_queue_length',
    help: 'Pages, contexts and cards that wait for their turn to be rendered',
    labelNames: ['queue'],
    registers,
    collect() {
      for (const [queue, read] of Object.entries(readings.queues)) this.set({ queue }, read());
    },
  });
  new Gauge({
    name: 'dropleaf_views_unrecorded',
    help: 'Views that this process has counted and not recorded yet',
    registers,
    collect() {
      this.set(readings.unrecordedViews());
    },
  });
  new Gauge({
    name: 'dropleaf_ready',
    help: 'Whether reads and writes work, as GET /readyz says: 1 or 0',
    registers,
    async collect() {
      const late = () => new Error('not in time');
      const isReady = await withTimeout(readyWithinMs, readings.ready(), late).then(
        () => true,
        () => false,
      );
      this.set(isReady ? 1 : 0);
    },
  });
}

function addMemories(registry: Registry, memories: Readings['memories']): void {
  const registers = [registry];
  new Counter({
    name: 'dropleaf_page_memory_lookups_total',
    help: 'Lookups in memory by what was looked for: a hit spares a read of the store',
    labelNames: ['memory', 'result'],
    registers,
    collect() {
      this.reset();
      for (const [memory, read] of Object.entries(memories)) {
        const { hits, misses } = read();
        this.inc({ memory, result: 'hit' }, hits);
        this.inc({ memory, result: 'miss' }, misses);
      }
    },
  });
  const addGauge = (unit: string, help: string, select: (reading: MemoryReading) => number) =>
    new Gauge({
      name: `dropleaf_page_memory_${unit}`,
      help,
      labelNames: ['memory'],
      registers,
      collect() {
        for (const [memory, read] of Object.entries(memories)) this.set({ memory }, select(read()));
      },
    });
  addGauge('entries', 'Entries in memory', ({ entries }) => entries);
  addGauge('bytes', 'Size of the entries in memory', ({ bytes }) => bytes);
  addGauge('max_bytes', 'What they may take at most (PAGE_CACHE_BYTES)', ({ maxBytes }) => maxBytes);
}
