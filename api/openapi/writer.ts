import type { Config } from '../../shared/config/config.ts';
import { presentLimits } from '../account/limits-presenter.ts';
import type { Access } from '../http/access.ts';
import { errorShape } from '../http/http-error.ts';
import { accessRule } from './access-rules.ts';
import { byStatus, codesInWords, errorResponse, errorResponses, everywhere } from './errors.ts';
import { type HeaderName, headers } from './headers.ts';
import type { Operation, Reply } from './operation.ts';
import type { JsonSchema } from './shape.ts';

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

/** Writes operations, and keeps what they share for the document's components. */
export function createWriter(config: Config) {
  const limits = presentLimits(config);
  const schemas: Record<string, JsonSchema> = { ...errorShape.components };
  const statuses = new Set<number>();

  function reply({ description, headers: names = [], content }: Reply): Node {
    const parts = Object.entries(content ?? {}).map(([type, { shape, example }]) => {
      Object.assign(schemas, shape.components);
      return [type, { schema: shape.schema, ...(example !== undefined && { example }) }];
    });
    return {
      description,
      ...(names.length > 0 && { headers: referTo(names) }),
      ...(content && { content: Object.fromEntries(parts) }),
    };
  }

  return {
    operation({ operation, access }: Endpoint): Node {
      const { id, tag, summary, description, parameters = [], body, replies, refusals = [] } = operation;
      const rule = accessRule(access);
      const codes = byStatus([...everywhere, ...rule.refusals, ...refusals]);
      const errors = Object.keys(codes).map(Number);
      for (const status of errors) statuses.add(status);
      const limited = [...rule.limits, ...(operation.limits ?? [])].map((name) => [name, limits[name]]);
      const inWords = limited.map(([name, value]) => `\`${name}\` ${value}`).join(', ');
      const texts = [
        description,
        rule.about,
        ...(inWords === '' ? [] : [`Limits: ${inWords}.`]),
        `Errors: ${codesInWords(codes)}.`,
      ];
      return {
        operationId: id,
        summary,
        description: texts.filter((text) => text !== undefined).join('\n\n'),
        tags: [tag],
        security: rule.needsToken ? [{ bearer: [] }] : [],
        ...(parameters.length > 0 && { parameters }),
        ...(body && {
          requestBody: {
            required: body.required,
            content: { 'application/json': { schema: body.schema, example: body.example } },
          },
        }),
        responses: {
          ...Object.fromEntries(replies.map((one) => [one.status, reply(one)])),
          ...Object.fromEntries(errors.map((status) => [status, errorResponse(status)])),
          default: errorResponse('default'),
        },
        'x-codes': codes,
        ...(limited.length > 0 && { 'x-limits': Object.fromEntries(limited) }),
      };
    },

    /** What all that was written refers to. */
    components: (): Node => ({ schemas, responses: errorResponses(statuses), headers }),
  };
}

function referTo(names: readonly HeaderName[]): Node {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
