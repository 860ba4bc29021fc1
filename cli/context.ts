import { setTimeout as sleep } from 'node:timers/promises';
import { type Credential, createCredentials, createInsecureServices } from './credentials.ts';
import { CliError, exitCodes, usageError } from './errors.ts';
import { type Api, createApi } from './http.ts';
import { type CliIo, canAsk, programName } from './io.ts';
import type { OriginFile } from './origin-file.ts';
import { createOutput, type Output } from './output.ts';
import { isLoopback } from './proxy.ts';

/** What a command works with. */
export interface Context {
  readonly io: CliIo;
  readonly output: Output;
  /** How the user runs the client, for commands that can be pasted: `node cli.mjs`, with `--url` if it was given. */
  readonly name: string;
  /** The origin of the service, without a trailing slash. */
  readonly url: string;
  readonly api: Api;
  /** The sign-ins of this user. */
  readonly credentials: OriginFile<Credential>;
  /** Whether a person can answer a question. */
  readonly canAsk: boolean;
  /** The user's token; null: there is none. @throws CliError if the credentials are not readable */
  token(): string | null;
  /** The error for a command that needs a token. */
  notSignedIn(): CliError;
  /** Where the token comes from; null: there is none. @throws CliError if the credentials are not readable */
  tokenSource(): 'DROPLEAF_TOKEN' | 'login' | null;
}

/** Called by the action of a command, so that help needs no service. @throws CliError as `createContext` does */
export type OpenContext = () => Context;

/** The options that every command takes. */
export interface GlobalFlags {
  readonly url?: string;
  readonly json?: true;
  /** Seconds. */
  readonly timeout: number;
  readonly insecureHttp?: true;
}

/** @throws CliError if no service is chosen, or its address is not valid */
export function createContext(io: CliIo, flags: GlobalFlags): Context {
  const output = createOutput(io, flags.json ?? false);
  const credentials = createCredentials(io);
  const url = chooseUrl(io, flags, credentials);
  const name = flags.url === undefined ? programName(io) : `${programName(io)} --url ${url}`;
  const { DROPLEAF_TOKEN } = io.env;

  function findToken(): string | null {
    return DROPLEAF_TOKEN ? readTokenVariable(DROPLEAF_TOKEN) : (credentials.find(url)?.token ?? null);
  }

  function signInError(problem: string): CliError {
    const hint = DROPLEAF_TOKEN
      ? `Set it to a valid token, or unset it and run: ${name} login`
      : `Run: ${name} login, or set DROPLEAF_TOKEN`;
    return new CliError(`${problem}. ${hint}`, { exitCode: exitCodes.notSignedIn });
  }

  const notSignedIn = () => signInError(`not signed in to ${url}`);
  const api = createApi({
    url,
    version: io.version,
    timeoutMs: flags.timeout * 1000,
    env: io.env,
    note: output.note,
    wait: (seconds) => sleep(seconds * 1000),
    token() {
      const token = findToken();
      if (token === null) throw notSignedIn();
      return token;
    },
    refused() {
      const what = DROPLEAF_TOKEN ? 'the token in DROPLEAF_TOKEN' : 'the token of your last sign-in';
      return signInError(`${url} does not accept ${what}`);
    },
  });
  return {
    io,
    output,
    name,
    url,
    api,
    credentials,
    canAsk: canAsk(io),
    token: findToken,
    notSignedIn,
    tokenSource() {
      if (findToken() === null) return null;
      return DROPLEAF_TOKEN ? 'DROPLEAF_TOKEN' : 'login';
    },
  };
}

/** After `--insecure-http`. If it cannot be stored, that is a warning: this command continues without. */
export async function rememberConsent({ io, output, url }: Context): Promise<void> {
  const services = createInsecureServices(io);
  if (!isInsecure(new URL(url)) || services.find(url) !== null) return;
  try {
    await services.save(url, { since: Date.now() });
    output.note(`From now on ${url} is used without --insecure-http, until you log out.`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    output.warn(error.message);
  }
}

/** `--url`, else DROPLEAF_URL, else the service that served this file, else the only service the user signed in to. */
function chooseUrl(
  io: CliIo,
  { url, insecureHttp }: GlobalFlags,
  credentials: OriginFile<Credential>,
): string {
  const { env, servedBy } = io;
  const read = (text: string, source: string) => readUrl(io, text, source, insecureHttp ?? false);
  if (url !== undefined) return read(url, '--url');
  if (env.DROPLEAF_URL) return read(env.DROPLEAF_URL, 'DROPLEAF_URL');
  if (servedBy !== null) return read(servedBy, 'The address in this file');
  const known = credentials.origins();
  const [only] = known;
  if (only !== undefined && known.length === 1 && !env.DROPLEAF_TOKEN) return read(only, credentials.path);
  const choices = known.length > 0 ? ` You are signed in to ${known.join(' and ')}.` : '';
  throw usageError(`no service is chosen: set DROPLEAF_URL, or add --url https://your.service.${choices}`);
}

/** @returns the origin @throws CliError if the address is not an origin that a token may be sent to */
function readUrl(io: CliIo, text: string, source: string, isAllowed: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError(`${source} must be the address of a service, as in https://drops.example (got ${text})`);
  }
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '') {
    throw usageError(`${source} must be an address without user, path and query, as in ${url.origin}`);
  }
  if (!isInsecure(url) || isAllowed || createInsecureServices(io).find(url.origin) !== null) {
    return url.origin;
  }
  throw usageError(
    `${source} must begin with https://, because http would show your token to the network (got ${url.origin}). ` +
      `If you trust that network, add --insecure-http once: the client remembers it for ${url.origin}`,
  );
}

/** Whether others on the network can read what is sent there. */
function isInsecure({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopback(hostname);
}

/** It becomes a header. */
function readTokenVariable(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw usageError('DROPLEAF_TOKEN must be a token and nothing else: it contains spaces or other characters');
}
