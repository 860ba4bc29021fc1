import type { Config } from '../../../shared/config.ts';
import { reportReasons } from '../../../shared/domain/report.ts';
import { text } from '../../presenters/shape.ts';
import type { RequestSchemas } from '../../requests/describe.ts';
import { contactMaxCharacters } from '../../requests/report.ts';
import { type Operation, type Parameter, page, redirect } from '../operation.ts';
import { badForm, form, formHeaders } from './pages.ts';

const version: Parameter = {
  name: 'v',
  in: 'query',
  description: 'The number of the version that the reader saw; what is none means the latest.',
  schema: { type: 'string' },
};

const gone = ['invalid_slug', 'not_found', ['forbidden', 410]] as const;

/** What the public can tell those who run the service, and what crawlers and finders of holes look for. */
export function publicOperations(config: Config, { slug }: RequestSchemas) {
  return {
    showReport: {
      id: 'showReportForm',
      tag: 'Public pages',
      summary: 'The page where a drop is reported',
      description:
        'A form, before the passcode too: it says nothing of the drop but its address. Each is a report of its own.',
      parameters: [
        slug,
        version,
        {
          name: 'sent',
          in: 'query',
          description: '`kept` or `enough`: the end, and not the form.',
          schema: { type: 'string' },
        },
      ],
      replies: [page('The form, or where it ends.', { headers: ['Cache-Control'] })],
      refusals: gone,
    },
    report: {
      id: 'reportDrop',
      tag: 'Public pages',
      summary: 'Report a drop',
      description:
        'The form of that page, sent from there. What goes wrong is said on it again. A drop that has many open reports takes no more of them, and the end says so.',
      limits: ['reports_per_hour', 'reports_per_drop_per_hour'],
      parameters: [slug, version, ...formHeaders],
      body: form(
        {
          id: { type: 'string', description: 'From the form; sent twice it is one report.' },
          reason: { type: 'string', description: `One of ${reportReasons.join(', ')}.` },
          text: {
            type: 'string',
            description: `At most ${config.REPORT_MAX_CHARACTERS} characters; needed where the reason is \`other\`.`,
          },
          contact: { type: 'string', description: `At most ${contactMaxCharacters} characters.` },
        },
        { id: 'Rep0rtRep0rtRep0', reason: 'phishing', text: '', contact: '' },
      ),
      replies: [redirect('On to the end.', ['Cache-Control'])],
      refusals: [...gone, 'forbidden', 'rate_limited', ...badForm],
    },
    robots: {
      id: 'readRobots',
      tag: 'Service',
      summary: 'robots.txt',
      description: 'For crawlers (RFC 9309).',
      replies: [
        {
          status: 200,
          description: 'The rules.',
          content: { 'text/plain': { shape: text('The rules.') } },
          headers: ['Cache-Control'],
        },
      ],
    },
    securityTxt: {
      id: 'readSecurityTxt',
      tag: 'Service',
      summary: 'security.txt',
      description: 'Whom to tell of holes (RFC 9116); 404 where nobody is named.',
      replies: [
        {
          status: 200,
          description: 'The contacts.',
          content: { 'text/plain': { shape: text('The contacts.') } },
          headers: ['Cache-Control'],
        },
      ],
      refusals: ['not_found'],
    },
  } as const satisfies Record<string, Operation>;
}
