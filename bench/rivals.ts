import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, nginxConfig, runNginx } from '../test/support/nginx.ts';
import { findProgram } from '../test/support/programs.ts';
import type { BareAnswers } from './bare-server.ts';
import { cpuSeconds, type ServerProcess, startBareServer } from './processes.ts';

/** A raw page as the service sent it, for the rivals to send. */
export interface Sample {
  readonly encoding: 'br' | 'identity';
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
}

export interface Runner extends Pick<ServerProcess, 'cpuSeconds' | 'stop'> {
  readonly name: string;
  urlOf(sample: Pick<Sample, 'encoding'>): string;
}

const fourHeaders = ['content-type', 'content-length', 'content-encoding', 'etag'];
/** node:http adds them itself. */
const addedByNode = ['date', 'connection', 'keep-alive'];

/** node:http alone, with the bytes in memory: with all headers of the sample, and with the four that any page needs. */
export async function startBareHttp(dir: string, samples: readonly Sample[]): Promise<Runner[]> {
  const answers: Record<string, BareAnswers[string]> = {};
  for (const { encoding, headers, bytes } of samples) {
    const pick = (isSent: (name: string) => boolean) =>
      Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) => (value && isSent(name) ? [[name, value]] : [])),
      );
    const answer = { status: 200, base64: bytes.toString('base64') };
    const all = pick((name) => !addedByNode.includes(name));
    answers[`GET /all/${encoding}`] = { ...answer, headers: all };
    answers[`GET /four/${encoding}`] = { ...answer, headers: pick((name) => fourHeaders.includes(name)) };
  }
  const { url, cpuSeconds, stop } = await startBareServer('http', dir, answers);
  return [
    { name: 'bare, same headers', urlOf: ({ encoding }) => `${url}/all/${encoding}`, cpuSeconds, stop },
    {
      name: 'bare, 4 headers',
      urlOf: ({ encoding }) => `${url}/four/${encoding}`,
      cpuSeconds,
      stop: async () => undefined,
    },
  ];
}

/** nginx with one worker that serves the bytes as files; null if it is not installed. */
export async function startNginx(dir: string, samples: readonly Sample[]): Promise<Runner | null> {
  const program = findProgram('nginx');
  if (program === null) return null;
  for (const { encoding, bytes } of samples) {
    mkdirSync(join(dir, encoding));
    writeFileSync(join(dir, encoding, 'page'), bytes);
  }
  const port = await findFreePort();
  const nginx = await runNginx(program, configFor(port, dir), dir);
  return {
    name: 'nginx',
    urlOf: ({ encoding }) => `http://127.0.0.1:${port}/${encoding}/page`,
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
