import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, nginxConfig, runNginx } from '../test/support/nginx.ts';
import { findProgram } from '../test/support/programs.ts';
import type { BareAnswer } from './bare-http.ts';
import { cpuSeconds, type ServerProcess, startBareHttp } from './processes.ts';

/** An answer of ours, for others to give. */
export interface Sample {
  readonly slug: string;
  readonly form: 'br' | 'identity';
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
}

type Rival = Pick<ServerProcess, 'cpuSeconds' | 'stop'> & { urlOf(sample: Sample): string };

/** Its file, and its path. */
function pathOf({ slug, form }: Sample): string {
  return `${form}/${slug}`;
}

const sent = ['content-type', 'content-length', 'content-encoding', 'etag'];

/** node:http alone, from memory. */
export async function startBare(dir: string, samples: readonly Sample[]): Promise<Rival> {
  const file = join(dir, 'answers.json');
  const answers: Record<string, BareAnswer> = {};
  for (const sample of samples) {
    const { headers, bytes } = sample;
    const few = sent.flatMap((header) => (headers[header] === undefined ? [] : [[header, headers[header]]]));
    answers[`/${pathOf(sample)}`] = { headers: Object.fromEntries(few), base64: bytes.toString('base64') };
  }
  writeFileSync(file, JSON.stringify(answers));
  const server = await startBareHttp(file);
  return { ...server, urlOf: (sample) => `${server.url}/${pathOf(sample)}` };
}

/** nginx with one worker and the bytes as files; null: there is none (PATH, /usr/sbin). */
export async function startNginx(dir: string, samples: readonly Sample[]): Promise<Rival | null> {
  const program = findProgram('nginx');
  if (program === null) return null;
  for (const folder of ['br', 'identity']) mkdirSync(join(dir, folder));
  for (const sample of samples) writeFileSync(join(dir, pathOf(sample)), sample.bytes);
  const port = await findFreePort();
  const nginx = await runNginx(program, configFor(port, dir), dir);
  return {
    urlOf: (sample) => `http://127.0.0.1:${port}/${pathOf(sample)}`,
    cpuSeconds: () => cpuSeconds(nginx.pid),
    async stop() {
      nginx.kill('SIGKILL');
      await nginx.ended();
    },
  };
}

/** Set up for static files as well as it can be: sent by the kernel, their descriptors kept open, no log. */
function configFor(port: number, dir: string): string {
  return nginxConfig(`
  default_type text/html;
  charset utf-8;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=100 inactive=1h;
  server {
    listen 127.0.0.1:${port} backlog=1024;
    root ${dir};
    location /br/ { add_header Content-Encoding br; }
    location /identity/ { }
  }`);
}
