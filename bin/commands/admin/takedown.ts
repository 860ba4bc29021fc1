import { DropError } from '../../../shared/domain/errors.ts';
import type { ChangedPage } from '../../../shared/services/moderation.ts';
import type { Env } from '../../env.ts';
import { harmless } from '../../harmless.ts';
import { type OperatorOptions, readOperator, readSlug, withAdmin } from './with-operator.ts';

/**
 * Takes a page down, in all processes at once.
 * @throws UsageError where it can be no page
 * @throws Error where there is none
 */
export async function takedown(
  page: string,
  options: OperatorOptions & { readonly reason: string },
  env: Env,
): Promise<void> {
  const slug = readSlug(page);
  await withAdmin(env, async ({ moderation }) => {
    const { by } = readOperator(options);
    const changed = await moderation.takeDown(slug, { by, reason: options.reason }).catch(tellMissing(slug));
    const was = changed.before.takedown;
    const state =
      was === null
        ? 'is taken down: its viewers get 410.'
        : `was taken down already, since ${timeOf(was.at)}; the reason was: ${was.reason}`;
    tell(changed, state);
  });
}

/** Shows a page again. @throws UsageError where it can be no page @throws Error where there is none */
export async function restore(page: string, options: OperatorOptions, env: Env): Promise<void> {
  const slug = readSlug(page);
  await withAdmin(env, async ({ moderation }) => {
    const changed = await moderation.restore(slug, readOperator(options)).catch(tellMissing(slug));
    tell(changed, changed.before.takedown === null ? 'was not taken down.' : 'is shown again.');
  });
}

function tell({ drop, edge }: ChangedPage, state: string): void {
  process.stdout.write(`${harmless(`${drop.slug} "${drop.title}" ${state}`)}\n`);
  if (edge === 'told') process.stdout.write('The edge has confirmed that it forgot the page.\n');
  if (edge === 'unknown') {
    process.stdout.write(
      'No EDGE_PURGER is set here: where the service has one, its worker tells the edge.\n',
    );
  }
  if (edge === 'not told') {
    process.stderr.write(
      'dropleaf: the edge did not confirm that it forgot the page, and may still show it as it was: the worker ' +
        'tells it until it does. Repeat this command to see whether it answers.\n',
    );
  }
}

function tellMissing(slug: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof DropError) || error.code !== 'not_found') throw error;
    throw new Error(`there is no page "${slug}"; it may have been deleted`);
  };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
