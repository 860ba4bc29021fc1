import { type Command, Option } from 'commander';
import type { Context, OpenContext } from '../context.ts';
import { type Drop, isDrop, readLive, readSourceOf } from '../drop.ts';
import { CliError } from '../errors.ts';
import { errorCode, fileError } from '../faults.ts';
import { hasFields, isBoolean, isCount, isListOf, isText, isTime } from '../guards.ts';
import { foreignAnswer } from '../http.ts';
import { createFile, replaceFile } from '../locked-file.ts';
import { addTag, readNumber } from '../option-values.ts';
import { clean } from '../output.ts';
import { describeReaders } from '../sharing.ts';
import { formatBytes, formatTable, formatTime } from '../table.ts';
import { readTarget, targetHelp } from '../target.ts';

const sorts = { created: 'created_at', updated: 'updated_at', views: 'view_count' } as const;

interface ListOptions {
  readonly tag?: Readonly<Record<string, string>>;
  readonly search?: string;
  readonly sort: keyof typeof sorts;
  readonly all?: true;
}

/** The commands that change nothing. */
export function addReadingCommands(program: Command, open: OpenContext, name: string): void {
  program
    .command('list')
    .summary('list your pages')
    .description('Lists your pages, newest first.')
    .option('--tag <key=value>', 'only pages with this tag; may be repeated', addTag)
    .option('--search <words>', 'only pages with all these words in title, description or tags')
    .addOption(
      new Option('--sort <by>', 'created or updated: the latest first; views: the most first')
        .choices(Object.keys(sorts))
        .default('updated'),
    )
    .option('--all', 'every page, not only the first 50')
    .addHelpText('after', `\nExample:\n  ${name} list --tag project=demo --sort views`)
    .action((options: ListOptions) => list(open(), options));

  program
    .command('get')
    .summary('print the source of a page')
    .description('Prints the HTML of a page byte for byte as it was published, also of a locked one.')
    .argument('<page>', `${targetHelp}; slug@2 is version 2`)
    .option('-o, --output <file>', 'write it to a file that does not exist yet')
    .option('--force', 'replace the file')
    .addHelpText(
      'after',
      `\nExamples:\n  ${name} get k3v9x2 > page.html\n  ${name} get k3v9x2@2 -o page.html`,
    )
    .action((page: string, options: GetOptions) => getSource(open(), page, options));

  program
    .command('versions')
    .summary('list the versions of a page')
    .description('Lists the versions of a page, newest first. The newest is live.')
    .argument('<page>', targetHelp)
    .addHelpText('after', `\nExample:\n  ${name} versions report.html`)
    .action((page: string) => listVersions(open(), page));

  program
    .command('diff')
    .summary('show what changed between two versions')
    .description('Prints what changed between two versions of a page, as a unified diff of the source.')
    .argument('<page>', targetHelp)
    .argument('[from]', 'number of the older version (default: the one before)', readNumber)
    .argument('[to]', 'number of the newer version (default: the live one)', readNumber)
    .option('--text', 'compare the visible text in place of the source')
    .addHelpText('after', `\nExamples:\n  ${name} diff report.html\n  ${name} diff k3v9x2 1 3 --text`)
    .action((page: string, from: number | undefined, to: number | undefined, options: { text?: true }) =>
      diff(open(), page, { from, to, ...options }),
    );

  program
    .command('views')
    .summary('show how often a page was viewed')
    .description('Prints the views of a page by people for each day (UTC).')
    .argument('<page>', targetHelp)
    .option('--days <count>', 'how many days', readNumber, 30)
    .addHelpText('after', `\nExample:\n  ${name} views report.html --days 7`)
    .action((page: string, options: { days: number }) => showViews(open(), page, options));
}

const isDropPage = hasFields({
  data: isListOf(isDrop),
  pagination: hasFields({ total_pages: isCount, total_items: isCount }),
});

async function list(
  { api, output, name, url }: Context,
  { tag = {}, search, sort, all }: ListOptions,
): Promise<void> {
  // By slug: what is published meanwhile moves drops from one page of the list to the next.
  const drops = new Map<string, Drop>();
  let total = 0;
  let pages = 1;
  for (let page = 1; page <= pages; page++) {
    const answer = await api.request('GET', '/api/drops', {
      query: {
        page: String(page),
        pageSize: all ? '200' : '50',
        sortBy: sorts[sort],
        q: search,
        ...Object.fromEntries(Object.entries(tag).map(([key, value]) => [`metadata.${key}`, value])),
      },
    });
    const { data, pagination } = answer.json(isDropPage);
    for (const drop of data) drops.set(drop.slug, drop);
    total = pagination.total_items;
    if (all && data.length > 0) pages = pagination.total_pages;
    else break;
  }
  const found = [...drops.values()];
  if (output.isJson) return output.result(found, null);
  if (found.length === 0) return output.note(`No pages. To publish one: ${name} publish report.html`);
  const isNarrow = output.columns !== null && output.columns < wideColumns;
  output.result(found, dropTable(found, output.columns, isNarrow));
  if (isNarrow) output.note(`The address of a page is ${url}/p/SLUG`);
  if (found.length < total) output.note(`${found.length} of ${total} pages. For every one: --all`);
}

/** From here on a line has space for an address and a title. */
const wideColumns = 120;

/** Columns that are empty for every drop are left out. The title comes last, because a long line is cut. */
function dropTable(drops: readonly Drop[], columns: number | null, isNarrow: boolean): string {
  const all: (readonly [header: string, cell: (drop: Drop) => string])[] = [
    isNarrow ? ['SLUG', ({ slug }) => slug] : ['ADDRESS', ({ url }) => url],
    ['VERSION', (drop) => String(drop.latest_version)],
    ['VIEWS', (drop) => String(drop.view_count)],
    ['CHANGED (UTC)', (drop) => formatTime(drop.updated_at)],
    ['COMMENTS', ({ open_comments }) => open_comments?.toString() ?? ''],
    ['LOCKED', ({ locked }) => (locked ? 'yes' : '')],
    ['ACCESS', accessOf],
    ['EXPIRES', (drop) => expiryOf(drop).slice(0, isNarrow ? 'YYYY-MM-DD'.length : undefined)],
    ['TITLE', ({ title }) => title],
  ];
  const shown = all.filter(([, cell]) => drops.some((drop) => cell(drop) !== ''));
  const rows = drops.map((drop) => shown.map(([, cell]) => cell(drop)));
  return formatTable(
    shown.map(([header]) => header),
    rows,
    columns,
  );
}

/** Empty: everybody who has the address may read it. */
function accessOf({ access = '', people }: Drop): string {
  return people === undefined ? access : `${access} (${people.length})`;
}

function expiryOf({ expires_at: expiresAt }: Drop): string {
  return expiresAt === undefined ? '' : formatTime(expiresAt);
}

interface GetOptions {
  readonly output?: string;
  readonly force?: true;
}

async function getSource(context: Context, page: string, options: GetOptions): Promise<void> {
  const { api, output, io } = context;
  const { slug, version } = readTarget(page, context);
  const [bytes, { drop }] = await Promise.all([readSourceOf(api, slug, version), readLive(api, slug)]);
  const readers = describeReaders(drop);
  if (readers !== '') output.note(readers);
  const { access, people } = drop;
  const shared = { access, people }; // absent in JSON if everybody who has the address may read it
  if (options.output !== undefined) {
    writeSource(options.output, bytes, options.force ?? false);
    output.act(options.output);
    output.result({ slug, version, file: options.output, ...shared }, null);
  } else if (output.isJson || io.output.stdout.isTTY) {
    const html = new TextDecoder().decode(bytes);
    output.result({ slug, version, html, ...shared }, printable(bytes));
  } else output.bytes(bytes);
}

function writeSource(file: string, bytes: Uint8Array, isForced: boolean): void {
  try {
    if (isForced) replaceFile(file, 0o666, bytes);
    else createFile(file, bytes);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw fileError('write', file, error);
    throw new CliError(`${file} exists: nothing was written. To replace it: --force`);
  }
}

function printable(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll('\r\n', '\n');
}

const isVersion = hasFields({
  version: isCount,
  size_bytes: isCount,
  has_context: isBoolean,
  created_at: isTime,
});

async function listVersions(context: Context, page: string): Promise<void> {
  const { api, output } = context;
  const { slug } = readTarget(page, context);
  const answer = await api.request('GET', `/api/drops/${slug}/versions`);
  const versions = answer.json(isListOf(isVersion));
  const rows = versions.map(({ version, size_bytes, has_context, created_at }, index) => [
    String(version),
    formatTime(created_at),
    formatBytes(size_bytes),
    [...(index === 0 ? ['live'] : []), ...(has_context ? ['has a context'] : [])].join(', '),
  ]);
  output.result(versions, formatTable(['VERSION', 'CREATED (UTC)', 'SIZE', ''], rows, output.columns));
}

interface DiffOptions {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly text?: true;
}

async function diff(context: Context, page: string, { from, to, text }: DiffOptions): Promise<void> {
  const { api, output, io } = context;
  const { slug } = readTarget(page, context);
  const answer = await api.request('GET', `/api/drops/${slug}/diff`, {
    query: { from: from?.toString(), to: to?.toString(), format: text && 'text' },
    headers: { Accept: 'text/x-diff, application/json;q=0.5' },
  });
  const { bytes, headers } = answer;
  if (!headers['content-type']?.startsWith('text/x-diff')) throw foreignAnswer(`the diff of ${slug}`, answer);
  if (output.isJson) return output.result({ slug, diff: new TextDecoder().decode(bytes) }, null);
  if (bytes.length === 0) output.note('There is no difference.');
  else if (!io.output.stdout.isTTY) output.bytes(bytes);
  else {
    const lines = clean(printable(bytes)).trimEnd().split('\n');
    output.painted(lines.map((line) => paintLine(output, line)).join('\n'));
  }
}

function paintLine({ paint }: Context['output'], line: string): string {
  if (/^(?:---|\+\+\+) /.test(line)) return paint('bold', line);
  if (line.startsWith('+')) return paint('green', line);
  if (line.startsWith('-')) return paint('red', line);
  return line.startsWith('@@') ? paint('cyan', line) : line;
}

const isViews = hasFields({
  view_count: isCount,
  days: isListOf(hasFields({ date: isText, views: isCount })),
});

async function showViews(context: Context, page: string, { days }: { days: number }): Promise<void> {
  const { api, output } = context;
  const { slug } = readTarget(page, context);
  const answer = await api.request('GET', `/api/drops/${slug}/views`, { query: { days: String(days) } });
  const body = answer.json(isViews);
  const most = Math.max(1, ...body.days.map(({ views }) => views));
  const width = Math.max(10, Math.min(60, (output.columns ?? 80) - 24));
  const lines = body.days.map(({ date, views }) => {
    const bar = '█'.repeat(Math.ceil((views / most) * width));
    return output.columns === null ? `${date}\t${views}` : `${date}  ${`${bar} ${views}`.trim()}`;
  });
  output.result(body, lines.join('\n'));
  output.note(`${body.view_count} views since the page was published.`);
}
