import { isIPv4, isIPv6 } from 'node:net';

/**
 * What limits count a client's address by: an IPv4 address, or the /64 that an IPv6 client has for itself.
 * @param ip as Express knows it (`req.ip`); undefined once the connection is gone
 */
export function addressKey(ip: string | undefined): string {
  const address = (ip ?? '').replace(/%.*$/, ''); // a zone is ours, not the client's
  const mapped = address.replace(/^::ffff:/i, '');
  if (isIPv4(mapped)) return mapped;
  if (isIPv6(address)) return `${firstGroups(address)}::/64`;
  return address.slice(0, 64) || 'unknown';
}

/** The first four groups of an IPv6 address, each in its shortest form. */
function firstGroups(address: string): string {
  const [left = '', right] = address.split('::');
  const head = groupsOf(left);
  if (right !== undefined) {
    const tail = groupsOf(right);
    head.push(...Array(8 - head.length - tail.length).fill('0'), ...tail);
  }
  return head
    .slice(0, 4)
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
