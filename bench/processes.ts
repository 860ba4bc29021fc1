import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly url: string;
  /** Resident memory in MiB, as the system counts it; null where it does not tell (no Linux). */
  residentMib(): number | null;
  /** @see cpuSeconds */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** The real service, as `npm start` runs it. Its log lines are written, and thrown away. */
export function startService(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  return start('../bin/cli.js', ['start'], { PORT: '0', ...env });
}

/** An Express app that answers what it is told to (bare-server.ts). @param file names the JSON with the answers */
export function startBareServer(file: string): Promise<ServerProcess> {
  return start('./bare-server.js', [file], {});
}

/** A plain node:http server that sends what it is told to (bare-http.ts). @param file names the JSON with the answers */
export function startBareHttp(file: string): Promise<ServerProcess> {
  return start('./bare-http.js', [file], {});
}

const ticksASecond = 100; // of /proc/<pid>/stat, on every Linux that Node runs on

/** What the process has taken so far, in user and kernel mode, all of its threads. NaN: the system does not tell. */
export function cpuSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / ticksASecond;
  } catch {
    return Number.NaN;
  }
}

async function start(script: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stopWithUs = () => child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  return {
    url: await readUrl(child, script),
    residentMib: () => readResident(child.pid),
    cpuSeconds: () => cpuSeconds(child.pid),
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
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /http:\/\/\S+/.exec(output)?.[0];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code} before it listened`)));
  });
}

function readResident(pid: number | undefined): number | null {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}
