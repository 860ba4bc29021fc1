import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BareAnswers } from './bare-server.ts';

export interface ServerProcess {
  readonly url: string;
  residentMib(): number | null;
  cpuSeconds(): number;
  mainThreadCpuMs(): number;
  stop(): Promise<void>;
}

/** The service as `npm start` runs it. It writes its log lines; they are discarded. @param checkout by default this one */
export function startService(
  env: Readonly<Record<string, string>>,
  checkout = pathOf('../..'),
): Promise<ServerProcess> {
  return start(join(checkout, 'bin/dropleaf.js'), ['start'], { PORT: '0', ...env });
}

/** A server that only sends given bytes (bare-server.ts). @param dir where the answers are written for it */
export function startBareServer(
  kind: 'http' | 'express',
  dir: string,
  answers: BareAnswers,
): Promise<ServerProcess> {
  const file = join(dir, `${kind}-answers.json`);
  writeFileSync(file, JSON.stringify(answers));
  return start(process.execPath, [pathOf('./bare-server.js'), kind, file], {});
}

/** Express and one durable row for each document (bare-server.ts). @param dir where its database is created */
export function startRowServer(dir: string): Promise<ServerProcess> {
  return start(process.execPath, [pathOf('./bare-server.js'), 'rows', join(dir, 'rows.sqlite')], {});
}

const ticksASecond = 100; // of /proc/<pid>/stat, on every Linux that Node runs on

/** CPU time of all threads of a process so far, in user and kernel mode; NaN on systems without /proc. */
export function cpuSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / ticksASecond;
  } catch {
    return Number.NaN;
  }
}

/** CPU time of the main thread so far, in ms; NaN on systems without /proc. Exact to the microsecond, unlike `cpuSeconds`. */
export function mainThreadCpuMs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

async function start(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(program, args, {
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stopWithUs = () => child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  return {
    url: await readUrl(child, program),
    residentMib: () => residentMib(child.pid),
    cpuSeconds: () => cpuSeconds(child.pid),
    mainThreadCpuMs: () => mainThreadCpuMs(child.pid),
    async stop() {
      process.off('exit', stopWithUs);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function readUrl(child: ChildProcess, script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (text: string) => {
      output += text;
      const url = /http:\/\/\S+/.exec(output)?.[0];
      if (url === undefined) return;
      child.stdout?.off('data', read).resume(); // log lines follow, which must take no time here
      resolve(url);
    };
    child.stdout?.setEncoding('utf8').on('data', read);
    child.once('exit', (code) => reject(new Error(`${script} exited with ${code} before it listened`)));
  });
}

/** Resident memory in MiB; null on systems without /proc. */
export function residentMib(pid: number | undefined): number | null {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}
