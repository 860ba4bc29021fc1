import { expect } from 'chai';
import type { Answer } from './client.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';
import type { HtmlElement } from './html.ts';
import { createPerson, type Person, type Shown } from './person.ts';
import type { TestService } from './service.ts';

type Fields = Readonly<Record<string, string>>;

export interface ShownThread {
  readonly id: string;
  readonly state: string;
  /** What it says, in one line. */
  readonly text: string;
  /** What the reader can do with it. */
  readonly acts: string[];
}

/** Pages with comments, and people in front of them. @param service with TRUST_PROXY 1 */
export function createCommentScene(service: TestService) {
  let lastAddress = 0;

  /** A browser at an address of its own. */
  const at = (person: Person, address = `192.0.2.${++lastAddress}`) => {
    const from = { 'x-forwarded-for': address };
    const pathOf = (slug: string, query = '') => `/p/${slug}/comments${query}`;

    async function open(slug: string, query = ''): Promise<Shown & { threads: ShownThread[] }> {
      const shown = await person.open(pathOf(slug, query), { headers: from });
      return { ...shown, threads: threadsOf(shown) };
    }

    /** The hidden fields of the page's forms, as the browser sends them. */
    function hiddenOf({ page }: Shown): Fields {
      const value = (name: string) => page.find('input', { name })?.attributes.value;
      const own = { form_id: value('form_id'), form_token: value('form_token') };
      return Object.fromEntries(Object.entries(own).filter(([, field]) => field !== undefined)) as Fields; // proof: filtered
    }

    const post = (slug: string, fields: Fields, headers: Fields = {}, query = ''): Promise<Answer> =>
      person.post(pathOf(slug, query), fields, { headers: { ...from, ...headers } });

    return {
      open,
      post,
      hiddenOf,
      get: (slug: string, headers: Fields = {}, query = '') =>
        person.get(pathOf(slug, query), { headers: { ...from, ...headers } }),

      /** Opens the page, and sends a form of it. @returns the answer */
      async send(slug: string, fields: Fields, query = ''): Promise<Answer> {
        return post(slug, { ...hiddenOf(await open(slug, query)), ...fields }, {}, query);
      },

      /** Writes a comment. @returns its id */
      async write(slug: string, text: string, fields: Fields = {}, query = ''): Promise<string> {
        const answer = await this.send(slug, { act: 'add', text, name: 'Guest', ...fields }, query);
        expect(answer.status, answer.text).to.equal(303);
        return (answer.headers.location ?? '').split('#t-')[1] ?? expect.fail('no id');
      },

      /** Does something with a thread. */
      async act(slug: string, act: string, id: string, fields: Fields = {}): Promise<void> {
        const answer = await this.send(slug, { act, id, ...fields });
        expect(answer.status, answer.text).to.equal(303);
      },
    };
  };

  return {
    at,
    guest: (address?: string) => at(createPerson(service), address),
    async member() {
      return at(await openDashboard(service));
    },

    /** A drop, and its owner in front of it. */
    async publish(fields: object = { comments: 'anyone' }) {
      const dashboard: Dashboard = await openDashboard(service);
      const { slug } = await dashboard.owner.create(fields);
      return { slug, dashboard, owner: at(dashboard) };
    },
  };
}

function threadsOf({ page }: Shown): ShownThread[] {
  const ofClass = ({ attributes }: HtmlElement) => attributes.class === 'thread';
  return page
    .all('li')
    .filter(ofClass)
    .map((thread) => ({
      id: thread.attributes.id?.slice(2) ?? '',
      state: thread.attributes['data-state'] ?? '',
      text: thread.text.replace(/\s+/g, ' ').trim(),
      acts: page
        .within(thread, 'input')
        .filter(({ attributes }) => attributes.name === 'act')
        .map(({ attributes }) => attributes.value ?? ''),
    }));
}
