import { randomUUID } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from './errors.ts';
import {
  type Guarded,
  hasFields,
  isAbsentOr,
  isCount,
  isEtag,
  isRecord,
  isSlug,
  isText,
  isTime,
  isToken,
} from './guards.ts';
import { changeFile, readText } from './locked-file.ts';

/** What the client remembers of a published file. Nothing in it is secret. */
const isPublished = hasFields({
  slug: isSlug,
  version: isCount,
  /** The ETag of the drop as this client last saw it, with its quotes; absent: the service gave none. */
  etag: isAbsentOr(isEtag),
  /** The SHA-256 of the bytes that were published, in hex. */
  sha256: isText,
  /** That of the context that was published with them; absent: none. */
  context_sha256: isAbsentOr(isText),
  /** `html`: with --html; `text`: with --text; absent: neither. */
  as: isAbsentOr(isText),
  /** Of Markdown, `none`: with --no-context; `other`: with --context; absent: it is its own context. */
  context: isAbsentOr(isText),
  /** When the page expires, as this client last saw it, in Unix ms; absent: never. */
  expires_at: isAbsentOr(isTime),
  /** Up to where `comments --wait` printed its comments; absent: it printed none. */
  comments: isAbsentOr(isText),
});
export type Published = Guarded<typeof isPublished>;

/** The Idempotency-Key of a first publish whose answer has not come, and may never. */
const isCreating = hasFields({ creating: isToken });

type Entry = Published | Guarded<typeof isCreating>;

/**
 * `.dropleaf.json`, safe to commit; unknown members stay: `{"files": {"report.html": {"https://drops.example": {"slug": …}}}}`.
 */
interface Project {
  readonly files: Readonly<Record<string, Readonly<Record<string, Entry>>>>;
}

export const projectFileName = '.dropleaf.json';

/** @returns null if this file was not published there @throws CliError if `.dropleaf.json` is not valid */
export function recall(file: string, origin: string): Published | null {
  const path = projectPath(file);
  const entry = entryOf(parse(path, readText(path)), nameOf(file), origin);
  return entry === null || 'creating' in entry ? null : entry;
}

/** @returns the files of a folder that were published there, by their paths @throws CliError as `recall` does */
export function recallAll(folder: string, origin: string): [file: string, published: Published][] {
  const path = join(resolve(folder), projectFileName);
  const project = parse(path, readText(path));
  return Object.keys(project.files).flatMap((name) => {
    const entry = entryOf(project, name, origin);
    return entry === null || 'creating' in entry ? [] : [[join(folder, name), entry]];
  });
}

/**
 * The Idempotency-Key for a file's first publish, remembered before it is sent: parallel or repeated ones make one drop.
 * @returns what was published, if another process has published the file meanwhile @throws CliError as `remember` does
 */
export async function keyOfFirst(file: string, origin: string): Promise<string | Published> {
  const key = randomUUID();
  let first: string | Published = key;
  await change(file, origin, (before) => {
    if (before === null) return { creating: key };
    first = 'creating' in before ? before.creating : before;
    return before;
  });
  return first;
}

/**
 * @param published null forgets the file; of the same drop, what it leaves out of comments stays
 * @returns what was remembered before
 * @throws CliError if `.dropleaf.json` is not valid or cannot be written; it is then as it was
 */
export async function remember(
  file: string,
  origin: string,
  published: Published | null,
): Promise<Published | null> {
  let known: Published | null = null;
  await change(file, origin, (before) => {
    known = before === null || 'creating' in before ? null : before;
    return published?.slug === known?.slug && published
      ? { comments: known?.comments, ...published }
      : published;
  });
  return known;
}

/** Changes nothing if the file became another page meanwhile. @throws CliError as `remember` does */
export async function rememberComments(file: string, origin: string, slug: string, comments: string) {
  await change(file, origin, (before) =>
    before !== null && 'slug' in before && before.slug === slug ? { ...before, comments } : before,
  );
}

async function change(
  file: string,
  origin: string,
  next: (before: Entry | null) => Entry | null,
): Promise<void> {
  const path = projectPath(file);
  const name = nameOf(file);
  const rewrite = (text: string | null): string => {
    const project = parse(path, text);
    const files = new Map(Object.entries(project.files));
    const origins = new Map(Object.entries(files.get(name) ?? {}));
    const entry = next(origins.get(origin) ?? null);
    if (entry === null) origins.delete(origin);
    else if (isPublished(entry) || isCreating(entry)) origins.set(origin, entry);
    else throw new CliError(`${origin} did not answer as a Dropleaf service does: ${path} is as it was`);
    if (origins.size === 0) files.delete(name);
    else files.set(name, Object.fromEntries(origins));
    // Sorted, so that two people who publish different files rarely meet in a merge.
    const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
    return `${JSON.stringify({ ...project, files: Object.fromEntries(sorted) }, null, 2)}\n`;
  };
  await changeFile(path, 0o644, rewrite);
}

function entryOf({ files }: Project, name: string, origin: string): Entry | null {
  const origins = Object.hasOwn(files, name) ? files[name] : undefined;
  return origins !== undefined && Object.hasOwn(origins, origin) ? (origins[origin] ?? null) : null;
}

function projectPath(file: string): string {
  return join(dirname(resolve(file)), projectFileName);
}

/** macOS may write another normal form than Linux. */
function nameOf(file: string): string {
  return basename(resolve(file)).normalize('NFC');
}

function parse(path: string, text: string | null): Project {
  if (text === null) return { files: {} };
  const fault = (problem: string) =>
    new CliError(
      `${path} is not valid: ${problem}. Repair it; or remove it, and the next publish makes new drops. Nothing was changed`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = /^<{7}|^={7}|^>{7}/m.test(text) ? 'it has merge conflicts' : 'it is not JSON';
    throw new CliError(fault(reason).message, { cause: error });
  }
  if (!isRecord(value) || !isRecord(value.files)) throw fault('"files" must be an object');
  for (const [name, origins] of Object.entries(value.files)) {
    // The file may come from somebody else: it names no file of another folder.
    if (name !== basename(name) || /^\.{0,2}$/.test(name))
      throw fault(`${name} is no name of a file beside it`);
    if (!isRecord(origins)) throw fault(`the entry of ${name} must be an object`);
    for (const [origin, entry] of Object.entries(origins)) {
      if (!isPublished(entry) && !isCreating(entry))
        throw fault(`the entry of ${name} for ${origin} is incomplete`);
    }
  }
  return value as unknown as Project; // proof: its files were checked above
}
