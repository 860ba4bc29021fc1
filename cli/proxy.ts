import type { RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { unescape as decode } from 'node:querystring';
import { urlToHttpOptions } from 'node:url';
import { usageError } from './errors.ts';
import type { CliIo } from './io.ts';

type Env = CliIo['env'];

/**
 * The proxy of HTTPS_PROXY or HTTP_PROXY, also in lower case, unless NO_PROXY has the host. Never for this machine: a proxy
 * would read tokens sent over http. @returns null: none @throws CliError if the variable is no proxy's address
 */
export async function proxyFor(url: URL, env: Env): Promise<URL | null> {
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text = read(env, variable);
  if (text === '' || isLoopback(url.hostname) || (await isExempt(url, read(env, 'NO_PROXY')))) return null;
  const address = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(address) ? new URL(address) : null;
  if (proxy !== null && /^https?:$/.test(proxy.protocol)) return proxy;
  // Its value may contain a password.
  throw usageError(`${variable} must be the address of an HTTP proxy, as in http://proxy.example:3128`);
}

/** RFC 6761, section 6.3: localhost is always this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function read(env: Env, name: string): string {
  return (env[name.toLowerCase()] || env[name] || '').trim();
}

/** As curl and Go: `example.com` and `.example.com` are the host and all below; ports, `10.0.0.0/8` and `*` are possible. */
async function isExempt({ protocol, hostname, port }: URL, list: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  for (const entry of list.toLowerCase().split(/[\s,]+/)) {
    const [, named = entry, onlyPort = ownPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    const name = named.replace(/^\*?\.|^\[|\]$/g, '');
    const isNamed = name !== '' && (name === '*' || host === name || host.endsWith(`.${name}`));
    if (onlyPort === ownPort && (isNamed || (await isInNetwork(host, name)))) return true;
  }
  return false;
}

async function isInNetwork(host: string, network: string): Promise<boolean> {
  const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(network) ?? [];
  const { BlockList, isIP } = await import('node:net');
  const version = isIP(host);
  if (version === 0 || isIP(address) !== version || Number(bits) > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const networks = new BlockList();
  networks.addSubnet(address, Number(bits), family);
  return networks.check(host, family);
}

/**
 * A tunnel for https (RFC 9110, 9.3.6), so the proxy reads nothing; the whole address for http (RFC 9112, 3.2.2).
 * @throws errors of Node, and one that says with which status the proxy refused
 */
export async function throughProxy(url: URL, proxy: URL, signal: AbortSignal): Promise<RequestOptions> {
  if (url.protocol === 'http:') {
    const { hostname, port, protocol } = urlToHttpOptions(new URL(proxy.origin));
    const headers = { Host: url.host, ...authorization(proxy) };
    return { protocol, hostname, port, path: url.href, headers, agent: false };
  }
  const socket = await openTunnel(url, proxy, signal);
  const [{ connect }, { isIP }] = await Promise.all([import('node:tls'), import('node:net')]);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { createConnection: () => connect({ socket, host, servername: isIP(host) ? '' : host }) };
}

async function openTunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const { request } = proxy.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const path = `${url.hostname}:${url.port || 443}`;
  const headers = { Host: path, ...authorization(proxy) };
  return new Promise((resolve, reject) => {
    request(proxy.origin, { method: 'CONNECT', path, headers, agent: false, signal })
      .on('connect', ({ statusCode }, socket) => {
        if (statusCode === 200) return resolve(socket);
        socket.destroy();
        const hint = statusCode === 407 ? ', so it asks for a user and password' : '';
        reject(new Error(`the proxy answered with status ${statusCode}${hint}`));
      })
      .on('error', reject)
      .end();
  });
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decode(username)}:${decode(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
