import { CliError, exitCodes } from './errors.ts';

/** A failure of the system. */
interface Fault {
  /** `details.reason` of `--json`; docs/agents.md lists them. Codes of Node and of systems are not printed. */
  readonly reason: string;
  /** For people. */
  readonly words: string;
}

const notFound = { reason: 'not_found', words: 'there is no such file' };
const notPermitted = { reason: 'not_permitted', words: 'you have no permission' };
const noSpace = { reason: 'no_space', words: 'there is no space left on its disk' };
const tooManyFiles = { reason: 'too_many_files', words: 'too many files are open' };

/** By the codes of Node. */
const fileFaults: Readonly<Record<string, Fault>> = {
  ENOENT: notFound,
  ENOTDIR: { ...notFound, words: 'a part of its path is a file, not a folder' },
  EACCES: notPermitted,
  EPERM: notPermitted,
  EROFS: { ...notPermitted, words: 'its disk is read-only' },
  ENOSPC: noSpace,
  EDQUOT: { ...noSpace, words: 'your share of its disk is used up' },
  EFBIG: { ...noSpace, words: 'it would be larger than its disk allows' },
  EISDIR: { reason: 'is_folder', words: 'it is a folder' },
  EEXIST: { reason: 'exists', words: 'it exists' },
  ENAMETOOLONG: { reason: 'bad_name', words: 'its name is too long' },
  ELOOP: { reason: 'bad_name', words: 'its links lead in a circle' },
  ERR_INVALID_ARG_VALUE: { reason: 'bad_name', words: 'its name has a NUL character' },
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
};

const lost = { reason: 'connection_lost', words: 'the connection was lost' };
const unreachable = { reason: 'unreachable', words: 'there is no way to it in this network' };

const networkFaults: Readonly<Record<string, Fault>> = {
  ECONNREFUSED: { reason: 'connection_refused', words: 'nothing answers there' },
  ECONNRESET: lost,
  ECONNABORTED: lost,
  EPIPE: lost,
  ERR_STREAM_PREMATURE_CLOSE: lost,
  ENOTFOUND: { reason: 'unknown_host', words: 'there is no such host' },
  EAI_AGAIN: { reason: 'name_lookup', words: 'the name of the host cannot be looked up now' },
  ETIMEDOUT: { reason: 'timeout', words: 'it takes too long' },
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ENETDOWN: unreachable,
  EADDRNOTAVAIL: unreachable,
};

const unknownIssuer =
  'its certificate is signed by nobody known here; set NODE_EXTRA_CA_CERTS to the file of its authority';

/** Families of codes: of Node's HTTP parser, of OpenSSL's handshake, and of its check of certificates. */
const networkFamilies: readonly (readonly [RegExp, string, string | null])[] = [
  [/^HPE_/, 'not_http', 'its answer is not HTTP'],
  [/^Z_/, 'not_http', 'its answer is damaged'],
  [/SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)/, 'certificate', unknownIssuer],
  [/CERT|^UNABLE_TO_|^CRL_|HOSTNAME_MISMATCH/, 'certificate', null],
  [/^EPROTO$|^ERR_SSL_|^ERR_TLS_/, 'not_https', 'it does not answer over https'],
];

/** Failures that may pass soon. */
const passing = ['connection_refused', 'connection_lost', 'name_lookup', 'timeout'];

/** @param cause what Node threw */
function networkFault(cause: unknown): Fault {
  const code = errorCode(cause) ?? '';
  const said = cause instanceof Error && cause.message !== '' ? cause.message : 'it failed';
  const known = networkFaults[code];
  if (known !== undefined) return known;
  const family = networkFamilies.find(([codes]) => codes.test(code));
  return family === undefined
    ? { reason: 'other', words: said }
    : { reason: family[1], words: family[2] ?? said };
}

/** @param cause Node's error @param peer the service, and the proxy before it */
export function networkError(cause: unknown, peer: string): CliError {
  const { reason, words } = networkFault(cause);
  return new CliError(`cannot reach ${peer}: ${words}`, {
    cause,
    exitCode: exitCodes.network,
    facts: { reason },
  });
}

/** Whether the same request may succeed soon after this failure of the network. */
export function isPassingFault({ facts }: CliError): boolean {
  return passing.some((reason) => reason === facts.reason);
}

/** @param cause what Node threw when the file was used */
export function fileFault(cause: unknown): Fault {
  const said = cause instanceof Error ? cause.message : String(cause);
  return fileFaults[errorCode(cause) ?? ''] ?? { reason: 'other', words: said };
}

/** @param what the file; with what is read from it, if that is not the file: `the passcode from a.txt` */
export function fileError(act: 'read' | 'write', what: string, cause: unknown): CliError {
  const { reason, words } = fileFault(cause);
  const why = act === 'write' && reason === notFound.reason ? 'its folder is not there' : words;
  return new CliError(`cannot ${act} ${what}: ${why}`, { cause, facts: { reason } });
}

/** The same error as when the file is read. */
export function missingFile(file: string): CliError {
  const { reason, words } = notFound;
  return new CliError(`cannot read ${file}: ${words}`, { facts: { reason } });
}

export function isMissingFile({ facts }: CliError): boolean {
  return facts.reason === notFound.reason;
}

/** `code` of an error of Node, such as ENOENT; undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
