import { Counter, type Registry } from 'prom-client';
import type { CommandEnded, FileSizes, StoreMetrics, TransactionEnded } from '../../ports/metrics.ts';
import { createHistogram } from './histogram.ts';
import { addReading } from './metric-kinds.ts';

/** Up to the longest wait for an answer (2.5 s), and above it. */
const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

export function createStoreMetrics(registry: Registry): StoreMetrics {
  return {
    mongoCommand: createCommandMetrics(registry, 'mongodb', 'MongoDB'),
    redisCommand: createCommandMetrics(registry, 'redis', 'Redis'),
    sqliteTransaction: createTransactionMetrics(registry),
    watchFiles: (read) => addFileSizes(registry, read),
  };
}

function createCommandMetrics(registry: Registry, name: string, title: string): CommandEnded {
  const durations = createHistogram(registry, {
    name: `dropleaf_${name}_command_duration_seconds`,
    help: `Time from sending a command to ${title} until its answer, failed commands included`,
    labels: ['command'],
    buckets,
  });
  const failures = new Counter({
    name: `dropleaf_${name}_command_failures_total`,
    help: `Commands that ${title} refused or did not answer`,
    labelNames: ['command'],
    registers: [registry],
  });
  const known = new Set<string>();
  return (command, seconds, isFailed) => {
    if (!known.has(command)) failures.inc({ command }, 0); // or its first failure would be hidden from `rate()`
    known.add(command);
    durations.tally(command).observe(seconds);
    if (isFailed) failures.inc({ command });
  };
}

function createTransactionMetrics(registry: Registry): TransactionEnded {
  const duration = createHistogram(registry, {
    name: 'dropleaf_sqlite_transaction_duration_seconds',
    help: 'Time that a transaction of SQLite blocked the event loop, its flush to the disk included',
    labels: [],
    buckets,
  }).tally();
  const registers = [registry];
  const writes = new Counter({
    name: 'dropleaf_sqlite_writes_total',
    help: 'Writes to SQLite; those of one turn of the event loop share a transaction',
    registers,
  });
  const failures = new Counter({
    name: 'dropleaf_sqlite_transaction_failures_total',
    help: 'Transactions of SQLite that failed: the disk is full or broken, or another process held the database',
    registers,
  });
  return (count, seconds, isFailed) => {
    duration.observe(seconds);
    writes.inc(count);
    if (isFailed) failures.inc();
  };
}

function addFileSizes(registry: Registry, read: () => FileSizes): void {
  const sizes = {
    name: 'dropleaf_sqlite_file_bytes',
    help: 'Size of the database file and of its write-ahead log',
  };
  addReading(registry, 'gauge', sizes, () => {
    const { database, wal } = read();
    return [
      [{ file: 'database' }, database],
      [{ file: 'wal' }, wal],
    ];
  });
  const free = {
    name: 'dropleaf_data_free_bytes',
    help: 'Space on the disk of DATA_DIR that the service may fill',
  };
  addReading(registry, 'gauge', free, () => read().free ?? []);
}
