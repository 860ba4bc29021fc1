import { brotliDecompressSync } from 'node:zlib';
import type { Answer } from '../support/client.ts';
import type { Facts, History, Property } from './history.ts';
import type { Web } from './processes.ts';

/** What a request asks for: the raw page (its latest version, or the one of that number), or the viewer. */
export type Asked = 'raw' | 'viewer' | number;

const shown = { removed: 'no', takenDown: 'no', locked: 'no' } as const;
const lockedOnly = { ...shown, locked: 'yes' } as const;

/** Sends requests of public pages and enters in the history what they saw. */
export function createReader(history: History) {
  /** The document of each ETag that a 200 had. */
  const documents = new Map<string, string>();
  const etags = new Map<string, string>(); // by path and encoding: the last one
  const pending = new Set<Promise<void>>();

  function factsOf(asked: Asked, answer: Answer, sentEtag: string | undefined): Facts {
    const property = typeof asked === 'number' ? (`v${asked}` as const) : 'head';
    if (answer.status === 304) return { ...shown, [property]: documents.get(sentEtag ?? '') ?? 'unknown' };
    if (answer.status !== 200) return factsOfRefusal(property, answer);
    if (asked === 'viewer') return factsOfViewer(decodedText(answer));
    const document = documentIn(answer);
    if (answer.headers.etag !== undefined) documents.set(answer.headers.etag, document);
    return { ...shown, [property]: document };
  }

  async function read(
    web: Web,
    slug: string,
    asked: Asked,
    options: { isBrotli: boolean; isConditional: boolean },
  ) {
    const query = typeof asked === 'number' ? `?v=${asked}` : '';
    const path = `/p/${slug}${asked === 'viewer' ? '' : `/raw${query}`}`;
    const key = `${path} ${options.isBrotli}`;
    const etag = options.isConditional ? etags.get(key) : undefined;
    const headers = {
      ...(options.isBrotli && { 'accept-encoding': 'br' }),
      ...(etag !== undefined && { 'if-none-match': etag }),
    };
    const begun = performance.now();
    const answer = await web.client.get(path, { headers }).catch(() => null);
    const ended = performance.now();
    const saw = answer === null ? {} : factsOf(asked, answer, etag);
    if (answer?.headers.etag !== undefined) etags.set(key, answer.headers.etag);
    history.reads.push({ slug, path, through: web.name, begun, ended, status: answer?.status ?? 0, saw });
    return answer !== null;
  }

  return {
    /** @returns whether there was an answer */
    read,
    /** Sends a request without waiting for its answer. */
    send(...args: Parameters<typeof read>): void {
      const sent: Promise<void> = read(...args).then(() => void pending.delete(sent));
      pending.add(sent);
    },
    /** Waits for the answers to `send`. */
    settle: () => Promise.all(pending),
  };
}

function factsOfRefusal(property: Property, { status, body }: Answer): Facts {
  if (status === 410) return { removed: 'no', takenDown: 'yes' };
  if (status === 403) return lockedOnly;
  const code = status === 404 ? body.error.code : '';
  if (code === 'version_not_found') return { ...shown, [property]: 'absent' };
  return code === 'not_found' ? { removed: 'yes' } : {};
}

function factsOfViewer(text: string): Facts {
  if (text.includes('name="passcode"')) return lockedOnly;
  return { ...shown, title: /Title (t\d+)/.exec(text)?.[1] ?? 'unknown' };
}

function decodedText({ headers, bytes, text }: Answer): string {
  return headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes).toString() : text;
}

function documentIn(answer: Answer): string {
  const html = decodedText(answer);
  return /Document (m\d+)/.exec(html)?.[1] ?? `none in ${html.length} characters: ${html.slice(0, 100)}`;
}
