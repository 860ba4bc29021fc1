import { expect } from 'chai';
import type { Answer, Client } from './client.ts';
import { expectErrorPage } from './expect.ts';
import { type HtmlElement, type HtmlPage, parsePage } from './html.ts';

/** What a browser sends when it opens a page. */
export const navigation = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

export interface Shown {
  readonly status: number;
  readonly path: string;
  readonly answer: Answer;
  readonly page: HtmlPage;
  /** What it says, in one line. */
  readonly text: string;
}

/** A field of a form: text, or a file. */
export type Field =
  | string
  | { readonly filename: string; readonly type?: string; readonly bytes: string | Uint8Array };

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields in place of those that the page's form has. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Of the form to send; unset: the first that does not sign out. */
  readonly action?: string;
}

/** Somebody with a browser of their own: it keeps cookies, follows redirects within the service, sends forms. */
export interface Person {
  /** The Cookie header as it stands; '' for none. */
  cookie: string;
  open(path: string, sent?: Sent): Promise<Shown>;
  /** Fills in the page's form, its hidden fields as they are, and sends it. */
  submit(shown: Shown, fields: Readonly<Record<string, string>>, sent?: Sent): Promise<Shown>;
  /** Sends a form, and follows nothing. */
  post(path: string, fields: Readonly<Record<string, string>>, sent?: Sent): Promise<Answer>;
  /** The same as `multipart/form-data`. */
  postParts(path: string, fields: Readonly<Record<string, Field>>, sent?: Sent): Promise<Answer>;
  get(path: string, sent?: Sent): Promise<Answer>;
}

export function createPerson(client: Client): Person {
  async function send(method: string, path: string, headers: Record<string, string>, raw?: string | Buffer) {
    const cookie = person.cookie === '' ? {} : { cookie: person.cookie };
    const answer = await client.request(method, path, {
      headers: { ...navigation, ...cookie, ...headers },
      ...(raw !== undefined && { raw }),
    });
    for (const line of answer.cookies) keep(line);
    return answer;
  }

  function keep(line: string): void {
    const [pair = ''] = line.split(';', 1);
    const name = pair.slice(0, pair.indexOf('=') + 1);
    const others = person.cookie.split('; ').filter((other) => other !== '' && !other.startsWith(name));
    person.cookie = [...others, ...(/;\s*Max-Age=0\b/i.test(line) ? [] : [pair])].join('; ');
  }

  const sendForm = (path: string, type: string, body: string | Buffer, { headers }: Sent = {}) => {
    const own = { 'content-type': type, origin: client.url, 'sec-fetch-site': 'same-origin' };
    return send('POST', path, { ...own, ...headers }, body);
  };

  const post: Person['post'] = (path, fields, sent) =>
    sendForm(path, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString(), sent);

  const get: Person['get'] = (path, { headers = {} } = {}) =>
    send('GET', path, { 'sec-fetch-site': 'none', ...headers });

  /** To the end of the redirects within the service; what leads away is shown as it is. */
  async function arrive(path: string, answer: Answer): Promise<Shown> {
    const target = new URL(answer.headers.location ?? '', client.url + path);
    if (answer.status === 303 && target.origin === client.url) {
      const next = target.pathname + target.search;
      return arrive(next + target.hash, await get(next, { headers: { 'sec-fetch-site': 'same-origin' } }));
    }
    const page = parsePage(answer.text);
    const text = (page.find('main')?.text ?? '').replace(/\s+/g, ' ').trim();
    return { status: answer.status, path, answer, page, text };
  }

  const person: Person = {
    cookie: '',
    get,
    post,
    postParts: (path, fields, sent) =>
      sendForm(path, `multipart/form-data; boundary=${boundary}`, multipart(fields), sent),
    open: async (path, sent) => arrive(path, await get(path, sent)),
    async submit(shown, fields, sent) {
      const form = shown.page
        .all('form')
        .find(({ attributes: { method, action = '' } }) =>
          sent?.action === undefined
            ? method === 'post' && action !== '/sign-out'
            : method === 'post' && action === sent.action,
        );
      if (form === undefined) throw new Error(`${shown.path} has no such form: ${shown.text}`);
      const all = fieldsOf(shown.page, form);
      const path = new URL(form.attributes.action || shown.path, client.url).pathname;
      const answer = await post(path, { ...all, ...fields }, sent);
      if (answer.status !== 307) return arrive(path, answer);
      const next = answer.headers.location ?? '';
      return arrive(next, await post(next, { ...all, ...fields }, sent));
    },
  };
  return person;
}

const boundary = '----form-boundary';

function multipart(fields: Readonly<Record<string, Field>>): Buffer {
  const parts = Object.entries(fields).flatMap(([name, field]) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
    if (typeof field === 'string') return [Buffer.from(`${head}\r\n\r\n${field}\r\n`)];
    const { filename, type = 'text/html', bytes } = field;
    const file = `${head}; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`;
    return [Buffer.from(file), Buffer.from(bytes), Buffer.from('\r\n')];
  });
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

/** What a browser would send of the form as it stands. */
export function fieldsOf(page: HtmlPage, form: HtmlElement): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { attributes } of page.within(form, 'input')) {
    const { name, type = 'text', value = '' } = attributes;
    const isLeftOut = /^(checkbox|radio)$/.test(type) && attributes.checked === undefined;
    if (name !== undefined && !isLeftOut)
      fields[name] = type === 'hidden' ? value : value.replace(/[\r\n]/g, '');
  }
  for (const { attributes, text } of page.within(form, 'textarea')) {
    if (attributes.name !== undefined) fields[attributes.name] = text;
  }
  for (const select of page.within(form, 'select')) {
    const options = page.within(select, 'option');
    const chosen = options.find(({ attributes }) => attributes.selected !== undefined) ?? options[0];
    const { name } = select.attributes;
    if (name !== undefined && chosen !== undefined) fields[name] = chosen.attributes.value ?? chosen.text;
  }
  return fields;
}

/** Asserts that a person is told of an error by a page that carries the envelope. @returns its details */
export function expectRefusal(shown: Shown, status: number, code: string): Record<string, unknown> {
  expect(shown.page.all('h1')).to.have.length(1);
  return expectErrorPage(shown.answer, status, code);
}
