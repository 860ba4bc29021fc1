import { expect } from 'chai';
import type { Report } from '../../shared/reports/report.ts';
import type { Answer, Client } from './client.ts';
import { type HtmlPage, parsePage } from './html.ts';
import { createPerson } from './person.ts';
import type { TestService } from './service.ts';

type Fields = Readonly<Record<string, string>>;

/** Somebody who reports pages. */
interface Reporter {
  /** The form, and its hidden id. @throws where there is none */
  open(slug: string, query?: string): Promise<{ answer: Answer; page: HtmlPage; id: string }>;
  /** Sends a form with these fields. */
  send(path: string, fields: Fields, headers?: Fields): Promise<Answer>;
  /** Opens the form, fills it in and sends it. */
  report(slug: string, fields?: Fields): Promise<Answer>;
}

/** @param address where they are, to the limits: it is believed where TRUST_PROXY is 1 */
function createReporter(client: Client, address: string): Reporter {
  const person = createPerson(client);
  const from = { 'x-forwarded-for': address };

  const send: Reporter['send'] = (path, fields, headers = {}) =>
    person.post(path, fields, { headers: { ...from, ...headers } });

  const open: Reporter['open'] = async (slug, query = '') => {
    const { answer, page } = await person.open(`/report/${slug}${query}`, { headers: from });
    const id = page.find('input', { type: 'hidden', name: 'id' })?.attributes.value;
    if (id === undefined) throw new Error(`no form was answered, but ${answer.status}: ${answer.text}`);
    return { answer, page, id };
  };

  return {
    open,
    send,
    async report(slug, fields = {}) {
      const { page, id } = await open(slug);
      const action = page.find('form', { method: 'post' })?.attributes.action ?? '';
      return send(action, { id, reason: 'phishing', text: '', contact: '', ...fields });
    },
  };
}

/** Drops that people report. @param service with TRUST_PROXY 1 */
export function createReportScene(service: TestService) {
  let lastAddress = 0;
  return {
    /** @param address unset: one that nobody else has */
    newReporter: (address = `192.0.2.${++lastAddress}`) => createReporter(service, address),

    async publish(fields: object = {}) {
      const owner = await service.newOwner();
      const drop = await owner.create({
        title: 'TITLE-SECRET',
        description: 'DESCRIPTION-SECRET',
        ...fields,
      });
      return { owner, slug: drop.slug };
    },

    /** Those of the drop, newest first. */
    async reportsOf(slug: string): Promise<Report[]> {
      const all = await service.services.reports.list({ withClosed: true }, 1_000);
      return all.filter((report) => report.slug === slug);
    },

    /** What the page at the end of the form says. */
    async arrive(answer: Answer): Promise<string> {
      expect(answer.status, answer.text).to.equal(303);
      const { status, text } = await service.get(answer.headers.location ?? '');
      expect(status).to.equal(200);
      return parsePage(text).find('h1')?.text ?? '';
    },
  };
}
