import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Account } from '../shared/accounts/account.ts';
import { type Config, isScaleOut, type OptionName } from '../shared/config/config.ts';
import { isOwnHost } from '../shared/config/content-origin.ts';
import { DropError } from '../shared/domain/errors.ts';
import { slugPattern } from '../shared/domain/ids.ts';
import type { OperatorServices } from '../shared/engines/open-operator-services.ts';
import type { Log } from '../shared/log/log.ts';
import { reasonMaxCharacters } from '../shared/moderation/act.ts';
import type { Moderation, Operator } from '../shared/moderation/moderation.ts';
import { readPageAddress } from '../shared/pages/page-address.ts';
import { shownText } from '../shared/util/shown-text.ts';
import { onlySettings, readSettings, serverHosts } from './environment.ts';
import { type Env, type ProcessIo, UsageError } from './process-io.ts';

/** The settings that say where the scale-out engine keeps its data. */
export const serverSettings = [
  'MONGODB_URI',
  'REDIS_URL',
  'REDIS_PREFIX',
  'REDIS_TLS_REJECT_UNAUTHORIZED',
] as const satisfies OptionName[];

/** Where the data is, and `others`. An invalid value of any other setting does not stop the command. @throws ConfigError */
export function readDataConfig(env: Env, others: readonly OptionName[] = []): Config {
  const needed: OptionName[] = ['DATA_DIR', 'SQLITE_CHECKPOINTS', ...serverSettings, ...others];
  return readSettings({ ...onlySettings(env, needed), MONGODB_CONNECTIONS: '2' });
}

/** `SQLite in /srv/data (DATA_DIR)`, `MongoDB (db.example)`. */
export function describeStore(config: Config): string {
  if (isScaleOut(config)) return `MongoDB (${serverHosts(config).mongodb})`;
  return `SQLite in ${resolve(config.DATA_DIR)} (DATA_DIR)`;
}

/** Opens the data, also beside a running service, and closes it after use. @throws Error if DATA_DIR holds none */
export async function withServices(
  config: Config,
  io: ProcessIo,
  use: (services: OperatorServices) => Promise<void>,
): Promise<void> {
  const { openOperatorServices } = await import('../shared/engines/open-operator-services.ts');
  const services = await openOperatorServices(config, { log: createErrorLog(io) });
  try {
    await use(services);
  } finally {
    await services.close();
  }
}

/** `withServices` for the `bin/dropleaf.js admin` commands, which also read the settings of the edge and the caps of reports. */
export function withAdmin(io: ProcessIo, use: (services: OperatorServices) => Promise<void>): Promise<void> {
  const others = [
    'EDGE_PURGER',
    'EDGE_PURGE_URL',
    'EDGE_PURGE_TOKEN',
    'EDGE_FASTLY_SERVICE_ID',
    'EDGE_CLOUDFLARE_ZONE_ID',
    'REPORTS_OPEN_PER_DROP',
    'REPORTS_OPEN_MAX',
  ] as const;
  return withServices(readDataConfig(io.env, others), io, use);
}

/** Prints errors only, as sentences. */
export function createErrorLog({ stderr }: ProcessIo): Log {
  const ignore = () => undefined;
  const error = (_fields: object, message: string) => void stderr.write(`dropleaf: ${shownText(message)}\n`);
  return { debug: ignore, info: ignore, warn: ignore, error };
}

export interface OperatorOptions {
  readonly by?: string;
  readonly reason?: string;
}

export interface CommandHelp {
  /** For the list of commands. */
  readonly summary: string;
  readonly description: string;
  /** Lines of a shell. */
  readonly examples: readonly string[];
}

export function addCommand(parent: Command, name: string, help: CommandHelp): Command {
  const { summary, description, examples } = help;
  const word = examples.length === 1 ? 'Example' : 'Examples';
  return parent
    .command(name)
    .summary(summary)
    .description(description)
    .addHelpText('after', `\n${word}:\n${examples.map((line) => `  ${line}`).join('\n')}`);
}

/** A command that is logged with the operator's name. */
export function addLogged(parent: Command, name: string, help: CommandHelp): Command {
  return addCommand(parent, name, help).option(
    '--by <name>',
    'operator name for the log (default: your system user name)',
    readName,
  );
}

export function readOperator({ by, reason }: OperatorOptions): Operator {
  return { by: by ?? systemUser(), reason: reason ?? null };
}

/** In a container the user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

export const readReason = (text: string) => readText(text, reasonMaxCharacters);
const readName = (text: string) => readText(text, 100);

function readText(text: string, maxCharacters: number): string {
  const trimmed = text.trim();
  const length = [...trimmed].length;
  if (length === 0) throw new InvalidArgumentError('It must not be empty.');
  if (trimmed.includes('\0')) throw new InvalidArgumentError('It must not contain NUL characters.');
  if (length > maxCharacters) {
    throw new InvalidArgumentError(`It must be at most ${maxCharacters} characters (got ${length}).`);
  }
  return trimmed;
}

export const maxLimit = 1_000;

export function readLimit(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > maxLimit) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxLimit}.`);
  }
  return count;
}

/** The slug in the URL of a page; null: it is no such URL. @throws UsageError if it is a URL of another service */
export function slugInUrl(text: string, env: Env): string | null {
  const config = readDataConfig(env, ['BASE_URL', 'CONTENT_ORIGIN', 'HOST', 'PORT']);
  const address = readPageAddress(text, config.BASE_URL);
  if (address === null || isOwnHost(address.host, config)) return address?.slug ?? null;
  throw new UsageError(
    `${text} is not a page of this service, ${config.BASE_URL}: give the slug, or set BASE_URL as for the service`,
  );
}

/** The slug of a page that is given by its slug or URL. @throws UsageError if it is neither, or of another service */
export function readSlugOrUrl(page: string, env: Env): string {
  const slug = slugInUrl(page, env) ?? page;
  if (slugPattern.test(slug)) return slug;
  throw new UsageError(
    `"${page}" is not a slug (abc123) or the URL of a page (https://drops.example/p/abc123)`,
  );
}

/** `0198f…  (octocat, github)` */
export function describeAccount({ id, identity }: Account): string {
  return `${id} (${identity.name}, ${identity.provider})`;
}

/** The account with that id or name. @throws Error if there is none, or more than one with the name */
export async function findOneAccount(moderation: Moderation, user: string): Promise<Account> {
  const [account, ...others] = await moderation.findAccounts(user);
  if (account === undefined) {
    throw new Error(
      `there is no account "${user}": look it up by its page or token with "bin/dropleaf.js admin find"`,
    );
  }
  if (others.length === 0) return account;
  const all = [account, ...others].map(describeAccount).join(', ');
  throw new Error(`more than one account has the name "${user}": use the id of one of ${all}`);
}

/** For `catch`: throws that message in place of a `not_found`, and any other error as it is. */
export function orNotFound(message: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof DropError && error.code === 'not_found' ? new Error(message) : error;
  };
}

/** Prints a line that may hold text from users. */
export function printLine({ stdout }: ProcessIo, line: string): void {
  stdout.write(`${shownText(line)}\n`);
}

export function printBlocks(io: ProcessIo, blocks: readonly (readonly string[])[]): void {
  for (const [i, lines] of blocks.entries()) {
    if (i > 0) io.stdout.write('\n');
    for (const line of lines) printLine(io, line);
  }
}
