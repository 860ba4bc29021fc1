import type { IncomingMessage } from 'node:http';
import type { Operation } from '../openapi/operation.ts';
import { metadataPrefix } from './parameters.ts';

/** An answer has at most so many warnings. */
export const maxWarnings = 20;
const maxNameCharacters = 64;
/** Stands for every parameter that begins with `metadata.`. */
const anyMetadata = 'metadata.<key>';

/** What people and models call a field, and how it is called, as `plain` writes both. */
const otherNames: Readonly<Record<string, string>> = {
  tags: 'metadata',
  labels: 'metadata',
  content: 'html',
  name: 'title',
  password: 'passcode',
  expires: 'expiresat',
  ttl: 'expiresat',
  limit: 'pagesize',
  perpage: 'pagesize',
  search: 'q',
};

/** @returns warnings that name what the call ignores. @param json the body; `{}` if there is none */
export type FindIgnored = (req: IncomingMessage, json: unknown) => string[];

/** By what the published description says that the call takes. */
export function createIgnoredFinder({ body, parameters = [], replies }: Operation): FindIgnored {
  // Pages and files, which are asked for most, have no place for warnings.
  if (!replies.some(({ content }) => content?.['application/json'] !== undefined)) return () => [];
  const [schema = body?.schema] = Object.values(body?.components ?? {});
  const fields = Object.keys(Object(schema?.properties));
  const inQuery = parameters.filter((one) => one.in === 'query');
  const names = inQuery.map(({ name, explode }) => (explode ? anyMetadata : name));
  return ({ url = '' }, json) => {
    const start = url.indexOf('?');
    const sent = start < 0 ? [] : new URLSearchParams(url.slice(start)).keys();
    return [
      ...warningsOf('field', Array.isArray(json) ? [] : Object.keys(Object(json)), fields),
      ...warningsOf('parameter', sent, names),
    ];
  };
}

function warningsOf(kind: string, sent: Iterable<string>, known: readonly string[]): string[] {
  const warnings = new Set<string>();
  if (known.length === 0) return [];
  for (const name of sent) {
    const isOneOfMany = name.startsWith(metadataPrefix) && known.includes(anyMetadata);
    if (known.includes(name) || isOneOfMany) continue;
    const shown = name.slice(0, maxNameCharacters);
    const meant = known.find((one) => [plain(shown), otherNames[plain(shown)]].includes(plain(one)));
    const hint =
      meant === undefined ? `the ${kind}s are ${known.join(', ')}` : `the ${kind} is called ${meant}`;
    warnings.add(`${shown} was ignored: ${hint}`);
    if (warnings.size === maxWarnings) break;
  }
  return [...warnings];
}

function plain(name: string): string {
  return name
    .replace('.<key>', '')
    .replace(/[^a-z0-9]/gi, '')
    .toLowerCase();
}
