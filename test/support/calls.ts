import type { Operation } from '../../api/openapi/operation.ts';
import type { Answer, RequestOptions } from './client.ts';
import { routesWith } from './description.ts';
import type { Owner } from './owner.ts';

/** A described route, with the example of its description as a valid body. */
export interface Call {
  /** `PUT /api/drops/:slug` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly needsToken: boolean;
  readonly body: unknown;
}

/** Every call of the table of routes, so that tests find a new one. */
const calls: readonly Call[] = routesWith().routes.flatMap(({ method, path, access, operation }) => {
  if (operation === undefined) return [];
  const needsToken = access !== 'open' && access !== 'signInStart';
  const name = `${method} ${path}`;
  return [{ name, method, path, operation, needsToken, body: operation.body?.example }];
});

export const tokenCalls = calls.filter(({ needsToken }) => needsToken);

export const dropCalls = tokenCalls.filter(({ path }) => path.includes(':slug'));

export const jsonCalls = calls.filter(({ operation }) => operation.body?.schema !== undefined);

export const deleteDrop = 'DELETE /api/drops/:slug';

/** It leaves the drop as it is. */
export const createComment = 'POST /api/drops/:slug/comments';

/** Those that change a drop without deleting it, and the one that unlocks it. Version 1 must not be its only version. */
export const dropChanges = dropCalls
  .filter(({ method, name }) => method !== 'GET' && name !== deleteDrop && name !== createComment)
  .flatMap((call) =>
    call.path.endsWith('/passcode') ? [call, { ...call, body: { passcode: '' } }] : [call],
  );

interface Target {
  readonly slug?: string;
  readonly tokenId?: string;
  readonly commentId?: string;
}

/** The path with its required parameters. */
export function pathOf(
  { path, operation }: Call,
  owner: Owner,
  { slug = 'none', tokenId = 'none', commentId = 'f'.repeat(32) }: Target,
) {
  const values: Readonly<Record<string, string>> = { confirm: owner.userId };
  const required = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required);
  const query = required.map(({ name }) => {
    if (values[name] === undefined) throw new Error(`the tests have no value for the parameter ${name}`);
    return `${name}=${values[name]}`;
  });
  const filled = path
    .replace(':slug', slug)
    .replace(':n', '1')
    .replace(':id', tokenId)
    .replace(':comment', commentId);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** Makes the call with a valid body, unless `options` has another. */
export function send(
  call: Call,
  owner: Owner,
  target: Target,
  options: RequestOptions = {},
): Promise<Answer> {
  return owner.request(call.method, pathOf(call, owner, target), { body: call.body, ...options });
}

export function callEverything(owner: Owner, slug: string): Promise<Answer[]> {
  return Promise.all(dropCalls.map((call) => send(call, owner, { slug })));
}
