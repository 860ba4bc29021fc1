import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Watched, watch } from '../bin/command.ts';
import { requireProgram } from './programs.ts';
import { makeTempDir } from './temp-dir.ts';

/** The web process that answered, as nginx knows it: `127.0.0.1:40001`. */
export const answeredBy = 'x-answered-by';

/** The path of nginx; without one the suite of that hook is skipped, or fails under CI. */
export function requireNginx(hook: Mocha.Context): string {
  return requireProgram(hook, 'nginx');
}

/** A port that nobody listens on, below those of outgoing connections: it stays free. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** nginx at that port, with these web processes in turn (`answeredBy`). @throws Error with the output of nginx */
export async function startNginx(program: string, port: number, webs: readonly string[]): Promise<Watched> {
  return runNginx(program, configFor(port, webs));
}

/** @param text its whole configuration @param dir of its relative paths */
export async function runNginx(program: string, text: string, dir = makeTempDir()): Promise<Watched> {
  const config = join(dir, 'nginx.conf');
  writeFileSync(config, text);
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const nginx = watch(spawn(program, ['-p', dir, '-e', 'stderr', '-c', config], { stdio: [...stdio] }));
  process.once('exit', () => nginx.kill('SIGKILL')); // also where a hook failed that would have ended it
  await nginx.firstMatch(/(using the "\w+" event method)/); // it listens by then
  return nginx;
}

/** The whole of a configuration, around what stands in `http`. One process, so that none is left when it is killed. */
export function nginxConfig(http: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${name};`,
  );
  return `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr notice;
events { worker_connections 4096; }
http {
  access_log off;
  ${paths.join('\n  ')}
${http}
}
`;
}

function configFor(port: number, webs: readonly string[]): string {
  return nginxConfig(`
  upstream webs {
    ${webs.map((web) => `server ${new URL(web).host};`).join('\n    ')}
    keepalive 128;
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    client_max_body_size 16m;
    location / {
      proxy_pass http://webs;
      proxy_http_version 1.1;
      proxy_read_timeout 120s;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      add_header ${answeredBy} $upstream_addr always;
    }
  }`);
}
