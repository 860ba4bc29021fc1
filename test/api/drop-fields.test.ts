import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useOwner, useService } from '../support/service.ts';

type Endpoint = 'POST' | 'PUT' | 'PATCH' | 'passcode';

const all = 'POST PUT PATCH';
const notStrings = [null, 7, true, ['a'], { a: 'b' }];
const passcodeRequired = 'is required and must be a string; "" removes the passcode';

/** Field, values, endpoints, code, text in the message. Exact limits: lengths.test.ts; metadata keys: metadata.test.ts. */
const rules: readonly (readonly [string, readonly unknown[], string, string, string])[] = [
  ['title', [undefined], 'POST', 'title_required', 'is required and must not be blank'],
  ['title', ['', ' \t\n\u00a0\u2003'], all, 'title_required', 'is required and must not be blank'],
  ['title', notStrings, all, 'invalid_arg', 'must be a string'],
  ['title', ['x'.repeat(231)], all, 'title_too_long', 'must be at most 200 characters (got 231)'],
  ['description', notStrings, all, 'invalid_arg', 'must be a string'],
  ['description', ['x'.repeat(501)], all, 'description_too_long', 'must be at most 500 characters (got 501)'],
  ['html', [undefined, ''], 'POST PUT', 'html_required', 'is required: send the whole HTML document'],
  ['html', notStrings, 'POST PUT', 'invalid_arg', 'must be a string'],
  [
    'html',
    ['x'.repeat(2097153)],
    'POST PUT',
    'html_too_large',
    'must be at most 2097152 bytes (got 2097153)',
  ],
  ['html', ['<p>', '', null, 7], 'PATCH', 'metadata_only_on_patch', 'PATCH cannot change html; use PUT'],
  ['context', notStrings, 'POST PUT', 'invalid_arg', 'must be a string'],
  [
    'context',
    ['x'.repeat(65537)],
    'POST PUT',
    'context_too_large',
    'must be at most 65536 bytes (got 65537)',
  ],
  ['passcode', notStrings, 'POST', 'invalid_arg', 'must be a string'],
  ['passcode', [undefined, ...notStrings], 'passcode', 'passcode_required', passcodeRequired],
  [
    'passcode',
    ['abc', '😀😀😀'],
    'POST passcode',
    'passcode_too_short',
    'must be at least 4 characters (got 3)',
  ],
  [
    'passcode',
    ['😀'.repeat(257)],
    'POST passcode',
    'invalid_arg',
    'must be at most 256 characters (got 257)',
  ],
  ['passcode', ['abcd\u0000'], 'POST passcode', 'invalid_arg', 'must not contain U+0000'],
  ['passcode', ['abcd', '', null], 'PUT PATCH', 'invalid_arg', 'use POST /api/drops/{slug}/passcode'],
  [
    'access',
    [...notStrings, '', 'public', 'Link', 'named '],
    all,
    'invalid_arg',
    'must be one of link, members, named',
  ],
  ...['people', 'people_add', 'people_remove'].flatMap((field) => {
    const endpoints = field === 'people' ? all : 'PUT PATCH';
    const notLists = [null, 7, true, 'ada@example.org', { 0: 'ada@example.org', length: 1 }];
    return [
      [field, notLists, endpoints, 'invalid_arg', 'must be a list of texts'] as const,
      [
        field,
        [manyPeople(101)],
        endpoints,
        'invalid_arg',
        'must have at most 100 entries (got 101)',
      ] as const,
      [
        field,
        [manyPeople(900)],
        endpoints,
        'invalid_arg',
        'must have at most 100 entries (got 900)',
      ] as const,
    ];
  }),
  ['metadata', [null, [], ['a'], 'a=b', 1, true], all, 'invalid_arg', 'must be an object of strings'],
  ['metadata', [mapOf(11)], all, 'invalid_arg', 'must have at most 10 keys (got 11)'],
  ['metadata.a', notStrings, all, 'invalid_arg', 'must be a string; send numbers as strings'],
  ['metadata.a', ['x\u0000'], all, 'invalid_arg', 'must not contain U+0000'],
  ['metadata.a', ['😀'.repeat(257)], all, 'invalid_arg', 'must be at most 256 characters (got 257)'],
];

describe('Fields of a drop', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });
  const owner = useOwner(service);

  function send(endpoint: Endpoint, slug: string, fields: object) {
    if (endpoint === 'POST') return owner.post(fields);
    if (endpoint === 'PUT') return owner.put(slug, fields);
    const path = `/api/drops/${slug}`;
    if (endpoint === 'PATCH') return owner.request('PATCH', path, { body: fields });
    return owner.request('POST', `${path}/passcode`, { body: fields });
  }

  for (const [field, values, endpoints, code, message] of rules) {
    it(`${endpoints}: ${field} ${message}: 400 ${code}, and nothing changes`, async () => {
      const drop = await owner.create({ metadata: { kept: 'yes' } });
      service.clock.advance(1_000); // so that updated_at would tell
      const [name = '', key] = field.split('.');
      for (const endpoint of endpoints.split(' ') as Endpoint[]) {
        for (const value of values) {
          const answer = await send(endpoint, drop.slug, { [name]: key ? { [key]: value } : value });
          const label = `${endpoint} ${JSON.stringify(value)?.slice(0, 40)}`;
          expect(expectError(answer, 400, code).field, label).to.equal(field);
          expect(answer.body.error.message, label).to.include(field).and.include(message);
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

  it('PUT with a wrong html and a wrong title: both are listed, html first, and nothing changes', async () => {
    const drop = await owner.create();
    const details = expectError(await owner.put(drop.slug, { title: '', html: 7 }), 400, 'invalid_arg');
    const fields = details.fields as Record<string, string>[];
    expect(fields.map(({ field, code }) => [field, code])).to.deep.equal([
      ['html', 'invalid_arg'],
      ['title', 'title_required'],
    ]);
    expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(drop);
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

/** The same entry that many times: they are counted before they are joined. */
function manyPeople(size: number): string[] {
  return Array.from({ length: size }, () => 'ada@example.org');
}
