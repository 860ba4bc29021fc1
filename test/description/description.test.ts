import { expect } from 'chai';
import { codes } from '../../api/http/http-error.ts';
import {
  createValidator,
  type DescribedOperation,
  type DescribedResponse,
  describeWith,
  resolve,
} from '../support/description.ts';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const description = describeWith();

/** Spec 4: every row, with the codes that spec 7 (Known bindings) names for it; then what programs call besides. */
const described: Readonly<Record<string, readonly string[]>> = {
  'GET /api/onboard': [],
  'POST /api/auth/start': [],
  'GET /api/auth/poll': [],
  'GET /api/me': ['401 unauthorized'],
  'DELETE /api/me': ['400 invalid_arg'],
  'GET /api/tokens': [],
  'PATCH /api/tokens/{id}': ['400 invalid_arg', '404 not_found'],
  'DELETE /api/tokens/{id}': ['404 not_found'],
  'GET /api/drops': [],
  'POST /api/drops': [
    '400 html_too_large',
    '400 html_required',
    '400 title_required',
    '429 rate_limited',
    '429 daily_quota_exceeded',
    '429 quota_exceeded',
  ],
  'GET /api/drops/{slug}': ['404 not_found'],
  'PUT /api/drops/{slug}': ['400 html_too_large', '400 html_required', '429 version_limit_reached'],
  'PATCH /api/drops/{slug}': ['400 metadata_only_on_patch'],
  'DELETE /api/drops/{slug}': ['404 not_found'],
  'GET /api/drops/{slug}/versions': [],
  'GET /api/drops/{slug}/v/{n}': [],
  'GET /api/shared': ['400 invalid_arg', '401 invalid_token'],
  'GET /api/drops/{slug}/views': ['400 invalid_arg', '404 not_found'],
  'GET /api/drops/{slug}/diff': ['400 invalid_arg', '404 not_found'],
  'GET /api/drops/{slug}/html': ['404 not_found'],
  'GET /api/drops/{slug}/v/{n}/html': ['404 not_found'],
  'DELETE /api/drops/{slug}/v/{n}': ['409 last_version_cannot_be_deleted'],
  'POST /api/drops/{slug}/v/{n}/restore': [
    '404 not_found',
    '412 version_conflict',
    '429 version_limit_reached',
  ],
  'POST /api/drops/{slug}/passcode': [],
  'GET /api/comments': ['400 invalid_arg', '404 not_found'],
  'POST /api/drops/{slug}/comments': ['422 idempotency_key_reused', '429 quota_exceeded'],
  'POST /api/comments/{comment}/replies': ['404 not_found', '422 idempotency_key_reused'],
  'PATCH /api/comments/{comment}': ['403 forbidden', '404 not_found'],
  'DELETE /api/comments/{comment}': ['404 not_found'],
  'POST /api/uploads': [],
  'PUT /u/{secret}': ['404 not_found', '409 upload_used'],
  'GET /p/{slug}': [],
  'POST /p/{slug}': ['403 passcode_required', '429 rate_limited'],
  'GET /p/{slug}/raw': [],
  'GET /openapi.json': [],
  'GET /.well-known/dropleaf.json': [],
  'GET /healthz': [],
  'GET /readyz': [],
};

const operations = new Map(
  Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, DescribedOperation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  ),
);

function responsesOf(operation: DescribedOperation): [status: string, response: DescribedResponse][] {
  return Object.entries(operation.responses).map(([status, node]) => [
    status,
    resolve<DescribedResponse>(description, node),
  ]);
}

describe('GET /openapi.json', () => {
  const service = useService();

  it('OpenAPI 3.1 with info.version 1.2.0, at most 103,000 bytes, as the tests check every answer against', async () => {
    const answer = await service.get<{ openapi: string; info: { version: string } }>('/openapi.json');
    expect(answer.status).to.equal(200);
    expect(answer.body.openapi).to.match(/^3\.1\./);
    expect(answer.body.info.version).to.equal('1.2.0');
    expect(answer.bytes.length).to.be.at.most(103_000);
    expect(answer.body).to.deep.equal(describeWith({ BASE_URL: service.config.BASE_URL }));
  });

  it('describes every endpoint that programs call, with the codes of the specification; no pages for people', () => {
    expect([...operations.keys()]).to.have.members(Object.keys(described));
    for (const [name, bindings] of Object.entries(described)) {
      for (const [status = '', code = ''] of bindings.map((binding) => binding.split(' '))) {
        const operation = operations.get(name);
        expect(operation?.['x-codes'][status], name).to.include(code);
        expect(operation?.description, name).to.include(`\`${code}\``);
      }
    }
  });

  it('of a described path every other method is 405 with Allow, with and without a token', async () => {
    const { token } = await service.newOwner();
    for (const [template, item] of Object.entries(description.paths)) {
      const path = template.replace('{n}', '1').replace(/\{\w+\}/g, 'none');
      const allowed = Object.keys(item).flatMap((one) =>
        one === 'get' ? ['GET', 'HEAD'] : [one.toUpperCase()],
      );
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (allowed.includes(method)) continue;
        for (const options of [{ token }, {}]) {
          const answer = await service.request(method, path, options);
          expectError(answer, 405, 'invalid_arg');
          expect(answer.headers.allow?.split(', '), `${method} ${path}`).to.have.members(allowed);
        }
      }
    }
  });

  it('operation ids are unique; every reference leads somewhere and has nothing beside it', () => {
    expect(new Set([...operations.values()].map(({ operationId }) => operationId)).size).to.equal(
      operations.size,
    );
    const references = objectsIn(description).filter((node) => '$ref' in node) as { $ref: string }[]; // proof: the filter
    expect(references).to.not.be.empty;
    for (const node of references) {
      resolve<object>(description, node);
      expect(Object.keys(node)).to.deep.equal(['$ref']);
    }
  });

  it('lists every code that exists, and no other', () => {
    const listed = [description, ...operations.values()].flatMap((one) =>
      Object.values(one['x-codes']).flat(),
    );
    expect([...new Set(listed)]).to.have.members(codes);
  });

  it('every error has the schema Error, its codes, and the headers that its status needs', () => {
    const needed: Readonly<Record<string, string>> = {
      401: 'WWW-Authenticate',
      429: 'Retry-After',
      503: 'Retry-After',
    };
    for (const [name, operation] of operations) {
      const errors = responsesOf(operation).filter(([status]) => !/^[23]/.test(status));
      for (const [status, { content, headers }] of errors) {
        const schema = { $ref: '#/components/schemas/Error' };
        expect(content, `${name} ${status}`).to.deep.equal({ 'application/json': { schema } });
        if (status in needed) expect(headers, `${name} ${status}`).to.include.keys(String(needed[status]));
      }
      const statuses = errors.map(([status]) => status).filter((status) => status !== 'default');
      expect(Object.keys(operation['x-codes']), name).to.have.members(statuses);
    }
  });

  it('says what 412 and 422 mean where they occur, and that a diff with version 1 needs from', () => {
    for (const [status, part] of [
      ['412', '`If-Match`'],
      ['422', '`Idempotency-Key`'],
    ] as const) {
      const found = [...operations.values()].flatMap(responsesOf).filter(([one]) => one === status);
      expect(found).to.have.length.above(2);
      for (const [, { description: text }] of found) expect(text).to.include(part);
    }
    expect(JSON.stringify(operations.get('GET /api/drops/{slug}/diff'))).to.include(
      'needed if `to` is version 1',
    );
  });

  it('expires_at of a request has a maximum, and a document at least one character', () => {
    const schemas = objectsIn(description.paths)
      .concat(objectsIn(description.components))
      .filter((node) => 'format' in node && (node.format === 'binary' || 'maximum' in node)) as Schema[]; // proof: schemas
    const documents = schemas.filter(({ format }) => format === 'binary');
    const times = schemas.filter(({ format }) => format === 'int64');
    expect(documents.map(({ minLength }) => minLength)).to.deep.equal([1, 1, 1]);
    expect(times.map(({ maximum }) => maximum)).to.deep.equal(times.map(() => Number.MAX_SAFE_INTEGER));
    const inRequests = JSON.stringify(description).split('at most 10 years ahead').length - 1;
    expect(times).to.have.length(inRequests).and.length.above(2);
  });

  it('says that a PUT does not keep the context, and that it refuses passcode', () => {
    const text = operations.get('PUT /api/drops/{slug}')?.description;
    expect(text).to.include('`context` does not stay').and.to.include('`passcode` is refused');
  });

  it('every example is valid by its schema', () => {
    const faultOf = createValidator(description, true);
    const found = objectsIn(description).flatMap(examplesOf);
    expect(found).to.have.length.above(40);
    for (const { schema, example } of found)
      expect(faultOf(schema, example), JSON.stringify(example)).to.equal(null);
  });

  it('a header has no example that fits one drop or one write only: programs send examples with every request', () => {
    const headers = objectsIn(description).filter((node) => 'in' in node && node.in === 'header');
    const examples = headers.flatMap((node) =>
      objectsIn(node).flatMap((one) => ['example', 'examples'].flatMap((key) => Object(one)[key] ?? [])),
    );
    expect(headers).to.have.length.above(1);
    expect(examples).to.deep.equal(['*']);
  });

  it('has the limits of the settings', () => {
    const other = describeWith({ TITLE_MAX_CHARACTERS: '7', HTML_MAX_BYTES: '1234', WRITES_PER_MINUTE: '3' });
    const post = other.paths['/api/drops']?.post;
    expect(post?.['x-limits']).to.include({ writes_per_minute: 3 });
    for (const name of ['parameters/title/schema', 'schemas/TitleField'])
      expect(resolve(other, { $ref: `#/components/${name}` }), name).to.include({ maxLength: 7 });
    expect(resolve(other, { $ref: '#/components/schemas/HtmlField' })).to.include({ 'x-max-bytes': 1234 });
    expect(JSON.stringify(post)).to.include('"x-max-bytes":1234');
    expect(other['x-limits']).to.include({ title_max_characters: 7, html_max_bytes: 1234 });
  });
});

interface Schema {
  readonly format?: string;
  readonly minLength?: number;
  readonly maximum?: number;
}

function objectsIn(node: unknown): object[] {
  if (typeof node !== 'object' || node === null) return [];
  return [...(Array.isArray(node) ? [] : [node]), ...Object.values(node).flatMap(objectsIn)];
}

/** The examples of a body, beside its schema, and those of a schema, in it. */
function examplesOf(node: object): { schema: object; example: unknown }[] {
  const { schema, example, examples, type } = node as Record<string, unknown>; // proof: any of them may be missing
  const ofBody = typeof schema === 'object' && schema !== null && example !== undefined;
  const ofSchema = Array.isArray(examples) && type !== undefined ? examples : [];
  return [
    ...(ofBody ? [{ schema, example }] : []),
    ...ofSchema.map((one) => ({ schema: node, example: one })),
  ];
}
