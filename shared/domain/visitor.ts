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
 * What somebody tries counts for where it comes from, twice.
 * @param kind what is tried: a name of its own
 * @param limit for an address
 */
export function triesFrom(kind: string, { address, network }: Visitor, limit: number) {
  return [
    { key: `${kind}:${address}`, limit },
    { key: `${kind}-from:${network}`, limit: limit * addressesOfNetwork },
  ];
}
