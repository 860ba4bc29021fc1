import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { connectMcp } from '../support/mcp.ts';
import { noLimits } from '../support/no-limits.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';
import type { WireSharedList } from '../support/wire.ts';

/** docs/decisions/drops.md, Who may read. */
describe('GET /api/shared', () => {
  const service = useService({
    ...noLimits,
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'id',
    SIGN_IN: 'local,oidc',
  });
  const owner = useOwner(service);
  let people = 0;

  /** Somebody whose provider has said these. */
  async function person(email: string | null = `ada${++people}@example.org`, groups: readonly string[] = []) {
    const reader = await service.newOwner();
    const now = service.clock.now();
    await service.services.engine.identities.claim({
      provider: 'oidc:https://id.example',
      subject: reader.userId,
      accountId: reader.userId,
      name: reader.name,
      email,
      groups,
      refreshToken: null,
      checkedAt: now,
      createdAt: now,
    });
    return { ...reader, email: email ?? '' };
  }

  const named = (...list: string[]) => owner.create({ access: 'named', people: list });
  const list = async (reader: Owner, query = '') => {
    const { status, body, text } = await reader.get<WireSharedList>(`/api/shared${query}`);
    expect(status, text).to.equal(200);
    return body;
  };
  const slugsOf = async (reader: Owner, query = '') =>
    (await list(reader, query)).data.map(({ slug }) => slug);

  it('lists what others share with the caller, with the name of the owner', async () => {
    const ada = await person();
    expect(await list(ada)).to.deep.equal({ data: [] });
    const drop = await named(ada.email);
    const { slug, title, url, raw_url } = drop;
    service.clock.advance(1_000);
    const { body } = await owner.put(slug);
    expect(body.warnings, 'a provider says addresses').to.equal(undefined);
    expect(await list(ada)).to.deep.equal({
      data: [
        { slug, title, url, raw_url, owner: owner.name, updated_at: service.clock.now(), access: 'named' },
      ],
    });
  });

  it('by the address, exactly its domain, and groups; never by what only looks alike', async () => {
    const domain = 'team.example';
    const ada = await person(`ada@${domain}`, ['Staff', '/ops/$1']);
    const open: string[] = [];
    for (const entry of [`ADA@${domain}`, `@${domain}`, 'group:Staff', 'group:/ops/$1'])
      open.push((await named('bob@other.example', entry)).slug);
    for (const entry of [
      `bob@${domain}`,
      `ada+x@${domain}`,
      `a.da@${domain}`,
      `ada@mail.${domain}`,
      '@example',
      `@mail.${domain}`,
      `@${domain}.org`,
      'group:staff',
      'group:/ops',
      `group:@${domain}`,
      `group:ada@${domain}`,
    ])
      await named(entry);
    await owner.create({ access: 'members' });
    await owner.create({ access: 'named' });
    expect(await slugsOf(ada)).to.have.members(open);
  });

  it('each drop once; not the own ones, nor those that were deleted, expired or taken down, or leave the list', async () => {
    const ada = await person('ada@once.example', ['g']);
    const { slug } = await named('ada@once.example', '@once.example', 'group:g');
    await ada.create({ access: 'named', people: ['ada@once.example'] });
    const expired = await owner.create({
      access: 'named',
      people: ['ada@once.example'],
      expires_at: service.clock.now() + 60_000,
    });
    const removed = await named('ada@once.example');
    const down = await named('ada@once.example');
    const opened = await named('ada@once.example');
    const left = await named('ada@once.example');
    expect(await slugsOf(ada)).to.have.length(6);
    service.clock.advance(60_000);
    await owner.request('DELETE', `/api/drops/${removed.slug}`);
    await service.services.moderation.takeDown(down.slug, { by: 'root', reason: 'phishing' });
    await owner.request('PATCH', `/api/drops/${opened.slug}`, { body: { access: 'link' } });
    await owner.request('PATCH', `/api/drops/${left.slug}`, {
      body: { people_remove: ['ada@once.example'] },
    });
    expect(await slugsOf(ada)).to.deep.equal([slug]);
    expect(expired.slug).to.not.equal(slug);
  });

  it('in parts: after is the next of the part before', async () => {
    const ada = await person('ada@parts.example');
    const slugs: string[] = [];
    for (let n = 0; n < 5; n++) {
      slugs.unshift((await named('@parts.example')).slug);
      service.clock.advance(1);
    }
    const first = await list(ada, '?limit=2');
    expect(first.data.map(({ slug }) => slug)).to.deep.equal(slugs.slice(0, 2));
    const second = await list(ada, `?limit=2&after=${first.next}`);
    expect(second.data.map(({ slug }) => slug)).to.deep.equal(slugs.slice(2, 4));
    const last = await list(ada, `?limit=2&after=${second.next}`);
    expect(last.data.map(({ slug }) => slug)).to.deep.equal(slugs.slice(4));
    expect(last).to.not.have.property('next');
    expect(await list(ada, '?limit=5')).to.not.have.property('next');
  });

  it('a wrong limit or position: 400', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=1&limit=2'])
      expect(expectError(await owner.get(`/api/shared?${query}`), 400, 'invalid_arg').field).to.equal(
        'limit',
      );
    for (const after of ['', 'x', `${'f'.repeat(31)}G`, 'f'.repeat(33)])
      expect(expectError(await owner.get(`/api/shared?after=${after}`), 400, 'invalid_arg').field).to.equal(
        'after',
      );
  });

  it('somebody whose identity says no address and no group, or who is suspended, has none', async () => {
    const nobody = await person(null);
    await named('@none.example');
    expect(await list(nobody)).to.deep.equal({ data: [] });
    const ada = await person('ada@none.example');
    expect(await slugsOf(ada)).to.have.length(1);
    await service.services.moderation.suspend(await service.accountOf(ada), { by: 'root', reason: 'spam' });
    expect(await list(ada)).to.deep.equal({ data: [] });
  });

  it('without the drops of an account that was deleted', async () => {
    const ada = await person('ada@gone.example');
    const other = await service.newOwner();
    await other.create({ access: 'named', people: ['@gone.example'] });
    const { slug } = await named('@gone.example');
    expect(await slugsOf(ada)).to.have.length(2);
    await other.request('DELETE', `/api/me?confirm=${other.userId}`);
    expect(await slugsOf(ada)).to.deep.equal([slug]);
  });

  it('finds 1,000 groups of one person, and 100 drops in one answer', async () => {
    const groups = Array.from({ length: 1_000 }, (_, n) => `group ${n}`);
    const ada = await person('ada@many.example', groups);
    for (let n = 0; n < 101; n++) await named(`group:group ${n * 9}`, '@elsewhere.example');
    const { data, next } = await list(ada, '?limit=100');
    expect(data).to.have.length(100);
    expect((await list(ada, `?after=${next}`)).data).to.have.length(1);
  });

  it('list_shared_drops of MCP answers the same', async () => {
    const ada = await person('ada@mcp.example');
    await named('@mcp.example');
    await named('ada@mcp.example');
    const mcp = await connectMcp(service, ada, '2026-07-28');
    try {
      const first = await mcp.call<WireSharedList>('list_shared_drops', { limit: 1 });
      expect(first.structured).to.deep.equal(await list(ada, '?limit=1'));
      const { next } = first.structured;
      const rest = await mcp.call<WireSharedList>('list_shared_drops', { after: next });
      expect(rest.structured).to.deep.equal(await list(ada, `?after=${next}`));
      const wrong = await mcp.call('list_shared_drops', { after: 'x' });
      expect(wrong.error).to.deep.include({ code: 'invalid_arg' });
    } finally {
      await mcp.sdk.close();
    }
  });
});
