import type { Command } from 'commander';
import type { Context, OpenContext } from '../context.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import {
  type Guarded,
  hasFields,
  isAbsentOr,
  isCount,
  isListOf,
  isNullOr,
  isText,
  isTime,
} from '../guards.ts';
import type { Api } from '../http.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { formatTable, formatTime } from '../table.ts';
import { readTarget, targetHelp } from '../target.ts';

/** GET /api/tokens. */
const isTokenRecord = hasFields({
  id: isText,
  label: isNullOr(isText),
  created_at: isTime,
  last_used_at: isNullOr(isTime),
  /** Absent: it may do everything. */
  scope: isAbsentOr(isText),
});
type Token = Guarded<typeof isTokenRecord>;

/** GET /api/me?include=name,inbox. */
const isCaller = hasFields({
  user_id: isText,
  /** Absent: the service is older than this client. */
  name: isAbsentOr(isText),
  drop_count: isCount,
  /** Absent: it was not asked for, or the service is older than this client. */
  inbox: isAbsentOr(hasFields({ held: isCount, new: isCount })),
  token: isTokenRecord,
});
type Caller = Guarded<typeof isCaller>;

/** @param token in place of the user's */
async function readCaller(api: Api, token?: string, include = 'name'): Promise<Caller> {
  const request = { query: { include }, ...(token !== undefined && { token }) };
  return (await api.request('GET', '/api/me', request)).json(isCaller);
}

/** As `readCaller`, with what waits; a service that is older than this client refuses to include it. */
async function readCallerAndInbox(api: Api): Promise<Caller> {
  try {
    return await readCaller(api, undefined, 'name,inbox');
  } catch (error) {
    if (!(error instanceof CliError && error.status === 400)) throw error;
    return readCaller(api);
  }
}

export function addAccountCommands(program: Command, open: OpenContext, name: string): void {
  program
    .command('whoami')
    .summary('print the account that is signed in')
    .description(
      'Prints the service, the account, how many comments wait for you, and the token that the client uses.',
    )
    .addHelpText('after', `\nExample:\n  ${name} whoami`)
    .action(() => whoami(open()));

  const tokens = program
    .command('tokens')
    .summary('list the tokens of the account, or revoke one')
    .description('Lists the tokens of the account. The tokens themselves are not shown.')
    .addHelpText('after', `\nExamples:\n  ${name} tokens\n  ${name} tokens revoke 0123456789ab`)
    .action(() => listTokens(open()));

  tokens
    .command('revoke')
    .summary('revoke a token')
    .description('Revokes a token: from then on the service refuses it.')
    .argument('<id>', 'id of the token, as in the list')
    .addHelpText('after', `\nExample:\n  ${name} tokens revoke 0123456789ab`)
    .action((id: string) => revoke(open(), id));

  program
    .command('open')
    .summary('open a page in the browser')
    .description('Opens a page in your browser, and prints its address.')
    .argument('<page>', targetHelp)
    .addHelpText('after', `\nExample:\n  ${name} open report.html`)
    .action((page: string) => openPage(open(), page));
}

async function whoami({ api, output, url, tokenSource }: Context): Promise<void> {
  const caller = await readCallerAndInbox(api);
  const { user_id, name, token, drop_count, inbox } = caller;
  const label = token.label === null ? '' : ` ${JSON.stringify(token.label)}`;
  const lines = [
    `service  ${url}`,
    `account  ${name === undefined ? user_id : `${name} (${user_id})`}`,
    `pages    ${drop_count}`,
    ...(inbox === undefined ? [] : [`comments ${inbox.held} to approve, ${inbox.new} new`]),
    `token    ${token.id}${label}${scopeOf(token)}, from ${tokenSource()}`,
  ];
  output.result(caller, lines.join('\n'));
}

function scopeOf({ scope }: Token): string {
  return scope === undefined ? '' : `, scope ${scope}`;
}

async function listTokens({ api, output }: Context): Promise<void> {
  const tokens = (await api.request('GET', '/api/tokens')).json(isListOf(isTokenRecord));
  if (output.isJson) return output.result(tokens, null);
  const caller = await readCaller(api);
  const rows = tokens.map((token) => [
    token.id,
    formatTime(token.created_at),
    formatTime(token.last_used_at),
    `${token.label ?? '(no label)'}${scopeOf(token)}${token.id === caller.token.id ? '  (this one)' : ''}`,
  ]);
  output.result(tokens, formatTable(['ID', 'CREATED (UTC)', 'LAST USED', 'LABEL'], rows, output.columns));
}

async function revoke({ api, credentials, output, url }: Context, id: string): Promise<void> {
  if (!/^[0-9a-f]{12}$/.test(id)) throw usageError(`a token's id is 12 hexadecimal digits (got ${id})`);
  const known = credentials.find(url);
  const own = known === null ? null : await findToken(api, known.token);
  await api.request('DELETE', `/api/tokens/${id}`);
  if (known !== null && own?.id === id) await credentials.remove(url, ({ token }) => token === known.token);
  output.note(
    `Revoked ${id}.${own?.id === id ? ` It was the token of your login: you are signed out of ${url}.` : ''}`,
  );
  output.result({ revoked: true, id }, null);
}

/** What the account is called, for people, and what the token may do. @throws CliError as `Api.request` does */
export async function readSignedIn(api: Api): Promise<{ name: string; scope: string }> {
  const { name, user_id, token } = await readCaller(api);
  return { name: name ?? user_id, scope: token.scope ?? 'all' };
}

/** Revokes a token that may be revoked already. */
export async function revokeToken(api: Api, token: string): Promise<void> {
  const found = await findToken(api, token);
  if (found === null) return;
  try {
    await api.request('DELETE', `/api/tokens/${encodeURIComponent(found.id)}`, { token });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** null: the service does not accept it. */
async function findToken(api: Api, token: string): Promise<Token | null> {
  try {
    return (await readCaller(api, token)).token;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof CliError && (error.exitCode === exitCodes.notSignedIn || error.status === 404);
}

async function openPage(context: Context, page: string): Promise<void> {
  const { slug, version } = readTarget(page, context);
  const address = `${context.url}/p/${slug}${version === null ? '' : `?v=${version}`}`;
  const isOpened = await openInBrowser(address, context.io);
  if (isOpened || !context.output.isJson) context.output.result({ url: address }, address);
  if (!isOpened) throw new CliError('no browser could be started: open the address yourself');
}
