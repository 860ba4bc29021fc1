import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, engineName, isScaleOut } from '../shared/config/config.ts';
import type { Services } from '../shared/engines/open-services.ts';
import { storeForm } from '../shared/engines/open-stores.ts';
import { callbackUrls } from '../shared/sign-ins/callbacks.ts';
import { readRelease } from '../shared/version.ts';
import { given, serverHosts, variableOf } from './environment.ts';
import { serverSettings } from './operator.ts';
import type { ProcessIo } from './process-io.ts';

const launcher = fileURLToPath(new URL('../../bin/dropleaf.js', import.meta.url));

/** Next steps for a new user. The sign-in key is in it only on a terminal: other output may be stored, as in a journal. */
export function welcome(
  services: Pick<Services, 'config' | 'signInKey' | 'oidc' | 'github'>,
  { env, cwd, stdout }: Pick<ProcessIo, 'env' | 'cwd' | 'stdout'>,
): string {
  const { config, signInKey } = services;
  const base = config.BASE_URL;
  const folder = cwd();
  const isOnServers = isScaleOut(config);
  const place = describePlace(config, folder);
  const engine = `${engineName(config)} engine${isOnServers ? '' : ' (SQLite)'}`;
  const variables = serverSettings.flatMap((name) => variableOf(env, name) ?? []).join(', ');
  const shell = isOnServers ? ` with the same values of ${variables}` : '';
  const prefix = !isOnServers && given(env, 'DATA_DIR') ? `DATA_DIR=${quote(place)} ` : '';
  const command = prefix + quote(relativeTo(folder, launcher));
  const warning = hasLocalLinks(config)
    ? '\nLinks to pages contain localhost. Set BASE_URL to the address that other machines use.\n'
    : '';
  const providers = callbackUrls(config).map(({ way, url }) => ({ name: services[way]?.name, url }));
  const key = stdout.isTTY
    ? `this sign-in key:\n\n  ${signInKey}`
    : `the sign-in key, which this command prints:\n\n  ${command} sign-in-key`;
  const ways = [
    ...providers.map(({ name }) => `by signing in with ${name}`),
    ...(signInKey === null ? [] : [`with any name and ${key}`]),
  ];
  return `
Dropleaf runs at ${base} on the ${engine} and stores its data in ${place}.
Press Ctrl+C to stop it.
${warning}${describeStorage(config)}
To publish a page, run these commands in a second terminal${shell}:

  cd ${quote(folder)}
  TOKEN=$(${command} token --user me)
  curl -sS --fail-with-body ${quote(`${base}/api/drops`)} -H "Authorization: Bearer $TOKEN" \\
    -H 'Content-Type: text/html' -d '<!doctype html><title>Hello</title><h1>Hello, world</h1>'

To publish files from any folder, use the client:

  curl -fsSO ${quote(`${base}/cli.mjs`)}
  node cli.mjs login
  node cli.mjs publish page.html

login shows a code, as agents and other programs do (${base}/api/onboard is for them).
Approve it at ${base}/sign-in ${ways.join(', or ')}${signInKey === null ? '.' : ''}
${providers.map(({ name, url }) => `\nRegister this callback address at ${name}: ${url}\n`).join('')}
`;
}

/** Whether the service accepts connections from other machines while its links contain localhost. */
function hasLocalLinks({ HOST, BASE_URL }: Config): boolean {
  return ['0.0.0.0', '::'].includes(HOST) && new URL(BASE_URL).hostname === 'localhost';
}

/** Browsers resolve every name below localhost to this machine. '' if pages have origins, or cannot have these. */
function describeStorage({ BASE_URL, CONTENT_ORIGIN }: Config): string {
  const { protocol, hostname, port } = new URL(BASE_URL);
  const isLocal = protocol === 'http:' && ['127.0.0.1', '[::1]'].includes(hostname);
  if (CONTENT_ORIGIN !== '' || !isLocal) return '';
  const origin = `http://*.localhost${port && `:${port}`}`;
  return `\nWhat a page stores in the browser ends when it is loaded again. To keep it, start with CONTENT_ORIGIN='${origin}'.\n`;
}

function relativeTo(folder: string, path: string): string {
  const short = relative(folder, path);
  return short.startsWith('..') ? path : short;
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export type ProcessName = 'start' | 'web' | 'worker';

const messages: Readonly<Record<ProcessName, string>> = {
  start: 'service is ready',
  web: 'web process is ready',
  worker: 'worker is ready',
};

/** The line that each process logs once it works: the same fields for all three, null for what a worker does not have. */
export function describeStart(
  name: ProcessName,
  config: Config,
  { cwd }: Pick<ProcessIo, 'cwd'>,
): { fields: object; message: string } {
  const listens = name !== 'worker';
  return {
    message: messages[name],
    fields: {
      process: name,
      version: readRelease(),
      engine: engineName(config),
      form: storeForm(engineName(config)),
      address: listens ? config.HOST : null,
      port: listens ? config.PORT : null,
      baseUrl: listens ? config.BASE_URL : null,
      callbacks: listens ? callbackUrls(config).map(({ url }) => url) : null,
      data: describePlace(config, cwd()),
    },
  };
}

/** Where the data is: a folder, or servers without credentials. */
function describePlace(config: Config, folder: string): string {
  if (!isScaleOut(config)) return resolve(folder, config.DATA_DIR);
  const { mongodb, redis } = serverHosts(config);
  return `MongoDB (${mongodb}) and Redis (${redis})`;
}
