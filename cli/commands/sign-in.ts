import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Context, GlobalFlags, OpenContext } from '../context.ts';
import {
  type Credential,
  createInsecureServices,
  createPendingSignIns,
  type PendingSignIn,
} from '../credentials.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { hasFields, isCount, isText, isToken, isWebAddress } from '../guards.ts';
import { type ApiAnswer, isForeignAnswer } from '../http.ts';
import { openOrWarn } from '../open-in-browser.ts';
import { readScope } from '../option-values.ts';
import type { OriginFile } from '../origin-file.ts';
import { readSignedIn, revokeToken } from './account.ts';

/** POST /api/auth/start. */
const isStarted = hasFields({
  code: isText,
  verification_url: isWebAddress,
  poll_token: isText,
  expires_in: isCount,
  poll_interval: isCount,
});
/** GET /api/auth/poll: pending, verified, claimed, expired or not_found. */
const isPolled = hasFields({ status: isText });
/** The same while the status is verified. */
const isVerified = hasFields({ api_token: isToken, user_id: isText });

interface LoginOptions {
  readonly label?: string;
  /** What the token may do; unset: everything. */
  readonly scope?: string;
  /** false: `--no-wait`. */
  readonly wait: boolean;
}

interface Login extends LoginOptions {
  /** To wait for the approval. The service ends the code in any case. */
  readonly seconds: number;
}

/** How long another process may take from the answer with the token to the stored token. */
const claimMs = 1_000;

/** How much later than by this machine's clock the code may expire at the service: the answer to the start took time. */
const clockMs = 10_000;

/** A poll with less time than this fails whatever the service does. */
const minPollMs = 100;

/** Whatever the service says: the code expires in minutes. */
const maxPollSeconds = 60;

export function addSignInCommands(program: Command, open: OpenContext, name: string): void {
  program
    .command('login')
    .summary('sign in: approve a code in a browser')
    .description(
      'Prints a code and an address, waits until somebody opens the address in a browser and approves the code, and stores ' +
        'the token for this service. The browser may be on another machine. A login that was stopped continues with its code ' +
        'when you run it again. With --timeout, or with --json (60 s by default), it ends in time although nobody has decided: ' +
        'its status is then pending. If you are signed in already, it says so and changes nothing.',
    )
    .option('--label <text>', 'name of the token, shown in lists (default: the name of this machine)')
    .option('--scope <scope>', 'publish: the token cannot unlock, delete or widen (default: all)', readScope)
    .option('--no-wait', 'print the code and end; login after the approval continues')
    .addHelpText('after', `\nExample:\n  ${name} login --label laptop`)
    .action(async (options: LoginOptions, command: Command) => {
      const context = open();
      const isDefault = command.getOptionValueSourceWithGlobals('timeout') === 'default';
      const { timeout } = command.optsWithGlobals<GlobalFlags>();
      // A person can end it; a program needs an answer.
      const isEndless = isDefault && !context.output.isJson;
      const seconds = isEndless ? Number.POSITIVE_INFINITY : timeout;
      context.output.result(await login(context, { ...options, seconds }), null);
    });

  program
    .command('logout')
    .summary('revoke the token of the last login and forget it')
    .description('Revokes the token that login stored for this service, and removes it from this machine.')
    .addHelpText('after', `\nExample:\n  ${name} logout`)
    .action(() => logout(open()));
}

/** Signs in first if nobody is, and somebody is at the terminal. @throws CliError with exit code 4 if nobody is */
export async function ensureSignedIn(context: Context): Promise<void> {
  if (context.token() !== null) return;
  if (!context.canAsk) throw context.notSignedIn();
  context.output.note(`You are not signed in to ${context.url}.`);
  await login(context, { wait: true, seconds: Number.POSITIVE_INFINITY });
}

/** @returns what `--json` prints */
async function login(context: Context, options: Login): Promise<object> {
  const endMs = performance.now() + options.seconds * 1000;
  const { api, credentials, output, io, url, name } = context;
  if (io.env.DROPLEAF_TOKEN) {
    throw usageError('DROPLEAF_TOKEN is set, and every command uses it in place of a login: unset it first');
  }
  const stored = await findSignIn(context);
  if (stored !== null) return { status: 'signed_in', url, user_id: stored.user_id };
  const pendingSignIns = createPendingSignIns(io);
  const pending = await startOrResume(context, pendingSignIns, options);
  const { code, verification_url, expires_at } = pending;
  const expires_in = Math.ceil((expires_at - Date.now()) / 1000);
  output.note(`Code:     ${code}\nAddress:  ${verification_url}`);
  const minutes = Math.max(1, Math.round(expires_in / 60));
  output.note(`Open the address in a browser, check the code and approve it within ${minutes} min.`);
  const proceed = `${name} login${output.isJson ? ' --json' : ''}`;
  const unfinished = () => {
    output.note(`After the approval, run: ${proceed}`);
    return {
      status: 'pending',
      code,
      verification_url,
      expires_in: Math.ceil((expires_at - Date.now()) / 1000),
    };
  };
  if (options.wait === false) return unfinished();
  const signedIn = await waitAtTerminal(context, pending, endMs);
  if (signedIn === null) return { ...unfinished(), command: proceed };
  const { user_id } = signedIn;
  const signedInAs = await readSignedIn(api).catch(() => null); // the sign-in is done, whatever this answers
  output.note(`Signed in to ${url} as ${signedInAs?.name ?? user_id}. The token is in ${credentials.path}.`);
  if (pending.scope === 'publish' && signedInAs?.scope === 'all')
    output.warn(`${url} is of an earlier release: the token may do everything. To revoke it: ${name} logout`);
  return { status: 'signed_in', url, user_id };
}

/** Forgets the code unless nobody has decided yet. @returns null: nobody has @throws as `waitForApproval` */
async function waitAtTerminal(
  context: Context,
  pending: PendingSignIn,
  endMs: number,
): Promise<Credential | null> {
  const stopListening = context.canAsk ? openOnEnter(context, pending.verification_url) : () => undefined;
  let isOver = true;
  try {
    const credential = await waitForApproval(context, pending, endMs);
    isOver = credential !== null;
    return credential;
  } finally {
    stopListening();
    if (isOver)
      await createPendingSignIns(context.io).remove(
        context.url,
        ({ poll_token }) => poll_token === pending.poll_token,
      );
  }
}

/**
 * Continues a login that was stopped or did not wait, whatever its label, unless it is for another scope than the user names: the
 * user may have approved its code meanwhile. @param wanted as far as the user has named it
 */
async function startOrResume(
  { api, output, url }: Context,
  pendingSignIns: OriginFile<PendingSignIn>,
  { label: given, scope }: LoginOptions,
): Promise<PendingSignIn> {
  const label = given ?? hostname().slice(0, 100);
  const known = pendingSignIns.find(url);
  const isOfScope = scope === undefined || scope === (known?.scope ?? 'all');
  if (known !== null && known.expires_at > Date.now() && isOfScope) {
    if (given !== undefined && given !== known.label)
      output.warn(`a login is under way, so the token keeps its label: ${JSON.stringify(known.label)}`);
    return known;
  }
  const answer = await api.request('POST', '/api/auth/start', { isPublic: true, json: { label, scope } });
  const { expires_in, ...started } = answer.json(isStarted);
  const pending = { ...started, label, scope, expires_at: Date.now() + expires_in * 1000 };
  await pendingSignIns.save(url, pending);
  return pending;
}

/** The stored sign-in, if its token still works; null: there is none. A second token would only be one more to revoke. */
async function findSignIn({ api, credentials, output, url, name }: Context): Promise<Credential | null> {
  const known = credentials.find(url);
  if (known === null) return null;
  let accountName: string;
  try {
    accountName = (await readSignedIn(api)).name;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === exitCodes.notSignedIn) return null;
    throw error;
  }
  output.note(`You are signed in to ${url} as ${accountName}. To use another account, run: ${name} logout`);
  return known;
}

/** @returns stops listening to the keyboard */
function openOnEnter(context: Context, address: string): () => void {
  const { io, output } = context;
  output.note('Press Enter to open it in your browser.');
  const openIt = () => openOrWarn(context, address);
  io.stdin.once('data', openIt);
  return () => void io.stdin.off('data', openIt).pause();
}

/**
 * Polls as often as the service says, also after a poll that failed. Stores the token. @param endMs of `performance.now()`
 * @returns null: nobody has decided until then @throws CliError if the code was denied or has expired
 */
async function waitForApproval(
  context: Context,
  pending: PendingSignIn,
  endMs: number,
): Promise<Credential | null> {
  const { credentials, url } = context;
  const before = credentials.find(url)?.token;
  const poll = createPoll(context, pending.poll_token);
  while (Date.now() < pending.expires_at) {
    const leftMs = endMs - performance.now();
    if (leftMs < minPollMs) return null;
    const polled = await poll(leftMs);
    if ('answer' in polled) {
      const { api_token: token, user_id } = polled.answer.json(isVerified);
      return store(context, { token, user_id });
    }
    if (polled.status === 'claimed') return storedElsewhere(context, before);
    if (polled.status !== 'pending') throw ended(context, polled.status, pending);
    const pauseMs = Math.min(Math.max(pending.poll_interval, 1), maxPollSeconds) * 1000;
    await sleep(Math.max(0, Math.min(pauseMs, endMs - performance.now())));
  }
  throw ended(context, 'expired', pending);
}

/** The answer that has the token, or the status. */
type Polled = { readonly answer: ApiAnswer } | { readonly status: string };

/** @returns makes one poll in at most so many ms; one that failed, or was answered by another server, counts as pending */
function createPoll({ api, output, url }: Context, token: string): (leftMs: number) => Promise<Polled> {
  let hasFailed = false;
  return async (leftMs) => {
    const request = { isPublic: true, query: { token }, limitMs: leftMs };
    try {
      const answer = await api.request('GET', '/api/auth/poll', request);
      const { status } = answer.json(isPolled);
      return status === 'verified' ? { answer } : { status };
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!hasFailed) output.note(`${url} does not answer as it should. Waiting continues.`);
      hasFailed = true;
      return { status: 'pending' };
    }
  };
}

/** Another login of this machine may be about to store the token. */
async function storedElsewhere(
  { credentials, url, name }: Context,
  before: string | undefined,
): Promise<Credential> {
  await sleep(claimMs);
  const stored = credentials.find(url);
  if (stored !== null && stored.token !== before) return stored;
  throw new CliError(`the connection was lost while the service sent the token: run ${name} login again`);
}

/** The service says `expired` of a code that was denied, too: then it does so before its time. */
function ended({ name }: Context, status: string, { expires_at }: PendingSignIn): CliError {
  const isDenied = status === 'expired' && Date.now() < expires_at - clockMs;
  const reason = isDenied ? 'denied' : 'expired';
  const what = isDenied ? 'the code was denied' : 'the code has expired, and nobody approved it';
  return new CliError(`${what}: run ${name} login again`, {
    exitCode: exitCodes.notSignedIn,
    facts: { reason },
  });
}

async function store({ api, credentials, url }: Context, credential: Credential): Promise<Credential> {
  try {
    await credentials.save(url, credential);
    return credential;
  } catch (error) {
    await revokeToken(api, credential.token); // nobody could use it, and it would stay valid
    throw error;
  }
}

/** An answer of another server may be of a network that asks to sign in. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof CliError)) return false;
  return error.status === undefined || error.status >= 429 || isForeignAnswer(error);
}

/** Revokes first, so that a failure leaves a token that can still be revoked. */
async function logout({ api, credentials, output, io, url }: Context): Promise<void> {
  const known = credentials.find(url);
  if (known === null) {
    output.note(`You are not signed in to ${url}.`);
  } else {
    await revokeToken(api, known.token);
    await credentials.remove(url, ({ token }) => token === known.token);
    output.note(`Signed out of ${url}.`);
  }
  await createInsecureServices(io).remove(url, () => true);
  output.result({ status: 'signed_out', url }, null);
  if (io.env.DROPLEAF_TOKEN) output.warn('DROPLEAF_TOKEN is still set, and logout does not revoke it');
}
