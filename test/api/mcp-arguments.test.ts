import { expect } from 'chai';
import { revisions, useMcp } from '../support/mcp.ts';

const day = 86_400_000;

for (const revision of revisions) {
  describe(`MCP ${revision}, what arguments may be`, () => {
    const session = useMcp(revision);
    const { service } = session;

    const publish = async (fields: object = {}) =>
      (await session.mcp.call('publish_drop', { title: 'A page', html: '<p>One', ...fields })).structured;

    it('every tool that takes a slug takes the address of the page, with and without /raw', async () => {
      const { slug, url, raw_url } = await publish();
      await session.owner.put(slug);
      for (const address of [url, raw_url, `${url}/`, `${url}#top`, `/p/${slug}`]) {
        const { structured, error } = await session.mcp.call('get_drop', { slug: address });
        expect(error, address).to.equal(null);
        expect(structured.slug).to.equal(slug);
      }
      for (const [tool, args] of [
        ['list_versions', {}],
        ['diff_versions', {}],
        ['view_stats', {}],
        ['restore_version', { version: 1 }],
        ['update_drop', { title: 'Other' }],
        ['update_drop', { html: '<p>Two', idempotency_key: 'a' }],
        ['set_passcode', { passcode: '' }],
        ['create_upload', {}],
        ['delete_drop', {}],
      ] as const) {
        expect((await session.mcp.call(tool, { slug: url, ...args })).error, tool).to.equal(null);
      }
      const { tools } = await session.mcp.sdk.listTools();
      const withSlug = tools.filter(({ inputSchema }) => 'slug' in (inputSchema.properties ?? {}));
      expect(withSlug.map(({ name }) => name)).to.have.length(9);
    });

    it('an address of another host, or of one version, is an error that says so', async () => {
      const { slug, url } = await publish();
      const other = `https://elsewhere.example/p/${slug}`;
      for (const [address, part] of [
        [other, 'elsewhere.example'],
        [`//elsewhere.example/p/${slug}`, 'elsewhere.example'],
        [`${url}?v=1`, '?v='],
        [`${url}/download`, 'slug must be'],
        [service.config.BASE_URL, 'slug must be'],
        ['', 'slug must be'],
      ] as const) {
        const { error } = await session.mcp.call('delete_drop', { slug: address });
        expect(error, address).to.deep.include({ code: 'invalid_slug' });
        expect(error?.message).to.include(part);
        expect(error?.details?.field).to.equal('slug');
      }
      expect((await session.owner.get(`/api/drops/${slug}`)).status).to.equal(200);
    });

    it('expires_at: a span, an ISO time, or Unix milliseconds', async () => {
      const now = service.clock.now();
      const tomorrow = new Date(now + day);
      for (const [given, expected] of [
        ['30m', now + 30 * 60_000],
        ['12h', now + day / 2],
        ['7d', now + 7 * day],
        ['2w', now + 14 * day],
        [tomorrow.toISOString(), now + day],
        [tomorrow.toISOString().slice(0, 10), Math.floor((now + day) / day) * day],
        [tomorrow.toISOString().replace('Z', '+01:00'), now + day - 3_600_000],
        [now + day, now + day],
        [String(now + day), now + day],
      ] as const) {
        expect((await publish({ expires_at: given })).expires_at, String(given)).to.equal(expected);
      }
      const { slug } = await publish();
      const set = await session.mcp.call('update_drop', { slug, expires_at: '1d' });
      expect(set.structured.expires_at).to.equal(now + day);
      const upload = await session.mcp.call('create_upload', { slug, expires_at: '2d' });
      expect(upload.error).to.equal(null);
      for (const wrong of [
        'soon',
        '7 days',
        '0d',
        '-1d',
        '2027-02-31',
        '2027-01-31T10:00',
        '11d2h',
        '',
        '999999w',
      ]) {
        const { error } = await session.mcp.call('update_drop', { slug, expires_at: wrong });
        expect(error, wrong).to.deep.include({ code: 'invalid_arg' });
        expect(error?.details?.field, wrong).to.equal('expires_at');
      }
      for (const wrong of [null, true, {}, 1.5]) {
        const { error } = await session.mcp.call('publish_drop', {
          html: '<p>x',
          title: 'x',
          expires_at: wrong,
        });
        expect(error?.details?.field, String(wrong)).to.equal('expires_at');
      }
    });

    it('a repeated call with a span is the same call, also later', async () => {
      const args = { title: 'A page', html: '<p>One', expires_at: '7d', idempotency_key: 'span' };
      const first = (await session.mcp.call('publish_drop', args)).structured;
      service.clock.advance(1_000);
      expect((await session.mcp.call('publish_drop', args)).structured).to.deep.equal(first);
    });

    it('errors name arguments of the tool, and tell what to do', async () => {
      const { slug } = await publish();
      const messages: string[] = [];
      for (const [tool, args, part, field] of [
        ['update_drop', { slug, title: 'x', if_match: '"9"' }, 'if_match', undefined],
        ['update_drop', { slug, title: 'x', if_match: 'x y' }, 'if_match', 'if_match'],
        ['publish_drop', { html: 'x', idempotency_key: 'ä' }, 'idempotency_key', 'idempotency_key'],
        ['list_drops', { sort_by: 'x' }, 'sort_by must be', 'sort_by'],
        ['list_drops', { sort_order: 'x' }, 'sort_order must be', 'sort_order'],
        ['list_drops', { pageSize: 5 }, 'it has page, page_size', 'pageSize'],
        ['get_drop', { slug: 'nosuchslug00' }, 'list_drops', undefined],
        ['restore_version', { slug, version: 9 }, 'list_versions', undefined],
        ['restore_version', { slug }, 'list_versions', 'version'],
        ['diff_versions', { slug }, 'from', 'from'],
        ['publish_drop', { html: '<p>No title' }, 'send title', 'title'],
      ] as const) {
        const { error } = await session.mcp.call(tool, args);
        expect(error?.message, tool).to.include(part);
        expect(error?.details?.field, tool).to.equal(field);
        messages.push(JSON.stringify(error));
      }
      await publish({ idempotency_key: 'used' });
      const reused = await session.mcp.call('publish_drop', {
        html: '<title>Other',
        idempotency_key: 'used',
      });
      expect(reused.error?.details?.field).to.equal('idempotency_key');
      expect([...messages, JSON.stringify(reused.error)].join()).not.to.match(
        /If-Match|Idempotency-Key|sortBy|\/v\//,
      );
    });

    it('update_drop that changes nothing leaves the revision as it is', async () => {
      const fields = {
        description: 'About',
        metadata: { a: '1', b: '2' },
        expires_at: service.clock.now() + day,
      };
      const { slug, etag, ...drop } = await publish(fields);
      service.clock.advance(1_000);
      for (const args of [
        {},
        { title: drop.title },
        { ...fields, metadata: { b: '2', a: '1' } },
        { if_match: etag, title: drop.title },
      ]) {
        const { structured } = await session.mcp.call('update_drop', { slug, ...args });
        expect(structured).to.deep.equal({ slug, etag, ...drop });
      }
      const conflict = await session.mcp.call('update_drop', { slug, if_match: '"9"' });
      expect(conflict.error?.code).to.equal('version_conflict');
      for (const args of [
        { metadata: { a: '1' } },
        { description: '' },
        { expires_at: null },
        { title: 'Other' },
      ]) {
        const before = (await session.mcp.call('get_drop', { slug })).structured.etag;
        const { structured } = await session.mcp.call('update_drop', { slug, ...args });
        expect(structured.etag, JSON.stringify(args)).not.to.equal(before);
      }
    });
  });
}
