import { createHash } from 'node:crypto';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Keeper, Keepers } from './keepers.ts';
import { script } from './scripts.ts';

/** What `build.sh` can build; it tells what they are. */
export type Part = 'root' | 'ferretdb' | 'toxiproxy' | 'varnish';

/** The user's folder of what was built for the tests: built once, used by every later run and checkout. */
export interface Cache {
  readonly dir: string;
  has(part: Part): boolean;
  /**
   * Builds a part that is not there yet; waits where another run is building it.
   * @returns what went wrong, or null
   */
  build(part: Part): Promise<string | null>;
}

/** Nothing that runs in there outlives its first process, and nothing that is mounted in there is seen outside. */
export const contained = ['unshare', '--mount', '--ipc', '--pid', '--fork', '--kill-child', '--'] as const;

export function createCache(keepers: Keepers): Cache {
  const dir = join(cacheHome(), 'dropleaf', 'test-servers', recipe());

  async function buildPart(part: Part): Promise<string | null> {
    const work = ['sh', script('held.sh'), 'nice', 'sh', script('build.sh'), dir, part] as const;
    const builder = keepers.start(part === 'root' ? [...contained, ...work] : work);
    yieldToTests(builder);
    if ((await builder.ended) === 0) return null;
    const log = join(dir, `${part}.log`);
    const told = existsSync(log) ? lastLines(readFileSync(log, 'utf8')) : '';
    return [`building ${part} failed (${log})`, builder.lastWords(), told].filter(Boolean).join('\n');
  }

  const has = (part: Part) => existsSync(join(dir, `${part}.done`));
  return {
    dir,
    has,
    async build(part) {
      const fault = has(part) ? null : await buildPart(part);
      if (fault === null) utimesSync(dir, new Date(), new Date()); // a later build removes what is long unused
      return fault;
    },
  };
}

/** Tests go on meanwhile, and some measure time. Where the system shares by session, `nice` alone does not yield. */
function yieldToTests({ pid }: Keeper): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, '5');
  } catch {
    // it does not share by session
  }
}

function cacheHome(): string {
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

/** Another recipe, or another kind of machine that shares the home, has a folder of its own. */
function recipe(): string {
  const text = `${process.arch} ${readFileSync(script('build.sh'), 'utf8')}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-8).join('\n');
}
