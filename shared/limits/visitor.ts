/** The client address of an anonymous request, as limits count it. */
export interface Visitor {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly address: string;
  /** The same IPv4 address, or the /48: what one customer of a provider may have. */
  readonly network: string;
}
