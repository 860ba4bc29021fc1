import type { IncomingMessage, ServerResponse } from 'node:http';
import { useServer } from '../support/listen.ts';

interface StoredDrop {
  readonly slug: string;
  readonly title: string;
  readonly html: string;
  readonly rev: number;
  readonly version: number;
  readonly access: string;
  readonly people: readonly string[];
}

interface SentDrop {
  readonly title?: string;
  readonly html?: string;
  readonly access?: string;
  readonly people?: readonly string[];
  readonly people_add?: readonly string[];
  readonly people_remove?: readonly string[];
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly json: unknown;
}

/** What a service that restricts access answers, as far as the client uses it, for the tests of the surrounding suite. */
export function useSharingDouble() {
  const server = useServer((req, res) => void answer(req, res));
  const drops = new Map<string, StoredDrop>();
  const double = {
    get url() {
      return server.url;
    },
    /** Every one since the test began. */
    requests: [] as SeenRequest[],
    /** The pages of others, as GET /api/shared answers them. */
    shared: [] as object[],
    /** Whether it is of an earlier release: it ignores what it does not know. */
    isOlder: false,
    drop: (slug: string) => drops.get(slug),
  };
  beforeEach(() => {
    drops.clear();
    Object.assign(double, { requests: [], shared: [], isOlder: false });
  });

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { seen, sent } = await readRequest(req);
    double.requests.push(seen);
    const { method, path, query } = seen;
    const [, slug = '', below] = /^\/api\/drops\/(\w+)(\/html)?$/.exec(path) ?? [];
    const stored = drops.get(slug);
    if (path === '/api/shared' && !double.isOlder) return sendShared(res, query);
    if (path === '/api/drops' && method === 'GET') {
      const pagination = { total_pages: 1, total_items: drops.size };
      return send(res, 200, { data: [...drops.values()].map(present), pagination });
    }
    if (path === '/api/drops') return store(res, 201, changed(newDrop(drops.size + 1), sent));
    if (stored === undefined)
      return send(res, 404, { error: { code: 'not_found', message: 'No such drop' } });
    if (below !== undefined) return sendSource(res, stored);
    return method === 'GET' ? store(res, 200, stored) : store(res, 200, changed(stored, sent));
  }

  function sendShared(res: ServerResponse, { limit = '50', after = '0' }: Record<string, string>): void {
    const end = Number(after) + Number(limit);
    const isLast = end >= double.shared.length;
    send(res, 200, { data: double.shared.slice(Number(after), end), ...(!isLast && { next: String(end) }) });
  }

  function changed(drop: StoredDrop, sent: SentDrop): StoredDrop {
    const { access = drop.access, people = drop.people, people_add = [], people_remove = [] } = sent;
    const listed = [...new Set([...people, ...people_add])].filter((one) => !people_remove.includes(one));
    const { title = drop.title, html = drop.html } = sent;
    const version = sent.html === undefined ? drop.version : drop.version + 1;
    const next = { ...drop, title, html, version, rev: drop.rev + 1 };
    return double.isOlder ? next : { ...next, access, people: access === 'named' ? listed : [] };
  }

  function store(res: ServerResponse, status: number, drop: StoredDrop): void {
    drops.set(drop.slug, drop);
    send(res, status, present(drop), { etag: `"${drop.rev}"` });
  }

  function present({ slug, title, version, access, people }: StoredDrop): object {
    return {
      slug,
      title,
      url: `${server.url}/p/${slug}`,
      locked: false,
      latest_version: version,
      view_count: 0,
      updated_at: 1_700_000_000_000,
      ...(access !== 'link' && { access }),
      ...(access === 'named' && { people }),
    };
  }

  return double;
}

async function readRequest(req: IncomingMessage): Promise<{ seen: SeenRequest; sent: SentDrop }> {
  const { pathname: path, searchParams } = new URL(req.url ?? '', 'http://double');
  const query = Object.fromEntries(searchParams);
  const text = (await req.toArray()).join('');
  const isHtml = req.headers['content-type'] === 'text/html';
  const json = text === '' || isHtml ? null : JSON.parse(text);
  const sent = isHtml ? { ...query, html: text } : { ...json };
  return { seen: { method: req.method ?? '', path, query, json }, sent };
}

function newDrop(number: number): StoredDrop {
  return { slug: `drop${number}`, title: '', html: '', rev: 0, version: 0, access: 'link', people: [] };
}

function sendSource(res: ServerResponse, { html }: StoredDrop): void {
  res.writeHead(200, { 'content-type': 'text/html', 'content-disposition': 'attachment' }).end(html);
}

function send(res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
