import type { AuditEntry } from '../../../shared/domain/moderation.ts';
import type { Env } from '../../env.ts';
import { harmless } from '../../harmless.ts';
import { withAdmin } from './with-operator.ts';

/** Prints what operators did, newest first. */
export async function log(
  { limit, before }: { readonly limit: number; readonly before?: string },
  env: Env,
): Promise<void> {
  await withAdmin(env, async ({ audit }) => {
    const entries = await audit.list(before ?? null, limit);
    process.stdout.write(entries.map(describe).join('\n'));
    const last = entries.at(-1);
    if (last !== undefined && entries.length === limit) {
      process.stderr.write(`There may be more: dropleaf admin log --before ${last.id}\n`);
    }
  });
}

function describe({ id, at, by, act, target, reason, outcome }: AuditEntry): string {
  return [
    `${new Date(at).toISOString()} ${by}: ${act} ${target}`,
    ...(reason === null ? [] : [`  why      ${reason}`]),
    `  outcome  ${outcome ?? 'cut short, or under way: not known'}`,
    `  id       ${id}`,
  ]
    .map((line) => `${harmless(line)}\n`)
    .join('');
}
