import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type HtmlFile, readHtmlFile, textDocument } from '../../shared/html/html-file.ts';
import { confirm } from '../ask.ts';
import type { Context } from '../context.ts';
import { decodeDocument, decodePlain } from '../encoding.ts';
import { CliError, refusal } from '../errors.ts';
import { fileError } from '../faults.ts';
import { maxReadBytes, readAtMost } from '../read-at-most.ts';

/** What a page is made of. */
export interface Source {
  readonly html: string;
  /** The bytes that `html` was read from; null: it was made of something else. */
  readonly bytes: Uint8Array | null;
  /** What is published, for people. */
  readonly name: string;
  /** What the page is remembered by; null: stdin or another pipe, of which nothing can be remembered. */
  readonly file: string | null;
  /** The path of the document, whose folder has its local files; null: a pipe, which has no folder. */
  readonly document: string | null;
  /** The local files if they are in a zip file, by their paths below the document's folder; null: they are on the disk. */
  readonly zipped: ReadonlyMap<string, Uint8Array> | null;
  /** How else than usual the file was read, as `.dropleaf.json` has it. */
  readonly as: 'html' | 'text' | undefined;
  /** The Markdown that the document was made of; null: none. */
  readonly markdown: string | null;
  /** The encoding that it was converted from; null: it was UTF-8. */
  readonly from: string | null;
  readonly warnings: readonly string[];
}

export interface SourceOptions {
  /** A path, or `-` for stdin. */
  readonly file: string;
  /** Whether the file is HTML, whatever its name is; HTML in Markdown is markup then. */
  readonly html?: boolean | undefined;
  /** Whether the file is shown as it is written. Absent: a person is asked if it has no tag, or is named otherwise. */
  readonly text?: boolean | undefined;
}

const index = 'index.html';

/**
 * Reads an HTML file, Markdown, a folder or a zip file with an `index.html`, or stdin.
 * @throws CliError if it cannot be read, or is no page
 */
export async function readSource(context: Context, options: SourceOptions): Promise<Source> {
  const { file } = options;
  const path = file === '-' ? file : pathOfPage(file);
  if (path !== file && !existsSync(path)) throw refusal(`${file} has no ${index}: name the page in it`);
  const kind = extname(path).toLowerCase();
  if (kind === '.ipynb')
    throw refusal(
      `${file} is a notebook, and no page. Export it, and publish what that makes: jupyter nbconvert --to html ${file}`,
    );
  const { bytes, isFile } = await readBytes(context, path);
  const remembered = isFile ? path : null;
  const where = {
    name: nameOf(path),
    file: remembered,
    document: remembered,
    zipped: null,
    markdown: null,
    from: null,
    as: undefined,
    warnings: [],
  };
  if (kind === '.zip') return readZip(file, bytes, where);
  if (bytes.length === 0) throw refusal(`${where.name} is empty: there is nothing to publish`);
  if (/^\.(?:md|markdown)$/.test(kind) && !options.text) {
    const { toDocument } = await import('../markdown/document.ts'); // here, so that other commands start sooner
    const hasHtml = options.html ?? false;
    const otherTitle = basename(path, extname(path));
    const { text: written, from } = decodePlain(bytes, where.name);
    const { text, ...made } = toDocument(written, { hasHtml, otherTitle });
    return { ...where, ...made, from, bytes: null, markdown: text, as: hasHtml ? 'html' : undefined };
  }
  const type = isPageName(basename(path)) ? '' : 'text/plain';
  const read = readHtmlFile(bytes, { name: basename(path), type });
  refuseOtherKind(read, where.name);
  const written = decodeDocument(bytes, where.name);
  if (options.html) return { ...where, ...written, as: 'html' };
  if ('html' in read && !options.text) return { ...where, ...written };
  if (!options.text) await askForText(context, where.name);
  const text = 'text' in read ? read.text : written.html.replace('\ufeff', '');
  const html = textDocument(text, file === '-' ? '' : basename(path));
  return { ...where, html, bytes: null, from: written.from, as: 'text' };
}

/** @throws CliError if it is a PDF or the like */
function refuseOtherKind(read: HtmlFile, name: string): void {
  if ('fault' in read && read.encoding === undefined)
    throw refusal(`${name} cannot be published. ${read.fault}`);
}

/** Of HTML and SVG; pipes have none. */
function isPageName(name: string): boolean {
  return !name.includes('.') || /\.(?:x?html?|svg)$/i.test(name);
}

/** The path of the page that a path means: of a folder, its `index.html`. */
export function pathOfPage(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, index) : path;
}

function nameOf(file: string): string {
  return file === '-' ? 'stdin' : file;
}

async function readZip(
  file: string,
  bytes: Uint8Array,
  where: Omit<Source, 'html' | 'bytes'>,
): Promise<Source> {
  const { unzip } = await import('./unzip.ts'); // as above
  const zipped = unzip(bytes, file);
  const page = zipped.get(index);
  if (page === undefined) throw refusal(`${file} has no ${index}`);
  const document = join(file, index);
  return { ...where, document, zipped, ...decodeDocument(page, document) };
}

/** @throws CliError unless the text is meant to be published as it is written */
async function askForText({ io, canAsk }: Context, name: string): Promise<void> {
  const question = `${name} does not look like HTML. Publish it as plain text?`;
  if (canAsk && (await confirm(io, question))) return;
  throw refusal(
    `${name} does not look like HTML: to publish it as plain text add --text; if it is HTML, --html`,
  );
}

interface Input {
  readonly bytes: Uint8Array;
  /** Whether it is an ordinary file, not a pipe. */
  readonly isFile: boolean;
}

/** @param file a path, or `-` for stdin @throws CliError */
export async function readBytes({ io, output }: Context, file: string): Promise<Input> {
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
    throw fileError('read', file, error);
  }
}
