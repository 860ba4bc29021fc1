import { STATUS_CODES } from 'node:http';
import type { Code } from '../../shared/domain/errors.ts';
import { codes as allCodes, errorSchemaOf } from '../presenters/error.ts';
import { statuses } from '../statuses.ts';
import { exampleOf, whenOf } from './codes.ts';
import type { HeaderName } from './headers.ts';
import type { Refusal } from './operation.ts';

/** What any request may be answered, by Node before we see it or by what goes wrong behind us. */
export const anyRefusal: readonly Refusal[] = [
  'invalid_arg', // no Host or several, or not HTTP as we read it
  ['invalid_arg', 408],
  ['invalid_arg', 413],
  ['invalid_arg', 417],
  ['invalid_arg', 431],
  'internal_error',
  'unavailable',
];

/** What follows from the status, whatever the endpoint. */
const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The statuses that Node may answer by itself, on a connection that no request has come from. */
const withoutRequest = [400, 408, 413, 431];

/** The codes of each status, in the order of statuses. */
export function byStatus(refusals: readonly Refusal[]): [status: number, codes: readonly Code[]][] {
  const found = new Map<number, Set<Code>>();
  for (const refusal of refusals) {
    const [code, status] = typeof refusal === 'string' ? [refusal, statuses[refusal]] : refusal;
    found.set(status, (found.get(status) ?? new Set()).add(code));
  }
  return [...found].sort(([a], [b]) => a - b).map(([status, codes]) => [status, [...codes].sort()]);
}

/** An answer with the envelope, for programs, or with it inside a page, for people. */
export function refusal(status: number, codes: readonly Code[]) {
  const needed = headersOfStatus[status] ?? [];
  return {
    description: `${STATUS_CODES[status]}. ${codes.map((code) => `\`${code}\`: ${whenOf(code)}`).join(' ')}`,
    headers: ['Cache-Control', ...needed] satisfies HeaderName[],
    /** Of those, and of what every answer has, none is certain where Node has answered by itself. */
    isCertain: !withoutRequest.includes(status),
    content: {
      'application/json': { schema: errorSchemaOf(codes), examples: examplesOf(codes) },
      'text/html': {
        schema: {
          type: 'string',
          description: 'For a person who navigated here: a page that holds the envelope as data.',
          contentMediaType: 'text/html',
        },
      },
    },
  };
}

function examplesOf(codes: readonly Code[]) {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}

/** All of them, for the document's components. */
export function codeExamples(): Record<string, unknown> {
  const entries = allCodes.map((code) => [code, { summary: whenOf(code), value: exampleOf(code) }]);
  return Object.fromEntries(entries);
}
