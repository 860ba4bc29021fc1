import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { readNewPasscode } from '../ask.ts';
import type { Context, OpenContext } from '../context.ts';
import { CliError, capCodes, exitCodes, presentError, usageError } from '../errors.ts';
import { isMissingFile, missingFile } from '../faults.ts';
import { openOrWarn } from '../open-in-browser.ts';
import { addTag, readExpiry } from '../option-values.ts';
import { recall } from '../project-file.ts';
import { describeFile, type Page, readPage } from '../publish/page.ts';
import { describeOutcome, type Outcome, publish } from '../publish/publish.ts';
import type { PublishOptions } from '../publish/request.ts';
import { pathOfPage } from '../publish/source.ts';
import { asBefore } from '../publish/status.ts';
import { type Watched, watchFiles } from '../publish/watch.ts';
import { accessOption, accessWith, peopleOption } from '../sharing.ts';
import { formatTime } from '../table.ts';
import { readTarget } from '../target.ts';
import { publishAll } from './project.ts';
import { ensureSignedIn } from './sign-in.ts';

interface PublishFlags {
  readonly title?: string;
  readonly description?: string;
  readonly tag?: Readonly<Record<string, string>>;
  readonly context?: string | false;
  readonly lock?: true;
  readonly passcodeFile?: string;
  readonly expires?: string;
  readonly access?: string;
  readonly people?: readonly string[];
  readonly comments?: string;
  readonly resolves?: string;
  readonly reply?: string;
  readonly new?: true;
  readonly slug?: string;
  readonly force?: true;
  readonly watch?: true;
  readonly open?: true;
  readonly allowSecrets?: true;
  readonly allowMissing?: true;
  readonly html?: boolean;
  readonly text?: true;
  readonly all?: true;
  readonly yes?: true;
}

/** What is said of one file. */
const ofOneFile =
  'title description tag context html text lock passcodeFile access people expires comments resolves reply new slug force watch open'.split(
    ' ',
  );

export function addPublishCommand(program: Command, open: OpenContext, name: string): void {
  program
    .command('publish')
    .summary('publish an HTML file or Markdown, or its next version')
    .description(
      'Publishes an HTML file, or Markdown, and prints its address. Images, style sheets, fonts, scripts, modules and sounds that it names in its folder ' +
        'become part of it. The file .dropleaf.json beside it remembers which page ' +
        'it became, so that publishing it again makes the next version at the same address. That file has no secrets: commit ' +
        'it. If the page was changed elsewhere since, nothing is overwritten.',
    )
    .argument('[file]', 'an HTML file, Markdown, a folder or zip file with an index.html, or - for stdin')
    .option('--title <text>', "title (default: the page's <title>)")
    .option('--description <text>', 'description, shown where the address is shared')
    .option('--tag <key=value>', 'tag that only you see; may be repeated; replaces all earlier tags', addTag)
    .option('--context <file>', 'Markdown that viewers can open beside this version: how the page was made')
    .option('--no-context', 'viewers cannot read the Markdown that a page is made of')
    .option('--html', 'the file is HTML, whatever its name is; in Markdown HTML is markup, from now on')
    .option('--no-html', 'HTML in Markdown is shown as it is written')
    .addOption(new Option('--text', 'the file is shown as it is written').conflicts('html'))
    .option('--lock', 'viewers need a passcode, which is asked for')
    .option('--passcode-file <file>', 'read the passcode from a file, or - for stdin')
    .addOption(accessOption())
    .addOption(peopleOption())
    .option(
      '--expires <time>',
      'delete the page after 30m, 12h, 7d or 2w, or at a date as 2027-01-31; or never',
    )
    .option('--comments <who>', 'who may write comments: owner (only you), members (signed in), or anyone')
    .option('--resolves <id,id>', 'publish a version that resolves these comments')
    .option('--reply <text>', 'with --resolves: answer each of them')
    .addOption(new Option('--new', 'make a new page, at a new address').conflicts(['slug', 'force']))
    .option('--slug <slug>', 'publish the next version of this page')
    .option('--force', 'overwrite what was published elsewhere; publish a page that has not changed')
    .option(
      '--watch',
      'publish again each time the file is saved, until Ctrl+C; with --json one line for each time',
    )
    .option('--open', 'open the page in the browser')
    .addOption(
      new Option(
        '--all',
        'publish each file of a folder, and below it, that was published and has changed; it asks before',
      ).conflicts(ofOneFile),
    )
    .option('-y, --yes', 'with --all: do not ask')
    .option('--allow-missing', 'publish a page also if it names local files that are not there')
    .option('--allow-secrets', 'publish what looks like a password or key')
    .addHelpText(
      'after',
      `
Examples:
  ${name} publish report.html
  ${name} publish report.html --lock --expires 7d --tag project=demo
  ${name} publish report.html --people ada@example.org,@example.net
  ${name} publish notes.md
  ${name} publish --all
  ${name} publish report.html --resolves ID --reply "Corrected"
  make-report | ${name} publish - --title "Weekly report"`,
    )
    .action((file: string | undefined, flags: PublishFlags) => {
      if (flags.all) return publishAll(open(), file ?? '.', flags);
      if (file === undefined)
        throw usageError('name the file to publish; or publish what has changed: --all');
      return publishFile(open(), file, flags);
    });
}

/** @throws CliError */
export async function publishFile(context: Context, file: string, flags: PublishFlags): Promise<void> {
  const inputs = [file, flags.context, flags.passcodeFile].filter((input) => input === '-');
  if (inputs.length > 1)
    throw usageError('only one of the page, the context and the passcode can come from stdin');
  if (flags.watch && !existsSync(file)) throw usageError(`--watch needs a file (got ${file})`);
  requireFile(file);
  const options = await readOptions(context, flags);
  const publisher = createPublisher(context, file, flags);
  if (!flags.watch) {
    const outcome = await publisher.publish(options);
    if (flags.open && outcome !== null) await openOrWarn(context, outcome.drop.url);
    return;
  }
  await watchAndPublish(context, { file, flags, options, publisher });
}

/** Nobody should sign in, or type a passcode, for a file that is not there. @throws CliError */
function requireFile(file: string): void {
  if (file === '-' || existsSync(file)) return;
  throw missingFile(file);
}

async function readOptions(context: Context, flags: PublishFlags): Promise<PublishOptions> {
  const { title, description, tag, expires, slug, lock, passcodeFile, comments, resolves, reply } = flags;
  const access = accessWith(flags.access, flags.people);
  if (reply !== undefined && resolves === undefined) {
    throw usageError('--reply needs --resolves with the ids of the comments');
  }
  // The sign-in first: nobody should type a passcode in vain.
  await ensureSignedIn(context);
  const isLocking = lock || passcodeFile !== undefined;
  return {
    title,
    description,
    tags: tag,
    expiresAt: expires === undefined ? undefined : readExpiry(expires, Date.now()),
    passcode: isLocking ? await readNewPasscode(context.io, passcodeFile) : undefined,
    comments,
    access,
    people: flags.people,
    resolves: resolves?.split(','),
    reply,
    isNew: flags.new,
    slug: slug === undefined ? undefined : readTarget(slug, context).slug,
    isForced: flags.force,
  };
}

interface Publisher {
  /** null: the page is as it was the last time. */
  publish(options: PublishOptions): Promise<Outcome | null>;
  /** The paths of the files that it was made of, or could not be made of, the last time. */
  files(): readonly string[];
}

function createPublisher(context: Context, file: string, flags: PublishFlags): Publisher {
  const { output } = context;
  let last: Page | null = null;
  let files: readonly string[] = [];
  async function publishPage(options: PublishOptions): Promise<Outcome | null> {
    const known = file === '-' ? null : recall(pathOfPage(file), context.url);
    const page = await readPage(context, {
      ...flags,
      ...asBefore(file, known, flags),
      onSources: (paths) => {
        files = paths;
      },
    });
    if (page.sha256 === last?.sha256) return null;
    for (const warning of page.warnings) if (!last?.warnings.includes(warning)) output.warn(warning);
    const outcome = await publish(context, page, options);
    printOutcome(context, page, outcome, last === null);
    last = page;
    return outcome;
  }
  return { publish: publishPage, files: () => files };
}

function printOutcome(context: Context, page: Page, { drop, did }: Outcome, isFirst: boolean): void {
  const { output, name } = context;
  output.act(drop.url);
  if (isFirst) for (const line of describeMaking(page)) output.note(line);
  output.note(describeOutcome({ drop, did }));
  if (page.isItsContext && did === 'created')
    output.note('Viewers can read its Markdown, too; with --no-context they cannot.');
  if (drop.open_comments) {
    const command = `${name} comments ${page.file ?? drop.slug}`;
    output.note(`Open comments: ${drop.open_comments}. To read them: ${command}`);
  }
  const { files, warnings, from, modules } = page;
  const converted = from === null ? {} : { converted_from: from };
  const imported = modules === null ? {} : { modules };
  const facts = { ...converted, ...imported, ...filled({ files, warnings }) };
  output.result({ ...drop, did, ...facts }, isFirst ? drop.url : null);
}

/** What the page was made of. */
function describeMaking({ from, files, modules }: Page): string[] {
  const lines = files.map((file) => `${file.path}: ${describeFile(file)}`);
  if (from !== null) lines.unshift(`Converted from ${from} to UTF-8.`);
  if (modules === null) return lines;
  const { files: number, bytes, address_bytes: written } = modules;
  return [
    ...lines,
    `Modules that import each other: ${number} files of ${bytes} bytes, ${written} bytes as data: addresses.`,
  ];
}

/** Without the lists that are empty. */
function filled(lists: Readonly<Record<string, readonly unknown[]>>): object {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

/** Continues after errors that the next save or time can cure. @returns never, except by throwing */
async function watchAndPublish(
  context: Context,
  {
    file,
    flags,
    options,
    publisher,
  }: { file: string; flags: PublishFlags; options: PublishOptions; publisher: Publisher },
): Promise<void> {
  const { output } = context;
  let next = options;
  const attempt = async (changed: readonly string[]): Promise<Watched> => {
    try {
      if (changed.length > 0) output.note(`Changed: ${changed.join(', ')}`);
      const outcome = await publisher.publish(next);
      if (outcome !== null) {
        if (flags.open && next === options) await openOrWarn(context, outcome.drop.url);
        next = { slug: outcome.drop.slug }; // later publishes change the page and nothing else
      }
      await output.ensureTaken();
      return { waitMs: null, files: publisher.files() };
    } catch (error) {
      const waitMs = waitAfter(error, output);
      await output.ensureTaken();
      return { waitMs, files: publisher.files() };
    }
  };
  output.note(`Watching ${file} and its local files: each save is published. Ctrl+C ends it.`);
  await watchFiles(file, attempt);
}

/** @returns ms to wait; null: until the next change @throws what neither a save nor time can cure */
function waitAfter(error: unknown, output: Context['output']): number | null {
  if (!(error instanceof CliError)) throw error;
  const { usage, notSignedIn, interrupted } = exitCodes;
  if ([usage, notSignedIn, interrupted].some((exitCode) => exitCode === error.exitCode)) throw error;
  if (isMissingFile(error)) return null; // an editor that replaces the file creates it again
  output.error(error.text);
  output.result(presentError(error), null);
  const seconds = capCodes.includes(error.code) ? undefined : error.retryAfterSeconds;
  if (seconds === undefined) return null;
  output.note(`Waiting until ${formatTime(Date.now() + seconds * 1000)} UTC.`);
  return seconds * 1000;
}
