import { type Config, isHttps } from '../../shared/config.ts';
import type { Code } from '../../shared/domain/errors.ts';
import { errorShape } from '../presenters/error.ts';
import { limitsShape, presentLimits } from '../presenters/limits.ts';
import type { JsonSchema } from '../presenters/shape.ts';
import { type Access, accessRules } from './access-rules.ts';
import { type HeaderName, headers } from './headers.ts';
import type { Operation, Parameter, Reply } from './operation.ts';
import { anyRefusal, byStatus, refusal } from './refusals.ts';

/** A part of the document. */
export type Node = Record<string, unknown>;

/** What the description is made from: a line of the route table, its handler aside. */
export interface Endpoint {
  readonly method: string;
  /** As Express writes it: `/p/:slug`. */
  readonly path: string;
  readonly access: Access;
  readonly operation: Operation;
}

/** A header that is always there, or after a `?` one that may be. */
type Named = HeaderName | `?${HeaderName}`;

/** Writes operations, and keeps what they share for the document's components. */
export function createWriter(config: Config) {
  const limits = presentLimits(config);
  const schemas: Record<string, JsonSchema> = { ...errorShape.components };
  const responses: Record<string, Node> = {};
  const headersUsed: Record<string, Node> = {};
  const secure: Named[] = isHttps(config) ? ['Strict-Transport-Security'] : [];
  const always: Named[] = [
    'Content-Security-Policy',
    'X-Content-Type-Options',
    'Referrer-Policy',
    'Cross-Origin-Resource-Policy',
    ...secure,
    '?X-Robots-Tag',
  ];

  function withHeaders(names: readonly Named[]): Node {
    const entries = names.map((named) => {
      const name = named.replace(/^\?/, '') as HeaderName; // proof: nothing else is in a `Named`
      const component = named === name ? name : `Optional.${name}`;
      headersUsed[component] ??= { ...headers[name], required: named === name };
      return [name, { $ref: `#/components/headers/${component}` }];
    });
    return Object.fromEntries(entries);
  }

  /** Refusals are the same in many places, so each is written once. */
  function refer(status: number, codes: readonly Code[], isHead: boolean): Node {
    const name = [isHead ? 'Head' : 'Error', status, ...codes].join('.');
    const { description, headers: own, isCertain, content } = refusal(status, codes);
    const shared: Named[] = ['X-Request-Id', ...always];
    const names = isCertain ? shared : shared.map((one): Named => (isSure(one) ? `?${one}` : one));
    responses[name] ??= {
      description,
      headers: withHeaders([...names, ...own]),
      ...(!isHead && { content }),
    };
    return { $ref: `#/components/responses/${name}` };
  }

  function refusals({ operation, access }: Endpoint, isHead: boolean): Node {
    const all = [...anyRefusal, ...accessRules[access].refusals, ...(operation.refusals ?? [])];
    return Object.fromEntries(byStatus(all).map(([status, codes]) => [status, refer(status, codes, isHead)]));
  }

  function reply({ operation, access }: Endpoint, of: Reply, isHead: boolean): Node {
    const id: Named[] = operation.isRawPage ? [] : ['X-Request-Id'];
    const names = [...id, ...always, ...accessRules[access].headers, ...(of.headers ?? [])];
    const content: Node = {};
    for (const [type, { shape, example }] of Object.entries(of.content ?? {})) {
      Object.assign(schemas, shape.components);
      content[type] = { schema: shape.schema, ...(example !== undefined && { example }) };
    }
    return {
      description: of.description,
      headers: withHeaders(names),
      ...(of.content && !isHead && { content }),
    };
  }

  function redirectFromSlash(): Node {
    responses.SlashRedirect = {
      description: 'The address of a page with a slash at its end: `Location` is the address without it',
      headers: withHeaders(['X-Request-Id', ...always, 'Location', 'Cache-Control']),
    };
    return { $ref: '#/components/responses/SlashRedirect' };
  }

  return {
    operation(endpoint: Endpoint, isHead: boolean): Node {
      const { operation, access } = endpoint;
      const { id, tag, summary, parameters = [], body, replies } = operation;
      const names = [...accessRules[access].limits, ...(operation.limits ?? [])];
      const limited = Object.fromEntries(names.map((name) => [name, limits[name]]));
      return {
        operationId: isHead ? `head${id.charAt(0).toUpperCase()}${id.slice(1)}` : id,
        summary: isHead ? `${summary}: headers only` : summary,
        description: textOf(endpoint, limited),
        tags: [tag],
        security: accessRules[access].needsToken ? [{ bearer: [] }] : [],
        ...(parameters.length > 0 && { parameters: parameters.map(toParameter) }),
        ...(body && {
          requestBody: {
            required: body.required,
            content: { [body.type]: { schema: body.schema, example: body.example } },
          },
        }),
        responses: {
          ...Object.fromEntries(replies.map((of) => [of.status, reply(endpoint, of, isHead)])),
          ...refusals(endpoint, isHead),
        },
        ...(names.length > 0 && { 'x-limits': limited }),
      };
    },

    /** What is answered for a path, or a method of a path, that is none. */
    others: (): Node => ({
      308: redirectFromSlash(),
      404: refer(404, ['not_found'], false),
      405: refer(405, ['invalid_arg'], false),
    }),

    /** What all that was written refers to. */
    components: () => ({ schemas, responses, headers: headersUsed }),
  };
}

function isSure(name: Named): name is HeaderName {
  return !name.startsWith('?');
}

const limitNotes = limitsShape.components.Limits?.properties as Readonly<
  Record<string, { readonly description: string }>
>; // proof: `limitsShape` is named so, and made of `fields`

/** The operation in words, with a table of its limits. */
function textOf({ operation, access }: Endpoint, limited: Readonly<Record<string, number>>): string {
  const rows = Object.entries(limited).map(
    ([name, value]) => `| ${limitNotes[name]?.description} | ${value} |`,
  );
  const table = rows.length > 0 ? ['| limit | at most |', '|---|---|', ...rows].join('\n') : undefined;
  const parts = [operation.description, accessRules[access].about, table];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

function toParameter({ required, ...parameter }: Parameter): Node {
  return { ...parameter, required: required ?? parameter.in === 'path' };
}
