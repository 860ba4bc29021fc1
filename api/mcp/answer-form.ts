import Negotiator from 'negotiator';
import { HttpError } from '../http/http-error.ts';

const forms = ['application/json', 'text/event-stream'] as const;

/** The media type of an answer. */
export type AnswerForm = (typeof forms)[number];

/** A longer header is not read: it would hold up the event loop (docs/performance.md). */
const maxHeaderLength = 1_000;

/**
 * The form that the client accepts; null: both, so that the revision of the protocol decides. A client that does not name
 * the stream gets JSON. Without the header, or with an empty or a very long one, everything is accepted (RFC 9110, 12.5.1).
 * @throws HttpError 406 if neither is accepted
 */
export function chooseForm(header = ''): AnswerForm | null {
  const accept = (header.length <= maxHeaderLength && withoutParameters(header)) || '*/*';
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes([...forms]);
  const [first] = accepted;
  if (first === undefined) throw notAcceptable();
  if (accepted.length === 1) return first === forms[0] ? forms[0] : forms[1];
  return accept.includes(forms[1]) ? null : forms[0];
}

/** Each range with its q alone, in lower case: clients add `charset`, which makes no other type of JSON. */
function withoutParameters(header: string): string {
  const ranges = header
    .toLowerCase()
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      const weight = parameters.find((one) => one.startsWith('q='));
      const known = type === '*' ? '*/*' : type; // Java's own client sends `*; q=.2`
      return weight === undefined ? known : `${known};${weight}`;
    });
  return ranges.filter((range) => range !== '').join();
}

function notAcceptable(): HttpError {
  const message = `Accept must allow ${forms.join(' or ')}`;
  return new HttpError(406, 'invalid_arg', message, { header: 'Accept', allowed: forms });
}

/** The answer in the form. @param body one message, in the form `type`, as the library has written it */
export function inForm(form: AnswerForm, type: string | null, body: string): string {
  if (type === form) return body;
  if (form === 'text/event-stream') return `event: message\ndata: ${body}\n\n`;
  const data = body.split('\n').find((line) => line.startsWith('data: '));
  if (data === undefined) throw new Error('the MCP library has answered without a message');
  return data.slice('data: '.length);
}
