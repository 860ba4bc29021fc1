import { STATUS_CODES } from 'node:http';
import type { Code } from '../../shared/domain/errors.ts';
import { errorShape, statuses } from '../http/http-error.ts';
import { meanings } from './codes.ts';
import type { HeaderName } from './headers.ts';
import type { Refusal } from './operation.ts';

/** The codes by status. */
export type CodesByStatus = Readonly<Record<number, readonly Code[]>>;

/** What every operation lists, because any request may be answered so. */
export const everywhere: readonly Refusal[] = ['invalid_arg', 'unavailable'];

/** What any request may be answered too: no operation lists it, and `default` stands for it. */
const unlisted: readonly Refusal[] = [
  ['invalid_arg', 408],
  ['invalid_arg', 413],
  ['invalid_arg', 417],
  ['invalid_arg', 431],
  'internal_error',
];

const headersOf: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
};

export function byStatus(refusals: readonly Refusal[]): CodesByStatus {
  const found: Record<number, Code[]> = {};
  for (const refusal of refusals) {
    const [code, status] = typeof refusal === 'string' ? [refusal, statuses[refusal]] : refusal;
    found[status] = [...new Set([...(found[status] ?? []), code])].sort();
  }
  return found;
}

export const unlistedByStatus = byStatus(unlisted);

/** Refers to the response of a status: one for all operations, with the one schema of errors. */
export function errorResponse(status: number | 'default') {
  return { $ref: `#/components/responses/${nameOf(status)}` };
}

/** The responses that `errorResponse` refers to. */
export function errorResponses(listed: Iterable<number>): Record<string, object> {
  const content = { 'application/json': { schema: errorShape.schema } };
  const entries = [...new Set(listed)].map((status): [string, object] => {
    const header = headersOf[status];
    const headers = header && { [header]: { $ref: `#/components/headers/${header}` } };
    return [
      nameOf(status),
      { description: `${STATUS_CODES[status]}.`, ...(headers && { headers }), content },
    ];
  });
  const description = `Any request may be refused so: ${codesInWords(unlistedByStatus)}.`;
  return Object.fromEntries([...entries, [nameOf('default'), { description, content }]]);
}

/** `400 a, b; 404 c`, as Markdown. */
export function codesInWords(codes: CodesByStatus): string {
  const each = Object.entries(codes).map(
    ([status, some]) => `${status} ${some.map((code) => `\`${code}\``).join(', ')}`,
  );
  return each.join('; ');
}

/** Every code and what it means, as a Markdown table. */
export function codeTable(): string {
  const rows = Object.entries(meanings).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return ['| code | meaning |', '|---|---|', ...rows].join('\n');
}

function nameOf(status: number | 'default'): string {
  return status === 'default' ? 'OtherError' : (STATUS_CODES[status] ?? String(status)).replaceAll(' ', '');
}
