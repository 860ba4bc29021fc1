import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { type Owner, useService } from '../support/service.ts';

type Endpoint = 'POST' | 'PUT' | 'PATCH' | 'passcode';

const everywhere: readonly Endpoint[] = ['POST', 'PUT', 'PATCH'];
const documents: readonly Endpoint[] = ['POST', 'PUT'];
const locks: readonly Endpoint[] = ['POST', 'passcode'];
const notStrings = [null, 7, true, ['a'], { a: 'b' }];

/** Exact limits of title, description, html and context: lengths.test.ts. Metadata keys: metadata.test.ts. */
const rules: readonly (readonly [string, readonly unknown[], string, readonly Endpoint[], string])[] = [
  ['title', [undefined], 'title_required', ['POST'], 'title is required and must not be blank'],
  [
    'title',
    ['', ' \t\n\u00a0\u2003'],
    'title_required',
    everywhere,
    'title is required and must not be blank',
  ],
  ['title', notStrings, 'invalid_arg', everywhere, 'title must be a string'],
  [
    'title',
    ['x'.repeat(231)],
    'title_too_long',
    everywhere,
    'title must be at most 200 characters (got 231)',
  ],
  ['description', notStrings, 'invalid_arg', everywhere, 'description must be a string'],
  [
    'description',
    ['x'.repeat(501)],
    'description_too_long',
    everywhere,
    'description must be at most 500 characters (got 501)',
  ],
  ['html', [undefined, ''], 'html_required', documents, 'html is required: send the whole HTML document'],
  ['html', notStrings, 'invalid_arg', documents, 'html must be a string'],
  [
    'html',
    ['x'.repeat(2097153)],
    'html_too_large',
    documents,
    'html must be at most 2097152 bytes (got 2097153)',
  ],
  ['context', notStrings, 'invalid_arg', documents, 'context must be a string'],
  [
    'context',
    ['x'.repeat(65537)],
    'context_too_large',
    documents,
    'context must be at most 65536 bytes (got 65537)',
  ],
  ['passcode', notStrings, 'invalid_arg', ['POST'], 'passcode must be a string'],
  [
    'passcode',
    [undefined, ...notStrings],
    'passcode_required',
    ['passcode'],
    'passcode is required and must be a string; "" removes the passcode',
  ],
  [
    'passcode',
    ['abc', '😀😀😀'],
    'passcode_too_short',
    locks,
    'passcode must be at least 4 characters (got 3); use 6 or more',
  ],
  ['passcode', ['😀'.repeat(257)], 'invalid_arg', locks, 'passcode must be at most 256 characters (got 257)'],
  ['passcode', ['abcd\u0000'], 'invalid_arg', locks, 'passcode must not contain U+0000'],
  [
    'passcode',
    ['abcd', '', null],
    'invalid_arg',
    ['PUT', 'PATCH'],
    'passcode cannot be changed here; use POST /api/drops/{slug}/passcode',
  ],
  [
    'metadata',
    [null, [], ['a'], 'a=b', 1, true],
    'invalid_arg',
    everywhere,
    'metadata must be an object of strings',
  ],
  [
    'metadata.a',
    notStrings,
    'invalid_arg',
    everywhere,
    'metadata.a must be a string; send numbers as strings',
  ],
  ['metadata.a', ['x\u0000'], 'invalid_arg', everywhere, 'metadata.a must not contain U+0000'],
  [
    'metadata.a',
    ['😀'.repeat(257)],
    'invalid_arg',
    everywhere,
    'metadata.a must be at most 256 characters (got 257)',
  ],
  ['metadata', [mapOf(11)], 'invalid_arg', everywhere, 'metadata must have at most 10 keys (got 11)'],
  [
    'html',
    ['<p>new', '', null, 7],
    'metadata_only_on_patch',
    ['PATCH'],
    'PATCH cannot change html; use PUT to publish a new version',
  ],
];

describe('Fields of a drop', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });
  let owner: Owner;
  before(async () => {
    owner = await service.newOwner();
  });

  function send(endpoint: Endpoint, slug: string, fields: object) {
    if (endpoint === 'POST') return owner.post(fields);
    if (endpoint === 'PUT') return owner.put(slug, fields);
    const path = `/api/drops/${slug}`;
    if (endpoint === 'PATCH') return owner.request('PATCH', path, { body: fields });
    return owner.request('POST', `${path}/passcode`, { body: fields });
  }

  for (const [field, values, code, endpoints, message] of rules) {
    it(`${endpoints.join(', ')}: 400 ${code}: ${message}; nothing changes`, async () => {
      const drop = await owner.create({ metadata: { kept: 'yes' } });
      const [name = '', key] = field.split('.');
      for (const endpoint of endpoints) {
        for (const value of values) {
          const answer = await send(endpoint, drop.slug, { [name]: key ? { [key]: value } : value });
          const label = `${endpoint} ${JSON.stringify(value)?.slice(0, 40)}`;
          expect(expectError(answer, 400, code).field, label).to.equal(field);
          expect(answer.body.error.message, label).to.match(startOf(message));
        }
      }
      expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(drop);
    });
  }

  it('the longest legal values', async () => {
    const fields = { passcode: '😀'.repeat(256), metadata: { ...mapOf(9), a: '😀'.repeat(256) } };
    const drop = await owner.create(fields);
    expect(drop).to.deep.include({ locked: true, metadata: fields.metadata });
    expect((await send('passcode', drop.slug, { passcode: fields.passcode })).status).to.equal(200);
  });

  it('an empty description, context or passcode is none', async () => {
    const drop = await owner.create({ description: '', context: '', passcode: '' });
    expect(drop).to.not.have.property('description');
    expect(drop.locked).to.equal(false);
    expect((await owner.get(`/api/drops/${drop.slug}/v/1`)).body.context).to.equal(null);
  });

  it('several wrong fields: all are listed in details.fields', async () => {
    const wrong = { title: 'x'.repeat(201), html: undefined, description: 7, context: null };
    const { fields } = (await owner.post(wrong)).body.error.details as { fields: Record<string, string>[] };
    expect(fields.map(({ field, code }) => [field, code])).to.have.deep.members([
      ['title', 'title_too_long'],
      ['html', 'html_required'],
      ['description', 'invalid_arg'],
      ['context', 'invalid_arg'],
    ]);
  });

  it('unknown fields are ignored', async () => {
    const unknown = { slug: 'mine', view_count: 99, locked: true, latest_version: 9, constructor: 1 };
    const drop = await owner.create(unknown);
    expect(drop).to.include({ view_count: 0, locked: false });
    expect(drop.slug).to.not.equal('mine');
    const patched = await send('PATCH', drop.slug, { ...unknown, context: 7 });
    expect(patched.body).to.include({ slug: drop.slug, locked: false, latest_version: 1 });
  });
});

/** A map of that many tags. */
function mapOf(size: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: size }, (_, index) => [`key${index}`, `${index}`]));
}

/** For null the messages end with ", not null". */
function startOf(message: string): RegExp {
  return new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(, not null)?$`);
}
