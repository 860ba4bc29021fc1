import type { Answer, Client } from './client.ts';
import { parsePage } from './html.ts';
import { createPerson, fieldsOf, navigation } from './person.ts';
import { type Connection, openConnection, requestHead } from './socket.ts';

export const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

interface FormOptions {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Entered {
  readonly unlocked: Answer;
  /** As a browser sends it. */
  readonly cookie: string;
  readonly viewer: Answer;
  readonly frame: string;
}

/** What people do in browsers, and what odd clients do on bare connections. */
export interface Visits {
  view(path: string): Promise<Answer>;
  /** Fills in the passcode form of a drop and sends it, as a browser would. */
  unlock(slug: string, passcode: string, options?: FormOptions): Promise<Answer>;
  /** Unlocks and follows the redirect. `frame` is the path of the page in the viewer's frame. @throws if refused */
  enter(slug: string, passcode: string, options?: FormOptions): Promise<Entered>;
  connect(): Promise<Connection>;
  head(method: string, path: string, headers?: Readonly<Record<string, string>>): string;
  /** Sends a head and nothing of the body that it promises; the answer that comes all the same. */
  sendHead(method: string, path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a whole request of JSON, and only then begins to read. @throws if the service does not take all of it */
  sendWhole(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
  ): Promise<Answer>;
  /** Repeats what may fail for now, for at most 40 seconds. */
  eventually(attempt: () => Promise<void>): Promise<void>;
}

export function visitsOf(client: Client): Visits {
  async function onConnection(use: (connection: Connection) => Promise<void>): Promise<Answer> {
    const connection = await openConnection(client.url);
    try {
      await use(connection);
      return await connection.answer();
    } finally {
      connection.close();
    }
  }

  async function unlock(slug: string, passcode: string, { query = '', headers = {} }: FormOptions = {}) {
    const path = `/p/${slug}${query}`;
    const { text } = await client.get(path, { headers });
    const page = parsePage(text);
    const form = page.find('form', { method: 'post' });
    const field = page.find('input', { type: 'password' });
    if (form === undefined || field === undefined) throw new Error(`${path} has no passcode form: ${text}`);
    const fields = { ...fieldsOf(page, form), [field.attributes.name ?? '']: passcode };
    const target = new URL(form.attributes.action || path, client.url + path);
    const sent = { 'user-agent': browser, ...headers };
    return createPerson(client).post(target.pathname + target.search, fields, { headers: sent });
  }

  return {
    view: (path) =>
      client.get(path, { headers: { 'user-agent': browser, ...navigation, 'sec-fetch-site': 'none' } }),

    unlock,

    async enter(slug, passcode, options = {}) {
      const unlocked = await unlock(slug, passcode, options);
      if (![302, 303].includes(unlocked.status)) throw new Error(`not unlocked: ${unlocked.text}`);
      const cookie = unlocked.cookies.map((line) => line.split(';', 1)[0]).join('; ');
      const target = new URL(unlocked.headers.location ?? '', client.url);
      const viewer = await client.get(target.pathname + target.search, {
        headers: { ...options.headers, cookie },
      });
      const frame = new URL(parsePage(viewer.text).find('iframe')?.attributes.src ?? '', target);
      return { unlocked, cookie, viewer, frame: frame.pathname + frame.search };
    },

    connect: () => openConnection(client.url),
    head: (method, path, headers = {}) => requestHead(method, path, headers),
    sendHead: (method, path, headers = {}) =>
      onConnection((connection) => connection.send(requestHead(method, path, headers))),

    sendWhole: (method, path, headers, body) =>
      onConnection(async (connection) => {
        const entity = { 'content-type': 'application/json', 'content-length': String(body.length) };
        const head = Buffer.from(requestHead(method, path, { ...entity, ...headers }));
        await connection.sendAll(Buffer.concat([head, body])); // at once, as programs do
      }),

    async eventually(attempt) {
      const deadline = performance.now() + 40_000;
      for (;;) {
        try {
          return await attempt();
        } catch (error) {
          if (performance.now() > deadline) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    },
  };
}
