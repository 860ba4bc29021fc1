import { existsSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import type { Command } from 'commander';
import { confirm } from '../ask.ts';
import type { Context, OpenContext } from '../context.ts';
import { type Drop, readLive, readSourceOf } from '../drop.ts';
import { CliError, exitCodes, presentError, usageError } from '../errors.ts';
import { recall } from '../project-file.ts';
import { hash, readPage } from '../publish/page.ts';
import { describeOutcome, publish } from '../publish/publish.ts';
import { pathOfPage } from '../publish/source.ts';
import { asBefore, type FileStatus, readAgain, readStatus } from '../publish/status.ts';
import { refuseLinkOut } from '../published-folders.ts';
import { formatTable } from '../table.ts';
import { readTarget, targetHelp } from '../target.ts';
import { ensureSignedIn } from './sign-in.ts';

/** The commands that compare files with what was published from them. */
export function addProjectCommands(program: Command, open: OpenContext, name: string): void {
  program
    .command('status')
    .summary('compare the files of a folder with their pages')
    .description(
      'Compares each file of a folder, and of those below it (5000 at most, without node_modules, .git and links), that was ' +
        'published (.dropleaf.json knows them) with its page: unchanged; changed here; ' +
        'newer there, because somebody else published since; gone, because it was deleted; expired; or unreadable here.',
    )
    .argument('[folder]', 'a folder', '.')
    .addHelpText('after', `\nExample:\n  ${name} status && ${name} publish --all`)
    .action((folder: string) => showStatus(open(), folder));

  program
    .command('verify')
    .summary('check that a page is what a file makes')
    .description(
      'Compares a file, with the local files in it, byte for byte with the source of its page. Exit code 6: they differ.',
    )
    .argument('<file>', 'the file that was published')
    .argument('[page]', `${targetHelp}; slug@2 is version 2 (default: the page that the file became)`)
    .addHelpText('after', `\nExamples:\n  ${name} verify report.html\n  ${name} verify report.html k3v9x2@2`)
    .action((file: string, page: string | undefined) => verify(open(), file, page));
}

async function showStatus(context: Context, folder: string): Promise<void> {
  const { output } = context;
  requireFolder(folder);
  const found = await readStatus(context, folder);
  if (found.length === 0) output.note(`No file of ${folder} was published to ${context.url} from here.`);
  output.result(found, found.length === 0 ? null : statusTable(context, found));
}

/** @throws CliError with exit code 2 */
function requireFolder(folder: string): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  throw usageError(`there is no folder ${folder}`);
}

function statusTable({ output }: Context, found: readonly FileStatus[]): string {
  const rows = found.map(({ file, status, version, url, problem, changed_here }) => [
    relative('.', file),
    status,
    String(version),
    url,
    problem ?? (changed_here ? 'changed here, too' : ''),
  ]);
  return formatTable(['FILE', 'STATUS', 'VERSION', 'ADDRESS', ''], rows, output.columns);
}

interface PublishAllFlags {
  readonly yes?: true;
  readonly allowMissing?: true;
  readonly allowSecrets?: true;
}

/** Publishes what has changed here, in the way it was published the last time. @throws CliError if any file was not published */
export async function publishAll(context: Context, folder: string, flags: PublishAllFlags): Promise<void> {
  const { output } = context;
  requireFolder(folder);
  await ensureSignedIn(context);
  const found = await readStatus(context, folder);
  const listed = found.filter(({ status }) => status !== 'unchanged');
  if (listed.length > 0) output.note(statusTable(context, listed));
  // Of those that cannot be published now, the error says why.
  const changed = listed.filter(
    ({ status, changed_here }) => status === 'changed' || status === 'unreadable' || changed_here,
  );
  if (changed.length === 0) output.note('Nothing has changed here.');
  else if (!flags.yes) await askToPublish(context, changed.length);
  const published: { readonly file: string; readonly drop: Drop }[] = [];
  const failures: { readonly file: string; readonly error: CliError }[] = [];
  for (const { file } of changed) {
    const drop = await publishOne(context, folder, file, flags).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      output.error(`${file}: ${error.text}`);
      failures.push({ file, error });
      return null;
    });
    if (drop !== null) published.push({ file, drop });
  }
  const rows = published.map(({ file, drop }) => ({ file, ...drop }));
  const addresses = published.length === 0 ? null : published.map(({ drop }) => drop.url).join('\n');
  const [first] = failures;
  // With --json the error is the one line, and has both lists.
  if (first === undefined || !output.isJson) output.result(rows, addresses);
  if (first === undefined) return;
  const failed = failures.map(({ file, error }) => ({ file, ...presentError(error) }));
  const { exitCode, code } = first.error;
  const message = `${failures.length} of ${changed.length} files were not published`;
  throw new CliError(message, { exitCode, code, facts: { published: rows, failed } });
}

async function askToPublish(context: Context, count: number): Promise<void> {
  if (!context.canAsk) throw usageError('there is no terminal to ask whether to publish them: add --yes');
  const what = count === 1 ? 'the file that has changed' : `the ${count} files that have changed`;
  if (!(await confirm(context.io, `Publish ${what}?`))) throw new CliError('nothing was published');
}

async function publishOne(
  context: Context,
  folder: string,
  file: string,
  flags: PublishAllFlags,
): Promise<Drop> {
  refuseLinkOut(folder, file);
  const known = recall(pathOfPage(file), context.url);
  const { allowMissing, allowSecrets } = flags;
  const page = await readPage(context, { ...asBefore(file, known), allowMissing, allowSecrets });
  for (const warning of page.warnings) context.output.warn(`${file}: ${warning}`);
  const outcome = await publish(context, page, {});
  context.output.act(outcome.drop.url);
  context.output.note(describeOutcome(outcome));
  return outcome.drop;
}

async function verify(context: Context, file: string, page = file): Promise<void> {
  const { api, output, url } = context;
  const target = readTarget(page, context);
  const { slug } = target;
  const here = (await readAgain(context, file, recall(pathOfPage(file), url))).sha256;
  const version = target.version ?? (await readLive(api, slug)).drop.latest_version;
  const there = hash(await readSourceOf(api, slug, version));
  const address = `${url}/p/${slug}${target.version === null ? '' : `?v=${version}`}`;
  if (here !== there)
    throw new CliError(`${file} is not what ${address} was published from`, {
      exitCode: exitCodes.conflict,
      details: { sha256_here: here, sha256_there: there },
      facts: { file, slug, version },
    });
  output.note(`${address} is what ${file} makes, byte for byte.`);
  output.result({ file, slug, version, sha256: here }, here);
}
