import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../shared/config/config.ts';
import { messageOf } from '../shared/util/error-texts.ts';

/** Listening on a port below it needs a right. */
const firstFreePort = 1024;

interface Address {
  readonly host: string;
  readonly port: number;
  /** Of the settings that say so. */
  readonly prefix: '' | 'METRICS_';
}

/** Says which setting is wrong if the port or the address cannot be used; any other error as it is. */
export function explainListenError(error: unknown, { host, port, prefix }: Address): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error;
  const explain = (sentence: string) => new Error(sentence, { cause: error });
  switch (`${error.code} ${error.syscall}`) {
    case 'EADDRINUSE listen':
      return explain(
        `port ${port} on ${host} is in use: stop the other program, or set ${prefix}PORT (0: any free port)`,
      );
    case 'EACCES listen':
      return explain(`this user may not listen on port ${port}: set ${prefix}PORT to 1024 or higher`);
    case 'EADDRNOTAVAIL listen':
    case 'ENOTFOUND getaddrinfo':
    case 'EAI_AGAIN getaddrinfo':
      return explain(`${prefix}HOST is "${host}", which is not an address of this machine`);
    default:
      return error;
  }
}

/** What a start on this machine would say of the addresses to listen on: sentences. A port that is in use is not reported. */
export async function findListenFaults(config: Config): Promise<string[]> {
  const { HOST, PORT, METRICS_HOST, METRICS_PORT } = config;
  const addresses: Address[] = [{ host: HOST, port: PORT, prefix: '' }];
  if (METRICS_PORT !== '') {
    addresses.push({ host: METRICS_HOST, port: Number(METRICS_PORT), prefix: 'METRICS_' });
  }
  const faults: string[] = [];
  for (const address of addresses) {
    const fault = await findListenFault(address);
    if (fault !== null) faults.push(fault);
  }
  return faults;
}

/** Takes a port of the system's choice, unless the port itself needs a right. */
async function findListenFault(address: Address): Promise<string | null> {
  const server = createServer();
  try {
    await once(server.listen(address.port < firstFreePort ? address.port : 0, address.host), 'listening');
    return null;
  } catch (error) {
    const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    return isInUse ? null : messageOf(explainListenError(error, address));
  } finally {
    server.close();
  }
}
