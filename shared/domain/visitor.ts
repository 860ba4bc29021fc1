/** The client address of an anonymous request, as limits count it. */
export interface Visitor {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly address: string;
  /** The same IPv4 address, or the /48: what one customer of a provider may have. */
  readonly network: string;
}

/** The limit of a network is this many times the limit of an address. */
export const networkLimitFactor = 10;

/**
 * The quotas of a visitor's network and address. The network comes first: once it is used up, none of its other
 * addresses is counted. An IPv4 address is its own network and has one quota.
 * @param kind names what is counted
 * @param limit for an address
 */
export function quotasOf(kind: string, { address, network }: Visitor, limit: number) {
  const ofAddress = { key: `${kind}:${address}`, limit };
  if (network === address) return [ofAddress];
  return [{ key: `${kind}-from:${network}`, limit: limit * networkLimitFactor }, ofAddress];
}
