import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { checkPage } from '../../shared/page-checks/page-checks.ts';
import { findSecrets } from '../../shared/page-checks/secrets.ts';
import type { Bundle, BundledFile } from '../bundle/bundle.ts';
import type { Context } from '../context.ts';
import { CliError, errorCode, refusal } from '../errors.ts';
import { readAtMost } from '../read-at-most.ts';
import { fields, isCount } from '../shape.ts';

/** A page that was read and checked. */
export interface Page {
  /** null: it came from stdin or another pipe, which nothing can be remembered of. */
  readonly file: string | null;
  readonly bytes: Uint8Array;
  /** The bytes as text, with a byte order mark if they have one. */
  readonly html: string;
  readonly sha256: string;
  /** The page's `<title>`, else `fileTitle`; null: neither is there. */
  readonly ownTitle: string | null;
  /** The name of the file without its extension; null: it is no file. */
  readonly fileTitle: string | null;
  /** The Markdown that the version gets as its context; null: none. */
  readonly context: { readonly text: string; readonly sha256: string } | null;
  readonly warnings: readonly string[];
  /** The local files that became part of it. */
  readonly files: readonly BundledFile[];
}

interface PageSource {
  /** A path, or `-` for stdin. */
  readonly file: string;
  /** The same for the context; undefined: none. */
  readonly context?: string | undefined;
  readonly allowSecrets?: boolean | undefined;
  /** Publishes a page also if it names files that are not there. */
  readonly allowMissing?: boolean | undefined;
}

/** spec 8. A service may have another limit: it is asked when a page comes near this one. */
const usualMaxBytes = 2_097_152;
const nearLimit = 0.9;
/** No page is as long; what is longer is not read. */
const maxReadBytes = 64 * 1024 * 1024;
const maxFileTitle = 200;

/**
 * Reads a page, and makes the local files that it names part of it.
 * @throws CliError if it cannot be read, is not UTF-8, is too large, names a file that is not there, or seems to contain a secret
 */
export async function readPage(context: Context, source: PageSource): Promise<Page> {
  const { file } = source;
  const name = file === '-' ? 'stdin' : file;
  const { bytes: read, isFile } = await readBytes(context, file);
  const written = decode(read, name);
  if (read.length === 0) throw refusal(`${name} is empty: there is nothing to publish`);
  const about = source.context === undefined ? null : await readContext(context, source.context);
  const { html, files, texts, missing, ...bundled } = await bundle(written, isFile ? file : null);
  if (missing.length > 0 && !source.allowMissing) throw missingError(missing);
  const bytes = html === written ? read : Buffer.from(html);
  const sizeWarnings = await checkSize(context, name, bytes.length, files);
  const secrets = [
    ...describeSecrets(name, written),
    ...texts.flatMap(({ name, text }) => describeSecrets(name, text)),
    ...(about === null ? [] : describeSecrets(source.context ?? '', about.text)),
  ];
  if (secrets.length > 0 && !source.allowSecrets) throw secretsError(secrets);
  const { title, warnings } = checkPage(written, { isBundled: isFile });
  const fileTitle = isFile ? basename(resolve(file), extname(file)).slice(0, maxFileTitle) : null;
  return {
    file: isFile ? file : null,
    bytes,
    html,
    sha256: hash(bytes),
    ownTitle: title ?? fileTitle,
    fileTitle,
    context: about,
    files,
    warnings: [
      ...sizeWarnings,
      ...warnings,
      ...bundled.warnings,
      ...missing.map((what) => `published although it is missing: ${what}`),
      ...secrets.map((secret) => `published although it looks like a secret: ${secret}`),
    ],
  };
}

/** @param file null: stdin has no folder */
async function bundle(html: string, file: string | null): Promise<Bundle> {
  if (file === null) return { html, files: [], texts: [], missing: [], warnings: [] };
  const { bundlePage } = await import('../bundle/bundle.ts'); // here, so that other commands start sooner
  return bundlePage(html, file);
}

function missingError(missing: readonly string[]): CliError {
  const lines = ['not published, because viewers would not see what the page names:', ...missing];
  return refusal(
    `${lines.join('\n  ')}\nPut the files into the folder of the page; or publish without them: --allow-missing.`,
  );
}

export function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

interface Input {
  readonly bytes: Uint8Array;
  /** Whether it is an ordinary file, not a pipe. */
  readonly isFile: boolean;
}

/** @param file a path, or `-` for stdin @throws CliError */
async function readBytes({ io, output }: Context, file: string): Promise<Input> {
  if (file !== '-') return readFileBytes(file);
  if (io.stdin.isTTY) output.note('Reading from the terminal: end with Ctrl+D, or interrupt with Ctrl+C.');
  return { bytes: await collect(io.stdin, 'stdin'), isFile: false };
}

/** Reads no more than a page may have: a path may lead to a device that never ends. */
async function collect(stream: AsyncIterable<Uint8Array>, name: string): Promise<Uint8Array> {
  const bytes = await readAtMost(stream, maxReadBytes);
  if (bytes === null) throw refusal(`${name} is longer than ${maxReadBytes} bytes: that is no page`);
  return bytes;
}

async function readFileBytes(file: string): Promise<Input> {
  try {
    const handle = await open(file);
    try {
      const isFile = (await handle.stat()).isFile();
      return { bytes: await collect(handle.createReadStream({ autoClose: false }), file), isFile };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    const faults: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a folder; name the HTML file in it',
      EACCES: 'you may not read it',
    };
    const code = errorCode(error) ?? '';
    throw new CliError(`cannot read ${file}: ${faults[code] ?? code}`, { code, cause: error });
  }
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const [first, second] = bytes;
    const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    const what = isUtf16 ? 'is UTF-16' : 'is not UTF-8 text';
    throw refusal(`${name} ${what}: a page must be an HTML file in UTF-8`, error);
  }
}

async function readContext(context: Context, file: string): Promise<Page['context']> {
  const { bytes } = await readBytes(context, file);
  return { text: decode(bytes, file === '-' ? 'stdin' : file), sha256: hash(bytes) };
}

const isDiscovery = fields({ limits: fields({ html_max_bytes: isCount }) });

/** @returns a warning if the page is close to the limit @throws CliError if it is over it */
async function checkSize(
  { api }: Context,
  name: string,
  bytes: number,
  files: readonly BundledFile[],
): Promise<string[]> {
  if (bytes < usualMaxBytes * nearLimit) return [];
  const discovery = await api.request('GET', '/.well-known/dropleaf.json', { isPublic: true });
  const max = discovery.json(isDiscovery).limits.html_max_bytes;
  const sizes = `${bytes} of at most ${max} bytes`;
  if (bytes > max) {
    const total = (file: BundledFile) => file.bytes * file.times;
    const largest = files.toSorted((a, b) => total(b) - total(a)).slice(0, 3);
    const named = largest.map((file) => `${file.path} (${describeFile(file)})`).join(', ');
    const hint = named === '' ? '' : ` The largest files in it are ${named}.`;
    throw refusal(`${name} is too large: ${sizes}.${hint} Make its images smaller, or leave data out`);
  }
  return bytes >= max * nearLimit ? [`the page is close to the limit: ${sizes}`] : [];
}

/** Its size, and how often it is in the page. */
export function describeFile({ bytes, times }: BundledFile): string {
  return `${bytes} bytes${times === 1 ? '' : `, ${times} times`}`;
}

function describeSecrets(name: string, text: string): string[] {
  return findSecrets(text, Date.now()).map(
    ({ kind, line, column, start }) => `${name}:${line}:${column}: ${kind} (${start})`,
  );
}

function secretsError(secrets: readonly string[]): CliError {
  const lines = [
    'not published, because the page seems to contain a secret that anybody could read:',
    ...secrets,
  ];
  return refusal(`${lines.join('\n  ')}\nRemove it; or, if it is none, add --allow-secrets.`);
}
