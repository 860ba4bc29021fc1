import { Counter, type Registry } from 'prom-client';
import type { CommandEnded, StoreMetrics } from '../../ports/metrics.ts';
import { createHistogram } from './histogram.ts';

/** Up to the longest wait for an answer (2.5 s), and above it. */
const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

export function createStoreMetrics(registry: Registry): StoreMetrics {
  return {
    mongoCommand: createCommandMetrics(registry, 'mongodb', 'MongoDB'),
    redisCommand: createCommandMetrics(registry, 'redis', 'Redis'),
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
  return (command, seconds, isFailed) => {
    durations.tally(command).observe(seconds);
    if (isFailed) failures.inc({ command });
  };
}
