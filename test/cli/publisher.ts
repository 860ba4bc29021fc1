import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../bin/command.ts';
import { useOwner, useService } from '../support/service.ts';
import type { WireDrop } from '../support/wire.ts';
import { type RunOptions, useClient } from './client.ts';

/** A service, a new owner for each test, and the client with the owner's token. @param settings of the service */
export function useOwnersClient(settings: Readonly<Record<string, string>> = {}) {
  const service = useService(settings);
  const client = useClient();
  const owner = useOwner(service);

  const env = () => ({ DROPLEAF_URL: service.url, DROPLEAF_TOKEN: owner.token });
  const path = (name: string) => join(client.dir, name);

  return {
    service,
    client,
    get owner() {
      return owner;
    },
    env,
    path,
    run: (args: readonly string[], options: RunOptions = {}): Promise<Outcome> =>
      client.run(args, { env: env(), ...options }),
  };
}

/** For tests of `dropleaf publish`. */
export function usePublisher(settings: Readonly<Record<string, string>> = {}) {
  const base = useOwnersClient(settings);
  const { service, client, env, path } = base;
  const run = (args: readonly string[], options?: RunOptions) => base.run(['publish', ...args], options);

  return {
    service,
    client,
    get owner() {
      return base.owner;
    },
    env,
    path,
    write: (name: string, content: string | Uint8Array) => writeFileSync(path(name), content),
    run,

    /** As `ClientHome.fails`. */
    fails: (code: number, args: readonly string[], says: readonly string[], input = '') =>
      client.fails(code, ['publish', ...args], says, { env: env(), input }),

    /** What `publish --json` prints. */
    async publish(args: readonly string[], options?: RunOptions): Promise<WireDrop> {
      const { stdout, stderr, code } = await run([...args, '--json'], options);
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(stdout);
    },

    async drops(): Promise<WireDrop[]> {
      return (await base.owner.get<{ data: WireDrop[] }>('/api/drops')).body.data;
    },

    async source(slug: string): Promise<string> {
      return (await base.owner.get(`/api/drops/${slug}/html`)).text;
    },

    /** What `.dropleaf.json` has of a file. */
    remembered: (name: string) =>
      JSON.parse(readFileSync(path('.dropleaf.json'), 'utf8')).files[name][service.url],
  };
}
