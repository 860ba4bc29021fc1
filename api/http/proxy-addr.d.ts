/** Express's own reader of X-Forwarded-For, which comes without types. */
declare module 'proxy-addr' {
  import type { IncomingMessage } from 'node:http';

  function proxyAddr(req: IncomingMessage, trust: proxyAddr.Trust): string | undefined;
  namespace proxyAddr {
    /** @param index 0 for the connection's address, 1 for the last one in X-Forwarded-For, … */
    type Trust = (address: string, index: number) => boolean;
    function compile(addresses: readonly string[]): Trust;
  }
  export = proxyAddr;
}
