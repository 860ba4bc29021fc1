import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Context, OpenContext } from '../context.ts';
import { type Drop, readLive, requestDrop } from '../drop.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import {
  type Guarded,
  hasFields,
  isAbsentOr,
  isListOf,
  isSlug,
  isText,
  isTime,
  isWebAddress,
} from '../guards.ts';
import { recall } from '../project-file.ts';
import { pathOfPage } from '../publish/source.ts';
import { cannotShare, describeReaders } from '../sharing.ts';
import { formatTable, formatTime } from '../table.ts';
import { readTarget, targetHelp } from '../target.ts';
import { publishFile } from './publish.ts';

const peopleHelp = 'ada@example.org, @example.org for everybody of that domain, or group:NAME';

/** The commands that say who may read a page. */
export function addSharingCommands(program: Command, open: OpenContext, name: string): void {
  program
    .command('share')
    .summary('let named people alone read a page')
    .description(
      'Adds people to those who can read a page, after they sign in to the service. From then on nobody else can read it, but you. ' +
        'A file that was not published yet is published for them.',
    )
    .argument('<page>', `${targetHelp}; or a file to publish`)
    .argument('<people...>', peopleHelp)
    .addHelpText(
      'after',
      `\nExamples:\n  ${name} share report.html ada@example.org\n  ${name} share k3v9x2 @example.org group:Sales`,
    )
    .action((page: string, people: string[]) => share(open(), page, people));

  program
    .command('unshare')
    .summary('take people from those who can read a page')
    .description(
      'Removes people from those who can read a page. To open it to everybody who has the address: publish it with --access link.',
    )
    .argument('<page>', targetHelp)
    .argument('[people...]', peopleHelp)
    .option('--all', 'remove all of them: only you can read the page')
    .addHelpText(
      'after',
      `\nExamples:\n  ${name} unshare report.html ada@example.org\n  ${name} unshare k3v9x2 --all`,
    )
    .action((page: string, people: string[], options: { all?: true }) =>
      unshare(open(), page, people, options),
    );

  program
    .command('shared')
    .summary('list the pages that others share with you')
    .description(
      'Lists the pages of others that name you, your domain or a group of yours, the latest change first.',
    )
    .option('--all', 'every page, not only the first 50')
    .addHelpText('after', `\nExample:\n  ${name} shared`)
    .action((options: { all?: true }) => listShared(open(), options));
}

async function share(context: Context, page: string, people: readonly string[]): Promise<void> {
  const isNew = existsSync(page) && recall(pathOfPage(page), context.url) === null;
  if (isNew) return publishFile(context, page, { access: 'named', people });
  const { slug } = readTarget(page, context);
  const drop = await change(context, slug, { access: 'named', people_add: people });
  print(context, drop);
}

async function unshare(
  context: Context,
  page: string,
  people: readonly string[],
  { all = false }: { all?: boolean },
): Promise<void> {
  if (all === people.length > 0)
    throw usageError(`name who can no longer read the page: ${peopleHelp}; or everybody on its list: --all`);
  const { slug } = readTarget(page, context);
  const { drop: before } = await readLive(context.api, slug);
  if (before.access !== 'named') throw notNamed(before);
  const listed = before.people ?? [];
  for (const person of people)
    if (!listed.includes(person) && !listed.includes(person.trim().toLowerCase()))
      context.output.warn(`${person} was not on the list`);
  const json = all ? { access: 'named', people: [] } : { access: 'named', people_remove: people };
  print(context, await change(context, slug, json));
}

function notNamed(drop: Drop): CliError {
  const readers = describeReaders(drop) || 'Everybody who has the address can read it.';
  const message = `${drop.url} is not shared with named people, so nothing was changed. ${readers}`;
  return new CliError(message, { exitCode: exitCodes.refused });
}

/** @throws CliError if the service does not know what it was asked */
async function change({ api, url }: Context, slug: string, json: object): Promise<Drop> {
  const { drop } = await requestDrop(api, 'PATCH', `/${slug}`, { json });
  if (drop.access !== 'named') throw cannotShare(url);
  return drop;
}

function print({ output }: Context, drop: Drop): void {
  output.act(drop.url);
  output.note(describeReaders(drop));
  output.result(drop, drop.url);
}

const isShared = hasFields({
  slug: isSlug,
  title: isAbsentOr(isText),
  url: isWebAddress,
  owner: isText,
  updated_at: isTime,
});

/** GET /api/shared. */
const isSharedPart = hasFields({ data: isListOf(isShared), next: isAbsentOr(isText) });

async function listShared({ api, output }: Context, { all = false }: { all?: boolean }): Promise<void> {
  const found: Guarded<typeof isShared>[] = [];
  let after: string | undefined;
  do {
    const answer = await api.request('GET', '/api/shared', { query: { limit: all ? '100' : '50', after } });
    const { data, next } = answer.json(isSharedPart);
    found.push(...data);
    after = data.length === 0 ? undefined : next;
  } while (all && after !== undefined);
  if (output.isJson) return output.result(found, null);
  if (found.length === 0) return output.note('Nobody shares a page with you by name.');
  const rows = found.map(({ url, owner, updated_at, title }) => [
    url,
    owner,
    formatTime(updated_at),
    title ?? '(has a passcode)',
  ]);
  output.result(found, formatTable(['ADDRESS', 'OWNER', 'CHANGED (UTC)', 'TITLE'], rows, output.columns));
  if (after !== undefined) output.note(`The first ${found.length} pages. For every one: --all`);
}
