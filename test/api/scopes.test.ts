import { expect } from 'chai';
import { scopes } from '../../shared/credentials/token.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { type Call, pathOf, send, tokenCalls } from '../support/calls.ts';
import type { Answer } from '../support/client.ts';
import { expectError } from '../support/expect.ts';
import { connectMcp, revisions } from '../support/mcp.ts';
import { type Owner, useService } from '../support/service.ts';

/** What a token with the scope `publish` may call: a new call fails the first test until somebody decides. */
const callsOf: Readonly<Record<string, 'allowed' | 'refused'>> = {
  'GET /api/me': 'allowed',
  'DELETE /api/me': 'refused',
  'GET /api/tokens': 'refused',
  'PATCH /api/tokens/:id': 'refused',
  'DELETE /api/tokens/:id': 'refused', // but for itself
  'GET /api/drops': 'allowed',
  'POST /api/drops': 'allowed',
  'GET /api/drops/:slug': 'allowed',
  'PUT /api/drops/:slug': 'allowed',
  'PATCH /api/drops/:slug': 'allowed',
  'DELETE /api/drops/:slug': 'refused',
  'POST /api/drops/:slug/passcode': 'allowed', // to lock
  'GET /api/drops/:slug/views': 'allowed',
  'GET /api/drops/:slug/versions': 'allowed',
  'GET /api/drops/:slug/v/:n': 'allowed',
  'GET /api/drops/:slug/html': 'allowed',
  'GET /api/drops/:slug/v/:n/html': 'allowed',
  'GET /api/drops/:slug/diff': 'allowed',
  'DELETE /api/drops/:slug/v/:n': 'refused',
  'POST /api/drops/:slug/v/:n/restore': 'allowed',
  'GET /api/comments': 'allowed',
  'POST /api/drops/:slug/comments': 'allowed',
  'POST /api/comments/:comment/replies': 'allowed',
  'PATCH /api/comments/:comment': 'allowed',
  'DELETE /api/comments/:comment': 'refused',
  'POST /api/uploads': 'allowed',
  'GET /api/shared': 'refused',
};

type Arguments = (of: { readonly slug: string; readonly commentId: string }) => Record<string, unknown>;

/** The same for tools, with arguments. A second row of a tool is what it may do in one way alone. */
const toolsOf: readonly (readonly [tool: string, decision: 'allowed' | 'refused', args: Arguments])[] = [
  ['create_upload', 'allowed', () => ({})],
  ['publish_drop', 'allowed', () => ({ title: 'T', html: '<p>x' })],
  ['update_drop', 'allowed', ({ slug }) => ({ slug, html: '<p>y' })],
  ['update_drop', 'allowed', ({ slug }) => ({ slug, title: 'Other', comments: 'members' })],
  ['update_drop', 'refused', ({ slug }) => ({ slug, expires_at: '1h' })],
  ['restore_version', 'allowed', ({ slug }) => ({ slug, version: 1 })],
  ['get_drop', 'allowed', ({ slug }) => ({ slug })],
  ['list_drops', 'allowed', () => ({})],
  ['list_shared_drops', 'refused', () => ({})],
  ['list_versions', 'allowed', ({ slug }) => ({ slug })],
  ['diff_versions', 'allowed', ({ slug }) => ({ slug })],
  ['view_stats', 'allowed', ({ slug }) => ({ slug })],
  ['list_comments', 'allowed', () => ({})],
  ['reply_comment', 'allowed', ({ commentId }) => ({ id: commentId, text: 'Yes', state: 'resolved' })],
  ['reply_comment', 'refused', ({ commentId }) => ({ id: commentId, delete: true })],
  ['set_passcode', 'allowed', ({ slug }) => ({ slug, passcode: 'open sesame' })],
  ['set_passcode', 'refused', ({ slug }) => ({ slug, passcode: '' })],
  ['delete_drop', 'refused', ({ slug }) => ({ slug })],
];

function expectRefused(answer: Answer<unknown>): void {
  expect(expectError(answer, 403, 'forbidden')).to.deep.equal({ scope: 'all' });
}

describe('The scope of a token', () => {
  /** Called before the store sets a lock or changes details. */
  let beforeChange: () => Promise<unknown> = async () => undefined;
  const service = useService(
    { WRITES_PER_MINUTE: '1000', CHANGES_PER_MINUTE: '1000', UPLOADS_PER_10_MINUTES: '1000' },
    (own) => {
      const { setLock, changeDetails, ...others } = methodsOf(own.drops);
      const drops: typeof own.drops = {
        ...others,
        setLock: async (...args) => {
          await beforeChange();
          return setLock(...args);
        },
        changeDetails: async (...args) => {
          await beforeChange();
          return changeDetails(...args);
        },
      };
      return { ...own, drops };
    },
  );
  afterEach(() => {
    beforeChange = async () => undefined;
  });

  const publisherOf = (owner: Owner) => service.newToken(owner, 'agent', 'publish');
  const idOf = async (token: Owner) => (await token.get('/api/me')).body.token?.id ?? '';

  /** A drop with two versions and a comment, another token of its owner, and a token that may only publish. */
  async function scene() {
    const { owner, slug } = await service.newDrop();
    await owner.put(slug);
    const comment = await owner.request('POST', `/api/drops/${slug}/comments`, { body: { text: 'x' } });
    const publisher = await publisherOf(owner);
    await idOf(publisher); // from now on its last use is the same
    const target = { slug, tokenId: await idOf(owner), commentId: comment.body.id };
    const paths = ['/api/tokens', '/api/comments?state=all', `/api/drops/${slug}`, '/api/drops'];
    const readAll = () => Promise.all(paths.map(async (path) => (await owner.get(path)).text));
    return { owner, publisher, slug, target, readAll };
  }

  const patch = (token: Owner, slug: string, body: object, headers = {}) =>
    token.request('PATCH', `/api/drops/${slug}`, { body, headers });
  const setPasscode = (token: Owner, slug: string, passcode: string, headers = {}) =>
    token.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode }, headers });

  describe('publish', () => {
    it('is decided for every call of the table of routes', () => {
      expect(tokenCalls.map(({ name }) => name)).to.have.members(Object.keys(callsOf));
    });

    for (const call of tokenCalls) {
      const isRefused = callsOf[call.name] === 'refused';
      it(`${call.name}: ${isRefused ? '403 forbidden with details.scope "all", and nothing changes' : 'as with any token'}`, async () => {
        const { publisher, owner, target, readAll } = await scene();
        const before = await readAll();
        const answer = await send(call, publisher, target);
        if (isRefused) {
          expectRefused(answer);
          expect(answer.body)
            .to.have.nested.property('error.message')
            .that.includes('may not unlock or delete');
          expect(await readAll()).to.deep.equal(before);
        } else expect(answer.status, answer.text).to.be.oneOf([200, 201]);
        expect((await send(call, owner, target)).status, 'scope all').to.be.oneOf([200, 201, 204]);
      });
    }

    for (const call of tokenCalls.filter(isRefusedByRoute))
      it(`${call.name}: refused before the body, the limit and what the path names`, async () => {
        const { owner, publisher, target } = await scene();
        const raw = call.method === 'GET' ? {} : { raw: '{' };
        expectRefused(await publisher.request(call.method, pathOf(call, owner, target), raw));
        expectRefused(await publisher.request(call.method, pathOf(call, owner, {}), raw));
      });
  });

  it('publish: a token may revoke itself', async () => {
    const { publisher } = await scene();
    const answer = await publisher.request('DELETE', `/api/tokens/${await idOf(publisher)}`);
    expect(answer.status).to.equal(204);
    expectError(await publisher.get('/api/drops'), 401, 'invalid_token');
  });

  it('publish: a passcode can be set, and neither changed nor removed', async () => {
    const { owner, publisher, slug } = await scene();
    expectRefused(await setPasscode(publisher, slug, ''));
    expect((await setPasscode(publisher, slug, 'open sesame')).body.locked).to.equal(true);
    for (const passcode of ['another one', '']) expectRefused(await setPasscode(publisher, slug, passcode));
    expect((await owner.get(`/api/drops/${slug}`)).body.locked).to.equal(true);
    expect((await setPasscode(owner, slug, '')).body.locked).to.equal(false);
  });

  it('publish: a passcode that the owner sets meanwhile stays', async () => {
    const { owner, publisher, slug } = await scene();
    beforeChange = async () => {
      beforeChange = async () => undefined;
      expect((await setPasscode(owner, slug, 'of the owner')).status).to.equal(200);
    };
    expectRefused(await setPasscode(publisher, slug, 'of the agent'));
    expect((await service.unlock(slug, 'of the agent')).status).to.equal(403);
    expect((await service.unlock(slug, 'of the owner')).status).to.equal(303);
  });

  it('publish: a change that overtakes it is no conflict, unless the client has sent If-Match', async () => {
    for (const [ifMatch, status] of [
      [false, 200],
      [true, 412],
    ] as const) {
      const { owner, publisher, slug } = await scene();
      const { etag = '' } = (await owner.get(`/api/drops/${slug}`)).headers;
      beforeChange = async () => {
        beforeChange = async () => undefined;
        expect((await patch(owner, slug, { title: 'Meanwhile' })).status).to.equal(200);
      };
      const headers = ifMatch ? { 'if-match': etag } : {};
      expect((await setPasscode(publisher, slug, 'open sesame', headers)).status).to.equal(status);
      const { title, locked } = (await owner.get(`/api/drops/${slug}`)).body;
      expect({ title, locked }).to.deep.equal({ title: 'Meanwhile', locked: !ifMatch });
    }
  });

  it('publish: a new drop may expire, and of an older one that stays as it is: by PATCH, PUT and upload', async () => {
    const { publisher, slug } = await scene();
    const expires_at = service.clock.now() + 60_000;
    expect((await publisher.post({ expires_at })).status).to.equal(201);
    expectRefused(await patch(publisher, slug, { expires_at }));
    expectRefused(await publisher.put(slug, { expires_at }));
    expect((await patch(publisher, slug, { expires_at: null, title: 'Same' })).body.title).to.equal('Same');
    const upload = await publisher.request('POST', '/api/uploads', { body: { slug, expires_at } });
    const { pathname } = new URL(upload.body.upload_url);
    expectRefused(
      await service.request('PUT', pathname, { raw: '<p>New', headers: { 'content-type': 'text/html' } }),
    );
  });

  it('publish: access of a drop can be narrowed, and not widened, also by a new version', async () => {
    const { publisher, owner, slug } = await scene();
    const { drops, tokens } = service.services;
    const of = (token: Owner) => tokens.authenticate(`Bearer ${token.token}`);
    const any = { slug, revs: null };
    const document = { html: Buffer.from('<p>x'), context: null };
    const narrower = [
      { access: 'members', people: null },
      { access: 'named', people: ['ada@example.org', '@example.net'] },
      { access: 'named', people: ['ada@example.org'] },
    ] as const;
    for (const changes of narrower) await drops.change(await of(publisher), any, changes);
    const wider = [
      { access: 'link', people: null },
      { access: 'members', people: null },
      { people: ['ada@example.org', 'grace@example.org'] },
    ] as const;
    const caller = await of(publisher);
    for (const changes of wider) {
      const acts = [
        drops.change(caller, any, changes),
        drops.addVersion(caller, any, { ...document, ...changes }),
      ];
      for (const act of await Promise.allSettled(acts))
        expect(act).to.have.nested.property('reason.details').that.deep.equals({ scope: 'all' });
      await drops.change(await of(owner), any, changes);
      await drops.change(await of(owner), any, narrower[2]);
    }
    const version = await drops.addVersion(caller, any, { ...document, people: [] });
    expect(version).to.deep.include({ latestVersion: 3, access: 'named', people: null });
  });

  it('is in GET /api/me and the list of tokens if it is not all', async () => {
    const { owner, publisher } = await scene();
    expect((await publisher.get('/api/me')).body.token).to.include({ scope: 'publish' });
    expect((await owner.get('/api/me')).body.token).not.to.have.property('scope');
    const listed = await owner.get<readonly { label: string; scope?: string }[]>('/api/tokens');
    const found = listed.body.map(({ label, scope }) => [label, scope]);
    expect(found).to.have.deep.members([
      ['test', undefined],
      ['agent', 'publish'],
    ]);
  });

  for (const revision of revisions) {
    describe(`publish, by MCP ${revision}`, () => {
      it('is decided for every tool', async () => {
        const { owner } = await scene();
        const mcp = await connectMcp(service, owner, revision);
        const names = (await mcp.sdk.listTools()).tools.map(({ name }) => name);
        await mcp.sdk.close();
        expect(names).to.have.members([...new Set(toolsOf.map(([name]) => name))]);
      });

      for (const [tool, decision, args] of toolsOf)
        it(`${tool} ${JSON.stringify(args({ slug: 'SLUG', commentId: 'ID' }))}: ${decision}`, async () => {
          const { owner, publisher, target, readAll } = await scene();
          const before = await readAll();
          for (const scope of scopes.toReversed()) {
            const mcp = await connectMcp(service, scope === 'all' ? owner : publisher, revision);
            const { error } = await mcp.call(tool, args(target));
            await mcp.sdk.close();
            if (scope === 'all' || decision === 'allowed') expect(error, scope).to.equal(null);
            else {
              expect(error).to.deep.include({ code: 'forbidden', details: { scope: 'all' } });
              expect(await readAll()).to.deep.equal(before);
            }
          }
        });
    });
  }
});

/** The others need to know what the path names. */
function isRefusedByRoute({ name }: Call): boolean {
  return callsOf[name] === 'refused' && name !== 'DELETE /api/tokens/:id';
}
