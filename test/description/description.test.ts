import { expect } from 'chai';
import { codes } from '../../api/http/http-error.ts';
import type { Code } from '../../shared/domain/errors.ts';
import {
  createValidator,
  type DescribedOperation,
  type DescribedResponse,
  describeWith,
  resolve,
} from '../support/description.ts';
import { useService } from '../support/service.ts';

const description = describeWith();

/** Spec 4: every row. */
const specified = [
  'GET /api/onboard',
  'POST /api/auth/start',
  'GET /api/auth/poll',
  'GET /api/me',
  'GET /api/tokens',
  'DELETE /api/tokens/{id}',
  'GET /api/drops',
  'POST /api/drops',
  'GET /api/drops/{slug}',
  'PUT /api/drops/{slug}',
  'PATCH /api/drops/{slug}',
  'DELETE /api/drops/{slug}',
  'GET /api/drops/{slug}/versions',
  'GET /api/drops/{slug}/v/{n}',
  'DELETE /api/drops/{slug}/v/{n}',
  'POST /api/drops/{slug}/passcode',
  'GET /p/{slug}',
  'GET /p/{slug}/raw',
];

/** What programs call beside them. */
const others = ['GET /openapi.json', 'GET /.well-known/dropleaf.json', 'GET /healthz', 'GET /readyz'];

/** Generators and people read the description whole. */
const maxBytes = 80 * 1024;

/** Spec 7, Known bindings: the operations on which each code was seen there. */
const bindings: readonly (readonly [operation: string, status: number, code: Code])[] = [
  ['PATCH /api/drops/{slug}', 400, 'metadata_only_on_patch'],
  ['POST /api/drops', 400, 'html_too_large'],
  ['PUT /api/drops/{slug}', 400, 'html_too_large'],
  ['POST /api/drops', 400, 'html_required'],
  ['PUT /api/drops/{slug}', 400, 'html_required'],
  ['POST /api/drops', 400, 'title_required'],
  ['GET /api/me', 401, 'unauthorized'],
  ['GET /api/drops/{slug}', 404, 'not_found'],
  ['DELETE /api/tokens/{id}', 404, 'not_found'],
  ['DELETE /api/drops/{slug}/v/{n}', 409, 'last_version_cannot_be_deleted'],
  ['POST /api/drops', 429, 'rate_limited'],
  ['POST /api/drops', 429, 'daily_quota_exceeded'],
  ['POST /api/drops', 429, 'quota_exceeded'],
  ['PUT /api/drops/{slug}', 429, 'version_limit_reached'],
];

function operations(): [name: string, operation: DescribedOperation][] {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, DescribedOperation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

function responsesOf(operation: DescribedOperation): [status: string, response: DescribedResponse][] {
  return Object.entries(operation.responses).map(([status, node]) => [
    status,
    resolve<DescribedResponse>(description, node),
  ]);
}

describe('The published interface description', () => {
  const service = useService();

  it('GET /openapi.json: OpenAPI 3.1 with info.version 1.2.0', async () => {
    const answer = await service.get<{ openapi: string; info: { version: string } }>('/openapi.json');
    expect(answer.status).to.equal(200);
    expect(answer.body.openapi).to.match(/^3\.1\./);
    expect(answer.body.info.version).to.equal('1.2.0');
  });

  it('it is the description that answers are held against', async () => {
    const { body } = await service.get('/openapi.json');
    expect(body).to.deep.equal(describeWith({ BASE_URL: service.config.BASE_URL }));
  });

  it('has at most 80 KB', async () => {
    expect((await service.get('/openapi.json')).bytes.length).to.be.at.most(maxBytes);
  });

  it('describes every row of the specification and what else programs call: no HEAD, and no page for people', () => {
    expect(operations().map(([name]) => name)).to.have.members([...specified, ...others]);
  });

  it('every operation that is described is there, and HEAD of every GET', async () => {
    for (const [name, { operationId }] of operations()) {
      const [method = '', template = ''] = name.split(' ');
      const path = template.replace('{n}', '1').replace(/\{\w+\}/g, 'none');
      for (const one of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
        const { status, body } = await service.request(one, path);
        expect(status, `${one} ${operationId}`).to.not.equal(405);
        expect(body?.error?.message, `${one} ${operationId}`).to.not.equal('No such path');
      }
    }
  });

  it('names each operation once', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('every reference leads somewhere', () => {
    const references = JSON.stringify(description).match(/"\$ref":"[^"]*"/g) ?? [];
    expect(references).to.not.be.empty;
    for (const reference of new Set(references)) {
      resolve<object>(description, JSON.parse(`{${reference}}`));
    }
  });

  it('no reference has anything beside it', () => {
    for (const node of objectsIn(description)) {
      if ('$ref' in node) expect(Object.keys(node), JSON.stringify(node)).to.deep.equal(['$ref']);
    }
  });

  it('every code of the specification is listed by an operation or for all of them, and no other code is', () => {
    const listed = [description, ...operations().map(([, operation]) => operation)];
    const found = new Set(listed.flatMap((one) => Object.values(one['x-codes']).flat()));
    expect([...found]).to.have.members(codes);
  });

  it('every error is JSON by the one schema Error, and its status lists its codes', () => {
    for (const [name, operation] of operations()) {
      const errors = responsesOf(operation).filter(([status]) => !/^[23]/.test(status));
      for (const [status, { content }] of errors) {
        const schema = { $ref: '#/components/schemas/Error' };
        expect(content, `${name} ${status}`).to.deep.equal({ 'application/json': { schema } });
      }
      const statuses = errors.map(([status]) => status).filter((status) => status !== 'default');
      expect(Object.keys(operation['x-codes']), name).to.have.members(statuses);
    }
  });

  for (const [name, status, code] of bindings) {
    it(`${name} may be answered ${status} ${code}`, () => {
      const operation = new Map(operations()).get(name);
      expect(operation?.['x-codes'][status]).to.include(code);
      expect(operation?.description).to.include(`\`${code}\``);
    });
  }

  it('says that a PUT does not keep the context, and that it refuses passcode', () => {
    const { description: text = '' } = description.paths['/api/drops/{slug}']?.put ?? {};
    expect(text).to.include('`context` does not stay').and.to.include('`passcode` is refused');
  });

  it('every example is what its schema says', () => {
    const faultOf = createValidator(description, true);
    let seen = 0;
    for (const { where, schema, example } of examples(description, [])) {
      seen += 1;
      expect(faultOf(schema, example), where).to.equal(null);
    }
    expect(seen).to.be.above(50);
  });

  it('every 429 and 503 has Retry-After, every 401 WWW-Authenticate', () => {
    for (const [name, operation] of operations()) {
      for (const [status, { headers }] of responsesOf(operation)) {
        const needed = { 401: 'WWW-Authenticate', 429: 'Retry-After', 503: 'Retry-After' }[status];
        if (needed !== undefined) expect(headers, `${name} ${status}`).to.include.keys(needed);
      }
    }
  });

  it('the limits are those that are set', () => {
    const other = describeWith({ TITLE_MAX_CHARACTERS: '7', HTML_MAX_BYTES: '1234', WRITES_PER_MINUTE: '3' });
    const { post } = other.paths['/api/drops'] ?? {};
    const text = JSON.stringify(post);
    expect(post?.['x-limits']).to.include({ writes_per_minute: 3 });
    expect(text).to.include('"maxLength":7').and.to.include('"x-max-bytes":1234');
    expect(other['x-limits']).to.include({ title_max_characters: 7, html_max_bytes: 1234 });
  });
});

/** Every object in it. */
function* objectsIn(node: unknown): Generator<object> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield node;
  for (const part of Object.values(node)) yield* objectsIn(part);
}

interface Example {
  readonly where: string;
  readonly schema: object;
  readonly example: unknown;
}

/** Those beside a schema, and those in it. */
function* examples(node: unknown, path: readonly string[]): Generator<Example> {
  if (typeof node !== 'object' || node === null) return;
  const where = path.join('/');
  const { schema, example, examples: many, type } = node as Record<string, unknown>; // proof: any of them may be missing
  if (typeof schema === 'object' && schema !== null) {
    if (example !== undefined) yield { where, schema, example };
    for (const one of Object.values(Array.isArray(many) ? {} : Object(many))) {
      yield { where, schema, example: exampleValue(one) };
    }
  }
  if (Array.isArray(many) && type !== undefined) {
    for (const one of many) yield { where, schema: node, example: one };
  }
  for (const [name, part] of Object.entries(node)) yield* examples(part, [...path, name]);
}

function exampleValue(example: unknown): unknown {
  return resolve<{ value?: unknown }>(description, example as { value?: unknown } | { $ref: string }).value; // proof: an Example Object or a reference to one
}
