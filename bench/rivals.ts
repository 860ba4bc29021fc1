import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, nginxConfig, runNginx } from '../test/support/nginx.ts';
import { findProgram } from '../test/support/programs.ts';
import type { BareAnswers } from './bare-server.ts';
import { cpuSeconds, type ServerProcess, startBareServer } from './processes.ts';

/** A raw page as the service sent it, for the rivals to send. */
export interface Sample {
  readonly slug: string;
  readonly encoding: 'br' | 'identity';
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
}

export interface Runner extends Pick<ServerProcess, 'cpuSeconds' | 'stop'> {
  readonly name: string;
  urlOf(sample: Sample): string;
}

const pathOf = ({ slug, encoding }: Sample) => `${encoding}/${slug}`;
const sentHeaders = ['content-type', 'content-length', 'content-encoding', 'etag'];

/** node:http alone, with the bytes in memory. */
export async function startBareHttp(dir: string, samples: readonly Sample[]): Promise<Runner> {
  const answerOf = ({ headers, bytes }: Sample): BareAnswers[string] => ({
    status: 200,
    headers: Object.fromEntries(
      sentHeaders.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])),
    ),
    base64: bytes.toString('base64'),
  });
  const entries = samples.map((sample) => [`GET /${pathOf(sample)}`, answerOf(sample)] as const);
  const server = await startBareServer('http', dir, Object.fromEntries(entries));
  return { ...server, name: 'bare node:http', urlOf: (sample) => `${server.url}/${pathOf(sample)}` };
}

/** nginx with one worker that serves the bytes as files; null if it is not installed. */
export async function startNginx(dir: string, samples: readonly Sample[]): Promise<Runner | null> {
  const program = findProgram('nginx');
  if (program === null) return null;
  for (const folder of ['br', 'identity']) mkdirSync(join(dir, folder));
  for (const sample of samples) writeFileSync(join(dir, pathOf(sample)), sample.bytes);
  const port = await findFreePort();
  const nginx = await runNginx(program, configFor(port, dir), dir);
  return {
    name: 'nginx',
    urlOf: (sample) => `http://127.0.0.1:${port}/${pathOf(sample)}`,
    cpuSeconds: () => cpuSeconds(nginx.pid),
    async stop() {
      nginx.kill('SIGKILL');
      await nginx.ended();
    },
  };
}

/** The fastest settings for static files: sendfile, open descriptors kept, no log. */
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
