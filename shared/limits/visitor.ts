import type { QuotaName } from './limit-table.ts';

/** The client address of an anonymous request, as limits count it. */
export interface Visitor {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly address: string;
  /** The same IPv4 address, or the /48: what one customer of a provider may have. */
  readonly network: string;
}

/** @param id what is counted apart: an account, an address, a drop */
export function quotaOf(name: QuotaName, id: string, limit: number) {
  return { key: `${name}:${id}`, limit };
}

/** The limit of a network is this many times the limit of an address. */
const networkLimitFactor = 10;

/** The network comes first: once used up, its addresses are not counted. IPv4 has one quota. @param limit for an address */
export function quotasOf(
  name: 'code' | 'passcode' | 'report' | 'comment',
  { address, network }: Visitor,
  limit: number,
) {
  const ofAddress = quotaOf(name, address, limit);
  if (network === address) return [ofAddress];
  return [quotaOf(`${name}-from`, network, limit * networkLimitFactor), ofAddress];
}
