import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import express from 'express';
import type { Visitor } from '../../shared/domain/visitor.ts';

/**
 * Tells a request's address as Express does in `req.ip`, also where the request does not pass through Express.
 * @param trustProxy Express's setting of that name
 * @returns a function whose answer is undefined once the connection is gone
 */
export function createIpReader(trustProxy: TrustProxy): (req: IncomingMessage) => string | undefined {
  const app = express().set('trust proxy', trustProxy);
  return ({ headers, socket }) =>
    // Proof: what Express declares for `ip`; of the request it reads no more than this.
    Reflect.get(app.request, 'ip', { app, headers, socket }) as string | undefined;
}

type TrustProxy = number | string[] | false;

/** TRUST_PROXY for Express: hops as a number, addresses and ranges as they are; nobody by default. */
export function readTrustProxy(setting: string): TrustProxy {
  if (setting === '') return false;
  return /^\d+$/.test(setting) ? Number(setting) : setting.split(',').map((part) => part.trim());
}

/**
 * What limits count a client's address by: an IPv4 address, or the /64 that an IPv6 client has for itself.
 * @param ip as Express knows it (`req.ip`); undefined once the connection is gone
 */
export function addressKey(ip: string | undefined): string {
  return prefixOf(ip, 4);
}

/**
 * The network that one customer may have: an IPv4 address, or a /48 with its 65,536 networks of /64.
 * @param ip as Express knows it
 */
export function networkKey(ip: string | undefined): string {
  return prefixOf(ip, 3);
}

/** Both. @param ip as Express knows it */
export function visitorOf(ip: string | undefined): Visitor {
  return { address: addressKey(ip), network: networkKey(ip) };
}

/** @param groups how many of an IPv6 address's eight groups, from the first on; at most 4 */
function prefixOf(ip: string | undefined, groups: number): string {
  const address = withoutPort(ip ?? '').replace(/%.*$/, ''); // a zone is ours, not the client's
  const mapped = address.replace(/^::ffff:/i, '');
  if (isIPv4(mapped)) return mapped;
  if (isIPv6(address)) return `${firstGroups(address, groups)}::/${groups * 16}`;
  return 'unknown'; // all of them together: else whoever makes names up is somebody else each time
}

/** Some proxies write the client's port too, which it chooses. */
function withoutPort(ip: string): string {
  return /^\[([^\]]*)\](:\d+)?$/.exec(ip)?.[1] ?? ip.replace(/^([\d.]+):\d+$/, '$1');
}

/** Each in its shortest form. */
function firstGroups(address: string, count: number): string {
  const [left = '', right] = address.split('::');
  const head = groupsOf(left);
  if (right !== undefined) {
    const tail = groupsOf(right);
    head.push(...Array(8 - head.length - tail.length).fill('0'), ...tail);
  }
  return head
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** An IPv4 address at the end stands for two groups, which are never among the first four. */
function groupsOf(part: string): string[] {
  return part
    .split(':')
    .filter(Boolean)
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
