import { expect } from 'chai';
import { between } from '../support/between.ts';
import { expectError } from '../support/expect.ts';
import { connectMcp, type McpClient } from '../support/mcp.ts';
import { noLimits } from '../support/no-limits.ts';
import { useService } from '../support/service.ts';
import type { WireBody } from '../support/wire.ts';

const address = 'ada@example.org';

/** No entry of a list of people. */
const wrong: Readonly<Record<string, unknown>> = {
  'an empty text': '',
  blanks: ' \t',
  'a name': 'ada',
  'an @ alone': '@',
  'no domain': 'ada@',
  'two @': 'ada@example.org@evil.org',
  'a domain of two dots': '@example..org',
  'a domain that ends with a dot': 'ada@example.org.',
  'a domain that begins with a hyphen': '@-example.org',
  'a wildcard': '@*.example.org',
  'a domain with a blank': 'ada@example .org',
  'an address with a blank': 'a da@example.org',
  'a literal address': 'ada@[127.0.0.1]',
  'a name beside the address': 'Ada <ada@example.org>',
  'two addresses': 'ada@example.org,bob@example.org',
  'a Cyrillic а in the domain': '@ex\u0430mple.org',
  'a Cyrillic а in the name': '\u0430da@example.org',
  'a Kelvin sign in the domain': '@\u212Aube.org',
  'a long s in the domain': '@te\u017Ft.org',
  'a full-width @': 'ada\uFF20example.org',
  'a full-width dot': 'ada@example\u3002org',
  'a dotless i': '@\u0131bm.com',
  'a zero-width space': 'ada@exam\u200bple.org',
  'a soft hyphen': 'ada@exam\u00adple.org',
  'an override of direction': 'ada@\u202egro.elpmaxe',
  'a line break': 'ada@example.org\nbob@example.org',
  'U+0000': 'ada@example.org\u0000',
  '255 characters': `${'x'.repeat(243)}@example.org`,
  'a group without a name': 'group:',
  'a group of blanks at the end': ' group: '.trim(),
  'a group in capitals': 'GROUP:staff',
  'a group with a tab': 'group:a\tb',
  'a group with U+0000': 'group:a\u0000',
  'a group with U+009F': 'group:a\u009fb',
  'a group of 257 characters': `group:${'x'.repeat(257)}`,
  null: null,
  'a number': 7,
  'a truth value': true,
  'a list': [address],
  'an object': { address },
  'a prototype': JSON.parse('{"__proto__": "ada@example.org"}'),
};

/** What it becomes. */
const legal: Readonly<Record<string, string>> = {
  'a@x': 'a@x',
  '@Xn--Exmple-cua.org': '@xn--exmple-cua.org',
  "O'Brien+x/y=z%@EXAMPLE.org": "o'brien+x/y=z%@example.org",
  '__proto__@example.org': '__proto__@example.org',
  'group:__proto__': 'group:__proto__',
  'group:\u0430 \u202e<b>$1': 'group:\u0430 \u202e<b>$1',
  'group:@example.org': 'group:@example.org',
  [`${'x'.repeat(242)}@EXAMPLE.org`]: `${'x'.repeat(242)}@example.org`,
  [`group:${'\ud83d\ude00'.repeat(128)}`]: `group:${'\ud83d\ude00'.repeat(128)}`,
};

describe('People as strangers write them', () => {
  const service = useService(noLimits);
  const scene = between(
    before,
    after,
    async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create({ access: 'named', people: [address] });
      const mcp = await connectMcp(service, owner, '2026-07-28');
      return { owner, slug, mcp };
    },
    (opened) => opened?.mcp.sdk.close(),
  );

  type Fields = Record<string, unknown>;
  type Refusal = { readonly code: string; readonly message: string; readonly details?: object };

  /** Every way in that takes the field, and its refusal; undefined: it was accepted. */
  const waysIn: Readonly<Record<string, (fields: Fields) => Promise<Refusal | undefined>>> = {
    POST: async (fields) => errorOf(await scene.owner.post({ access: 'named', ...fields })),
    PUT: async (fields) => errorOf(await scene.owner.put(scene.slug, fields)),
    PATCH: async (body) => errorOf(await scene.owner.request('PATCH', `/api/drops/${scene.slug}`, { body })),
    'upload of a drop': async (fields) =>
      errorOf(await scene.owner.request('POST', '/api/uploads', { body: { access: 'named', ...fields } })),
    'upload of a version': async (fields) =>
      errorOf(await scene.owner.request('POST', '/api/uploads', { body: { slug: scene.slug, ...fields } })),
    publish_drop: (fields) =>
      errorOfTool('publish_drop', { html: '<p>', title: 'T', access: 'named', ...fields }),
    update_drop: (fields) => errorOfTool('update_drop', { slug: scene.slug, ...fields }),
    create_upload: (fields) => errorOfTool('create_upload', { slug: scene.slug, ...fields }),
  };
  const waysOfChanges = ['PUT', 'PATCH', 'upload of a version', 'update_drop'];

  async function errorOfTool(tool: string, args: Fields) {
    const mcp: McpClient = scene.mcp;
    return (await mcp.call(tool, args)).error ?? undefined;
  }

  const listed = async () => (await scene.owner.get(`/api/drops/${scene.slug}`)).body.people;

  for (const [what, entry] of Object.entries(wrong))
    it(`${what} is refused with its place, by every way in, and nothing changes`, async () => {
      for (const field of ['people', 'people_add', 'people_remove'])
        for (const [way, send] of Object.entries(waysIn)) {
          if (field !== 'people' && !waysOfChanges.includes(way)) continue;
          const error = await send({ [field]: [address, entry] });
          const label = `${way} ${field}`;
          expect(error, label).to.deep.include({ code: 'invalid_arg' });
          expect(error?.details, label).to.include({ field: `${field}[1]` });
          expect(error?.message, label).to.match(
            /^people(_add|_remove)?\[1\] must be an e-mail address in ASCII/,
          );
        }
      expect(await listed()).to.deep.equal([address]);
    });

  it('lone surrogates are refused', async () => {
    for (const entry of ['group:\ud800', '\udc00@example.org'])
      for (const [way, send] of Object.entries(waysIn)) {
        const error = await send({ people: [entry] });
        expect(error?.code, way).to.be.oneOf(['invalid_arg', 'invalid_json']);
      }
    expect(await listed()).to.deep.equal([address]);
  });

  it('what looks odd and is legal is stored as it is, addresses in lower case', async () => {
    const made = await scene.owner.create({ access: 'named', people: Object.keys(legal) });
    expect(made.people).to.deep.equal(Object.values(legal));
    const read = await scene.owner.get(`/api/drops/${made.slug}`);
    expect(read.body.people).to.deep.equal(Object.values(legal));
  });

  it('an agent may send lists as JSON texts; an empty one is not given', async () => {
    const { structured } = await scene.mcp.call('publish_drop', {
      html: '<p>',
      title: 'T',
      access: 'named',
      people: '["Ada@example.org", "group:staff"]',
    });
    expect(structured).to.deep.include({ access: 'named', people: [address, 'group:staff'] });
    const { slug, etag } = structured;
    const same = await scene.mcp.call('update_drop', { slug, people: [], people_add: [address] });
    expect(same.structured, 'nobody is added').to.deep.include({ people: [address, 'group:staff'], etag });
    const removed = await scene.mcp.call('update_drop', { slug, people_remove: `["${address}"]` });
    expect(removed.structured.people).to.deep.equal(['group:staff']);
    const text = await scene.mcp.call('update_drop', { slug, people: address });
    expect(text.error).to.deep.include({ code: 'invalid_arg', message: 'people must be a list of texts' });
    const version = await scene.mcp.call('update_drop', { slug, html: '<p>Two', access: 'members' });
    expect(version.structured)
      .to.include({ latest_version: 2, access: 'members' })
      .and.not.have.any.keys('people');
    const refused = await scene.mcp.call('update_drop', { slug, people_add: [address] });
    expect(refused.error?.message).to.equal('people is for access named: send access: "named", too');
    const misspelled = await scene.mcp.call('create_upload', { slug, people_add: [address] });
    expect(misspelled.error?.message).to.include('create_upload has no argument "people_add"');
  });
});

function errorOf({ status, body }: { status: number; body: WireBody }) {
  if (status < 400) return undefined;
  expect(status).to.equal(400);
  return body.error;
}

describe('One-time uploads of drops that not everybody may read', () => {
  const service = useService(noLimits);

  it('carry access and people, which hold for the drop as it is when the document comes', async () => {
    const owner = await service.newOwner();
    const addressFor = async (body: object) => {
      const { body: upload, text, status } = await owner.request('POST', '/api/uploads', { body });
      expect(status, text).to.equal(201);
      return new URL(upload.upload_url).pathname;
    };
    const put = (path: string, raw: string) =>
      service.request('PUT', path, { raw, headers: { 'content-type': '' } });
    const path = await addressFor({ title: 'T', access: 'named', people: ['Ada@example.org'] });
    const { body: drop } = await put(path, '<p>One');
    expect(drop).to.deep.include({ access: 'named', people: [address] });
    const { slug } = drop;
    const members = await put(await addressFor({ title: 'T', access: 'members' }), '<p>One');
    expect(members.body).to.include({ access: 'members' });

    const later = await addressFor({ slug, people_add: ['bob@example.org'], people_remove: [address] });
    const widened = await addressFor({ slug, access: 'link' });
    const refused = await addressFor({ slug, people_add: ['bob@example.org'] });
    const { body: added } = await owner.request('PATCH', `/api/drops/${slug}`, {
      body: { people_add: ['eve@example.org'] },
    });
    expect(added.people).to.deep.equal([address, 'eve@example.org']);
    const version = await put(later, '<p>Two');
    expect(version.body).to.deep.include({
      latest_version: 2,
      people: ['eve@example.org', 'bob@example.org'],
    });
    expect((await put(later, '<p>Two')).body.people, 'repeated').to.deep.equal(version.body.people);
    expect((await put(widened, '<p>Three')).body).to.not.have.any.keys('access', 'people');
    const late = await put(refused, '<p>Four');
    expect(expectError(late, 400, 'invalid_arg').field).to.equal('people');
    expect((await owner.get(`/api/drops/${slug}`)).body.latest_version).to.equal(3);
  });

  it('are refused at once where the write would be', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const ask = (body: object) => owner.request('POST', '/api/uploads', { body });
    for (const [body, field] of [
      [{ people: [address] }, 'people'],
      [{ access: 'members', people: [address] }, 'people'],
      [{ access: 'named', people_add: [address] }, 'people_add'],
      [{ access: 'named', people_remove: [address] }, 'people_remove'],
      [{ slug, people: [address] }, 'people'],
      [{ slug, people_add: [address] }, 'people'],
      [{ slug, access: 'open' }, 'access'],
    ] as const)
      expect(expectError(await ask(body), 400, 'invalid_arg').field, JSON.stringify(body)).to.equal(field);
    const stale = { slug, if_match: '"7"', people: [address] };
    expectError(await ask(stale), 412, 'version_conflict');
  });
});
