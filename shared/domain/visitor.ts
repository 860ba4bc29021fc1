/** Where somebody comes from, as what they try is counted. */
export interface Visitor {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly address: string;
  /** The same IPv4 address, or the /48: what one customer of a network may have. */
  readonly network: string;
}

/** A network may do what is counted by address as often as so many addresses may. */
export const addressesOfNetwork = 10;

/**
 * What a visitor tries is counted for their network, then for their address: an address of a network that has used up
 * its tries gets no count of its own. An IPv4 address, which is its own network, is counted once.
 * @param kind what is tried: a name of its own
 * @param limit for an address
 */
export function triesFrom(kind: string, { address, network }: Visitor, limit: number) {
  const ofAddress = { key: `${kind}:${address}`, limit };
  if (network === address) return [ofAddress];
  return [{ key: `${kind}-from:${network}`, limit: limit * addressesOfNetwork }, ofAddress];
}
