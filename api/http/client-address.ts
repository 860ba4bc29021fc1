import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import type { Visitor } from '../../shared/limits/visitor.ts';

/** Which proxies are trusted: TRUST_PROXY as a number of hops, or as addresses and ranges. '' trusts none. */
export function readTrustProxy(setting: string): proxyAddr.Trust {
  const hops = Number(setting);
  if (Number.isInteger(hops)) return (_address, index) => index < hops;
  return proxyAddr.compile(setting.split(',').map((part) => part.trim()));
}

/** @returns what reads the client's address as `req.ip` of Express: undefined once the connection is closed */
export function createIpReader(setting: string): (req: IncomingMessage) => string | undefined {
  const trust = readTrustProxy(setting);
  return (req) => proxyAddr(req, trust);
}

/** The network that one customer may have: an IPv4 address, or a /48 with its 65,536 networks of /64. */
export function networkKey(ip: string | undefined): string {
  return prefixOf(ip, 3);
}

/** `address`: the key under which limits count a client, its IPv4 address or the /64 that an IPv6 client has for itself. */
export function visitorOf(ip: string | undefined): Visitor {
  return { address: prefixOf(ip, 4), network: networkKey(ip) };
}

/** @param groups how many of the eight groups of an IPv6 address */
function prefixOf(ip = '', groups: number): string {
  // Some proxies add the client's port, which the client chooses.
  const text = /^\[([^\]]*)\](:\d+)?$/.exec(ip)?.[1] ?? ip.replace(/^([\d.]+):\d+$/, '$1');
  // All texts that are not addresses share one key: a client could send a different text with each request.
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text); // an IPv4 address inside IPv6 becomes IPv4
  if (address instanceof ipaddr.IPv4) return address.toString();
  const prefix = address.parts.slice(0, groups).map((group) => group.toString(16));
  return `${prefix.join(':')}::/${groups * 16}`;
}
