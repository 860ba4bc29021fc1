import { createHash } from 'node:crypto';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { createEffort } from '../../shared/page-checks/effort.ts';
import { checkPage, notWhole } from '../../shared/page-checks/page-checks.ts';
import { findSecrets } from '../../shared/page-checks/secrets.ts';
import type { Bundle, BundledFile, NamedText } from '../bundle/bundle.ts';
import type { Context } from '../context.ts';
import { decodePlain } from '../encoding.ts';
import { type CliError, refusal } from '../errors.ts';
import { hasFields, isCount } from '../guards.ts';
import type { Published } from '../project-file.ts';
import { readBytes, readSource, type Source, type SourceOptions } from './source.ts';
import { titlesOf } from './titles.ts';

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
  /** Whether its context is the Markdown that it was made of. */
  readonly isItsContext: boolean;
  /** Where its context comes from, as `.dropleaf.json` has it. `none`: it has none, even if the version before has one. */
  readonly contextFrom: Published['context'];
  readonly warnings: readonly string[];
  /** How else than usual the file was read, as `.dropleaf.json` has it. */
  readonly as: Source['as'];
  /** The local files that became part of it. */
  readonly files: readonly BundledFile[];
  /** The encoding that it was converted from; null: it was UTF-8. */
  readonly from: string | null;
  /** What of them are modules in an import map; null: none. */
  readonly modules: Bundle['modules'];
}

export interface PageOptions extends SourceOptions {
  /** A path, or `-` for stdin; false: none; undefined: as the last time. */
  readonly context?: string | false | undefined;
  /** Where the context came from the last time; undefined: Markdown is its own context, anything else has none. */
  readonly contextFrom?: Page['contextFrom'];
  readonly allowSecrets?: boolean | undefined;
  /** Publishes a page also if it names files that are not there. */
  readonly allowMissing?: boolean | undefined;
  /** Gets the paths of the files on the disk that the page is made of, and of those that are missing, before all checks. */
  readonly onSources?: (paths: readonly string[]) => void;
}

/** spec 8. A service may have another limit: it is asked when a page comes near this one. */
const usualMaxBytes = 2_097_152;
const nearLimit = 0.9;
const maxFileTitle = 200;

/**
 * Reads a page, and makes the local files that it names part of it.
 * @throws CliError if it cannot be read, is not in the encoding that it names, is too large, names a file that is not there, or seems to contain a secret
 */
export async function readPage(context: Context, options: PageOptions): Promise<Page> {
  const source = await readSource(context, options);
  const { name, html: written, document, file, markdown } = source;
  const contextFrom = originOfContext(options);
  const about = await readContext(context, options.context, contextFrom, source);
  const isItsContext = about !== null && about.text === markdown;
  const { html, files, texts, missing, named, modules, ...bundled } = await bundle(source);
  if (document !== null && source.zipped === null)
    options.onSources?.([document, ...named.map((path) => join(dirname(document), path))]);
  if (missing.length > 0 && !options.allowMissing) throw missingError(missing);
  const bytes = html === written && source.bytes ? source.bytes : Buffer.from(html);
  const sizeWarnings = await checkSize(context, name, bytes.length, files);
  const shown = about === null || isItsContext ? [] : [about];
  const searched = [{ name, text: markdown ?? written }, ...texts, ...shown].map(searchSecrets);
  const secrets = searched.flatMap((one) => one.secrets);
  if (secrets.length > 0 && !options.allowSecrets) throw secretsError(secrets);
  const { warnings } = checkPage(written, { isBundled: document !== null });
  const fileTitle = file && basename(resolve(options.file), extname(options.file)).slice(0, maxFileTitle);
  const [ownTitle] = await titlesOf(bytes, fileTitle);
  return {
    file,
    bytes,
    html,
    sha256: hash(bytes),
    ownTitle: ownTitle ?? null,
    fileTitle,
    context: about && { text: about.text, sha256: hash(Buffer.from(about.text)) },
    isItsContext,
    contextFrom: isItsContext ? undefined : contextFrom,
    as: source.as,
    files,
    from: source.from,
    modules,
    warnings: [
      ...sizeWarnings,
      ...searched.filter((one) => !one.isWhole).map((one) => `${one.name}: ${notWhole}`),
      ...source.warnings,
      ...warnings,
      ...bundled.warnings,
      ...(markdown !== null && about === null && contextFrom === undefined ? [tooLongContext] : []),
      ...missing.map((what) => `published although it is missing: ${what}`),
      ...secrets.map((secret) => `published although it looks like a secret: ${secret}`),
    ],
  };
}

async function bundle({ html, document, zipped, markdown, from }: Source): Promise<Bundle> {
  const none = { files: [], texts: [], missing: [], named: [], warnings: [], modules: null };
  if (document === null) return { html, ...none };
  const { bundlePage, folderOf } = await import('../bundle/bundle.ts'); // here, so that other commands start sooner
  const folder = zipped === null ? undefined : folderOf(zipped);
  return bundlePage(html, document, { folder, hasLines: markdown === null, from });
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

/** spec 8. Only of Markdown that is its own context: what the user names is sent, and the service answers. */
const usualMaxContextBytes = 65_536;
const tooLongContext = `the Markdown is not the context of the version: it has more than ${usualMaxContextBytes} bytes`;

/** @returns the context and what it is called; null: none */
async function readContext(
  context: Context,
  file: PageOptions['context'],
  from: Page['contextFrom'],
  { name, markdown }: Source,
): Promise<NamedText | null> {
  if (typeof file === 'string')
    return { name: file, text: decodePlain((await readBytes(context, file)).bytes, file).text };
  const isWanted = from === undefined && markdown !== null;
  return isWanted && Buffer.byteLength(markdown) <= usualMaxContextBytes ? { name, text: markdown } : null;
}

function originOfContext({ context, contextFrom }: PageOptions): Page['contextFrom'] {
  if (context === undefined) return contextFrom;
  return context === false ? 'none' : 'other';
}

const isDiscovery = hasFields({ limits: hasFields({ html_max_bytes: isCount }) });

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
    throw refusal(
      `${name} is too large: ${sizes}.${hint} Make its images smaller, leave data out, or name large libraries by their https address`,
    );
  }
  return bytes >= max * nearLimit ? [`the page is close to the limit: ${sizes}`] : [];
}

/** Its size, and how often it is in the page. */
export function describeFile({ bytes, times }: BundledFile): string {
  return `${bytes} bytes${times === 1 ? '' : `, ${times} times`}`;
}

function searchSecrets({ name, text }: NamedText) {
  const effort = createEffort();
  const secrets = findSecrets(text, Date.now(), effort).map(
    ({ kind, line, column, start }) => `${name}:${line}:${column}: ${kind} (${start})`,
  );
  return { name, secrets, isWhole: effort.left >= 0 };
}

function secretsError(secrets: readonly string[]): CliError {
  const lines = [
    'not published, because the page seems to contain a secret that anybody could read:',
    ...secrets,
  ];
  return refusal(`${lines.join('\n  ')}\nRemove it; or, if it is none, add --allow-secrets.`);
}
