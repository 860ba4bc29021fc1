import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Watched, watch } from '../bin/command.ts';
import { findFreePort } from './nginx.ts';
import { projectDir } from './programs.ts';
import { makeTempDir } from './temp-dir.ts';
import { until } from './until.ts';

/** Every time in the rules is divided by it: five minutes are three seconds. */
const factor = 100;
/** `prometheus.yml` has 15 s. A process must answer a scrape within it. */
const scrapeMs = 1_000;

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A Prometheus with the rules of `deploy/prometheus/`, whose times are shorter. */
export interface Prometheus {
  /** The names of the alerts that fire now, without repeats, sorted. */
  firing(): Promise<string[]>;
  /** The values of an expression now, by the labels. */
  query(expression: string): Promise<readonly { metric: Record<string, string>; value: [number, string] }[]>;
  close(): Promise<void>;
}

/** @param targets the metrics' ports of each job of `prometheus.yml` */
export async function startPrometheus(
  program: string,
  targets: Readonly<Record<string, readonly number[]>>,
): Promise<Prometheus> {
  const dir = makeTempDir();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(join(dir, 'alerts.yml'), shortenRules(read('alerts.yml')));
  writeFileSync(join(dir, 'prometheus.yml'), withTargets(read('prometheus.yml'), targets));
  const options = {
    'config.file': join(dir, 'prometheus.yml'),
    'storage.tsdb.path': join(dir, 'data'),
    'web.listen-address': `127.0.0.1:${port}`,
    'log.level': 'warn',
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const running = watch(spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  process.once('exit', () => running.kill('SIGKILL')); // also where a hook failed that would have ended it
  await untilReady(url, running);

  async function ask<T>(path: string): Promise<T> {
    const response = await fetch(url + path);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text).data as T; // proof: https://prometheus.io/docs/prometheus/latest/querying/api/
  }

  return {
    async firing() {
      const { alerts } = await ask<{ alerts: { labels: { alertname: string }; state: string }[] }>(
        '/api/v1/alerts',
      );
      const names = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
      return [...new Set(names)].sort();
    },
    async query(expression) {
      const path = `/api/v1/query?query=${encodeURIComponent(expression)}`;
      return (await ask<{ result: Awaited<ReturnType<Prometheus['query']>> }>(path)).result;
    },
    async close() {
      running.kill('SIGKILL');
      await running.ended();
    },
  };
}

function read(name: string): string {
  return readFileSync(join(projectDir, 'deploy/prometheus', name), 'utf8');
}

/** Divides every `for:`, range, offset, and the number of seconds for which a job is due. */
function shortenRules(rules: string): string {
  const shorten = (_: string, before: string, count: string, unit: keyof typeof unitMs) =>
    `${before}${(Number(count) * unitMs[unit]) / factor}ms`;
  return rules
    .replace(/(for: |\[|offset )(\d+)([smhd])\b/g, shorten)
    .replace(/(_overdue_seconds\) > )(\d+)/g, (_, before, seconds) => before + Number(seconds) / factor);
}

/** @throws Error if a job is not in the file */
function withTargets(config: string, targets: Readonly<Record<string, readonly number[]>>): string {
  let text = config.replace(/(_interval: )15s/g, `$1${scrapeMs}ms`);
  text = text.replace(/^global:$/m, `$&\n  scrape_timeout: ${scrapeMs}ms`);
  for (const [job, ports] of Object.entries(targets)) {
    const addresses = ports.map((port) => `'127.0.0.1:${port}'`).join(', ');
    const changed = text.replace(
      new RegExp(`^(  - job_name: ${job}\\n    static_configs:\\n      - targets: )\\[.*\\]$`, 'm'),
      `$1[${addresses}]`,
    );
    if (changed === text) throw new Error(`prometheus.yml has no job ${job}`);
    text = changed;
  }
  return text;
}

async function untilReady(url: string, running: Watched): Promise<void> {
  let ended = false;
  void running.ended().then(() => {
    ended = true;
  });
  const isReady = async () => {
    if (ended) throw new Error(`Prometheus has ended: ${running.output.stderr}`);
    const response = await fetch(`${url}/-/ready`).catch(() => null);
    return response?.ok === true;
  };
  await until(isReady, 'Prometheus is ready');
}
