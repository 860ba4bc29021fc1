import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { confirm, readNewPasscode } from '../ask.ts';
import type { Context, OpenContext } from '../context.ts';
import { type Drop, readLive, readSourceOf, requestDrop } from '../drop.ts';
import { CliError, usageError } from '../errors.ts';
import { readNumber } from '../option-values.ts';
import { recall, remember } from '../project-file.ts';
import { hash } from '../publish/page.ts';
import { describeReaders } from '../sharing.ts';
import { readTarget, type Target, targetHelp } from '../target.ts';

/** The commands that change a page which is published. */
export function addChangingCommands(program: Command, open: OpenContext, name: string): void {
  program
    .command('restore')
    .summary('make an old version live again')
    .description('Publishes an old version of a page again, as its newest version. No version is lost.')
    .argument('<page>', targetHelp)
    .argument('<version>', 'number of the version, as "versions" lists it', readNumber)
    .addHelpText('after', `\nExample:\n  ${name} restore k3v9x2 1`)
    .action((page: string, version: number) => restore(open(), page, version));

  program
    .command('lock')
    .summary('ask viewers for a passcode')
    .description(
      'Sets the passcode of a page, or another one: viewers who entered the old one must enter the new one.',
    )
    .argument('<page>', targetHelp)
    .option('--passcode-file <file>', 'read the passcode from a file, or - for stdin (default: asks for it)')
    .addHelpText('after', `\nExample:\n  ${name} lock k3v9x2`)
    .action((page: string, options: { passcodeFile?: string }) => lock(open(), page, options));

  program
    .command('unlock')
    .summary('remove the passcode of a page')
    .description(
      'Removes the passcode of a page: from then on everybody who has the address can see it, unless it is shared.',
    )
    .argument('<page>', targetHelp)
    .addHelpText('after', `\nExample:\n  ${name} unlock report.html`)
    .action((page: string) => unlock(open(), page));

  program
    .command('delete')
    .summary('delete a page, or one version of it')
    .description(
      'Deletes a page with all its versions, or with slug@2 its version 2. It asks before, on a terminal.',
    )
    .argument('<page>', `${targetHelp}; slug@2 is version 2`)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', `\nExamples:\n  ${name} delete k3v9x2\n  ${name} delete k3v9x2@2 --yes`)
    .action((page: string, options: { yes?: true }) => remove(open(), page, options));
}

async function restore(context: Context, page: string, version: number): Promise<void> {
  const target = readTarget(page, context);
  const { drop, etag } = await requestDrop(context.api, 'POST', `/${target.slug}/v/${version}/restore`, {
    headers: { 'Idempotency-Key': randomUUID() },
  });
  print(context, drop, `Version ${version} is live again, as version ${drop.latest_version}.`);
  const { file } = target;
  const known = file === null ? null : recall(file, context.url);
  if (file === null || known === null) return;
  // The user knows that the file's version is no longer live, so publishing the file again is no conflict.
  await note(context, async () => {
    const bytes = await readSourceOf(context.api, drop.slug, drop.latest_version);
    await remember(file, context.url, {
      ...known,
      version: drop.latest_version,
      etag,
      sha256: hash(bytes),
      context_sha256: undefined,
    });
  });
}

/** The change is done, so failing to remember it is no failure: a script would do it again. */
export async function note({ output }: Context, save: () => Promise<unknown>): Promise<void> {
  try {
    await save();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    output.warn(error.message);
  }
}

async function lock(
  context: Context,
  page: string,
  { passcodeFile }: { passcodeFile?: string },
): Promise<void> {
  const { slug } = readTarget(page, context);
  await readLive(context.api, slug); // nobody should type a passcode in vain
  const drop = await setPasscode(context, slug, await readNewPasscode(context.io, passcodeFile));
  print(context, drop, 'Locked: viewers need the passcode.');
}

async function unlock(context: Context, page: string): Promise<void> {
  const drop = await setPasscode(context, readTarget(page, context).slug, '');
  const readers = describeReaders(drop) || 'Everybody who has the address can see the page.';
  print(context, drop, `Unlocked: no passcode is needed. ${readers}`);
}

async function setPasscode({ api }: Context, slug: string, passcode: string): Promise<Drop> {
  return (await requestDrop(api, 'POST', `/${slug}/passcode`, { json: { passcode } })).drop;
}

async function remove(context: Context, page: string, { yes }: { yes?: true }): Promise<void> {
  const { api, output, url } = context;
  const target = readTarget(page, context);
  const { drop } = await readLive(api, target.slug);
  if (!yes) await askToDelete(context, drop, target);
  const { slug, version } = target;
  await api.request('DELETE', `/api/drops/${slug}${version === null ? '' : `/v/${version}`}`);
  output.note(version === null ? `Deleted ${drop.url}.` : `Deleted version ${version} of ${drop.url}.`);
  output.result({ deleted: true, slug, version }, null);
  const { file } = target;
  if (file !== null && version === null) await note(context, () => remember(file, url, null));
}

async function askToDelete(context: Context, drop: Drop, { version }: Target): Promise<void> {
  if (!context.canAsk) throw usageError('there is no terminal to ask whether to delete it: add --yes');
  const what = version === null ? 'with all its versions' : `(version ${version} alone)`;
  const title = JSON.stringify(drop.title);
  if (await confirm(context.io, `Delete ${title} at ${drop.url} ${what}? This cannot be undone.`)) return;
  throw new CliError('nothing was deleted');
}

function print({ output }: Context, drop: Drop, text: string): void {
  output.act(drop.url);
  output.note(text);
  output.result(drop, drop.url);
}
