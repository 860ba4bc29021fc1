import { STATUS_CODES } from 'node:http';
import { type Code, errorCodes } from '../../shared/domain/errors.ts';
import { errorShape } from '../http/http-error.ts';
import type { ErrorCase, HeaderName } from './operation.ts';

export type CodesByStatus = Readonly<Record<number, readonly Code[]>>;

export const codesOfEveryOperation: readonly ErrorCase[] = ['invalid_arg'];

/** Any request can get these errors too, but rarely: the `default` response lists them. */
export const unlistedByStatus = byStatus([
  ['invalid_arg', 408],
  ['invalid_arg', 413],
  ['invalid_arg', 417],
  ['invalid_arg', 431],
  'internal_error',
  'unavailable',
]);

export function byStatus(refusals: readonly ErrorCase[]): CodesByStatus {
  const found: Record<number, Code[]> = {};
  for (const refusal of refusals) {
    const [code, status] = typeof refusal === 'string' ? [refusal, errorCodes[refusal][0]] : refusal;
    found[status] = [...new Set([...(found[status] ?? []), code])].sort();
  }
  return found;
}

/** Refers to the shared response of a status, so that generated clients have one error type. */
export function errorResponse(status: number | 'default') {
  return { $ref: `#/components/responses/${nameOf(status)}` };
}

const headersOf: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  412: 'ETag',
  429: 'Retry-After',
  503: 'Retry-After',
};

/** What the status means for every operation that lists it. */
const statusMeanings: Readonly<Record<number, string>> = {
  400: 'A part of the request is wrong: `details.field` names it.',
  401: 'The token is missing or not valid.',
  403: 'The caller may not do this.',
  404: 'There is no such thing, or it belongs to another account.',
  409: 'It is not possible in the state of the drop, the upload or an earlier request.',
  410: 'The operators took the page down.',
  412: 'The drop does not match `If-Match` or `if_match`. `ETag` and `details.etag` are those that it has now.',
  413: 'The body is too large.',
  415: 'The type or encoding of the body is not supported.',
  422: 'The `Idempotency-Key` was used for another URL or body in the last 24 hours.',
  429: 'A limit is reached.',
  503: 'A part of the service is down or overloaded, or the request took too long.',
};

/** The responses that `errorResponse` refers to. */
export function errorResponses(used: Iterable<number>): Record<string, object> {
  const content = { 'application/json': { schema: errorShape.schema } };
  const entries = [...new Set(used)].map((status): [string, object] => {
    const header = headersOf[status];
    const headers = header && { [header]: { $ref: `#/components/headers/${header}` } };
    return [
      nameOf(status),
      {
        description: statusMeanings[status] ?? `${STATUS_CODES[status]}.`,
        ...(headers && { headers }),
        content,
      },
    ];
  });
  const description = `Any request can get: ${codesInWords(unlistedByStatus)}. 503 has \`Retry-After\`.`;
  return Object.fromEntries([...entries, [nameOf('default'), { description, content }]]);
}

/** `400 a, b; 404 c`, as Markdown. */
export function codesInWords(codes: CodesByStatus): string {
  const each = Object.entries(codes).map(
    ([status, some]) => `${status} ${some.map((code) => `\`${code}\``).join(', ')}`,
  );
  return each.join('; ');
}

/** Every code and its meaning, as a Markdown table. */
export function codeTable(): string {
  const rows = Object.entries(errorCodes).map(([code, [, meaning]]) => `| \`${code}\` | ${meaning} |`);
  return ['| code | meaning |', '|---|---|', ...rows].join('\n');
}

function nameOf(status: number | 'default'): string {
  return status === 'default' ? 'OtherError' : (STATUS_CODES[status] ?? String(status)).replaceAll(' ', '');
}
