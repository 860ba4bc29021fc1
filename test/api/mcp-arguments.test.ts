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
        ['list_comments', {}],
        ['delete_drop', {}],
      ] as const) {
        expect((await session.mcp.call(tool, { slug: url, ...args })).error, tool).to.equal(null);
      }
      const { tools } = await session.mcp.sdk.listTools();
      const withSlug = tools.filter(({ inputSchema }) => 'slug' in (inputSchema.properties ?? {}));
      expect(withSlug.map(({ name }) => name)).to.have.length(10);
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
        'null',
        '999999w',
      ]) {
        const { error } = await session.mcp.call('update_drop', { slug, expires_at: wrong });
        expect(error, wrong).to.deep.include({ code: 'invalid_arg' });
        expect(error?.details?.field, wrong).to.equal('expires_at');
      }
      for (const wrong of [true, {}, 1.5]) {
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

    it('refusals are results with isError and the envelope of the API, which names arguments and tells what to do', async () => {
      const theirs = await (await service.newOwner()).create();
      const { slug, title } = await publish({ idempotency_key: 'used' });
      /** Tool, arguments, code with the wrong field, a part of the message. */
      const rows: readonly (readonly [string, object, string, string?])[] = [
        ['publish_drop', { html: '<p>No title' }, 'title_required title', 'send title'],
        ['publish_drop', { title: 'x' }, 'html_required html'],
        ['publish_drop', { title: 'x', html: 'x'.repeat(2_097_153) }, 'html_too_large html'],
        ['publish_drop', { title: 'x', html: 'x', pascode: 'abcd' }, 'invalid_arg pascode'],
        ['publish_drop', { title: 1, html: null }, 'invalid_arg title'],
        [
          'publish_drop',
          { html: 'x', idempotency_key: 'ä' },
          'invalid_arg idempotency_key',
          'idempotency_key',
        ],
        [
          'publish_drop',
          { html: '<title>x', idempotency_key: 'used' },
          'idempotency_key_reused idempotency_key',
        ],
        ['create_upload', { title: 'x', html: 'x' }, 'invalid_arg html'],
        ['create_upload', { slug, if_match: '"9"' }, 'version_conflict'],
        ['update_drop', { slug, context: 'Alone.' }, 'invalid_arg context'],
        ['update_drop', { slug, title: 'x', if_match: '"9"' }, 'version_conflict', 'if_match'],
        ['update_drop', { slug, title, if_match: '"9"' }, 'version_conflict', 'if_match'],
        ['update_drop', { slug, if_match: '"9"' }, 'version_conflict', 'if_match'],
        ['update_drop', { slug, title: 'x', if_match: 'x y' }, 'invalid_arg if_match', 'if_match'],
        ['restore_version', { slug, version: 9 }, 'not_found', 'list_versions'],
        ['restore_version', { slug }, 'invalid_arg version', 'list_versions'],
        ['set_passcode', { slug }, 'passcode_required passcode'],
        ['set_passcode', { slug, passcode: 'abc' }, 'passcode_too_short passcode'],
        ['get_drop', { slug: 'nosuchslug00' }, 'not_found', 'list_drops'],
        ['get_drop', { slug: theirs.slug }, 'not_found'],
        ['get_drop', { slug: '../x' }, 'invalid_slug slug'],
        ['get_drop', {}, 'invalid_slug slug'],
        ['get_drop', { slug, length: 65_537 }, 'invalid_arg length'],
        ['get_drop', { slug, offset: 0.5 }, 'invalid_arg offset'],
        ['list_drops', { metadata: ['a'] }, 'invalid_arg metadata'],
        ['list_drops', { metadata: { a: 1 } }, 'invalid_arg metadata'],
        [
          'list_drops',
          { page_size: 201 },
          'invalid_arg page_size',
          'page_size must be one integer from 1 to 200',
        ],
        ['list_drops', { sort_by: 'x' }, 'invalid_arg sort_by', 'sort_by must be'],
        ['list_drops', { sort_order: 'x' }, 'invalid_arg sort_order', 'sort_order must be'],
        ['list_drops', { pageSize: 5 }, 'invalid_arg pageSize', 'it has page, page_size'],
        ['diff_versions', { slug }, 'invalid_arg from', 'from'],
        ['diff_versions', { slug, to: 1 }, 'invalid_arg from'],
        ['diff_versions', { slug, to: 9 }, 'not_found'],
        ['diff_versions', { slug, format: 'html' }, 'invalid_arg format'],
        ['view_stats', { slug, days: 366 }, 'invalid_arg days', '365'],
      ];
      for (const [tool, args, refusal, part = ''] of rows) {
        const [code, field] = refusal.split(' ');
        const { error } = await session.mcp.call(tool, { ...args });
        expect(error?.code, `${tool} ${JSON.stringify(args).slice(0, 80)}`).to.equal(code);
        expect(error?.details?.field, tool).to.equal(field);
        expect(error?.message, tool).to.include(part);
        expect(JSON.stringify(error)).not.to.match(/If-Match|Idempotency-Key|sortBy|\/v\//);
      }
      for (const [tool, args, details] of [
        ['list_drops', { page_size: 201 }, { field: 'page_size', maximum: 200 }],
        ['view_stats', { slug, days: 366 }, { field: 'days', maximum: 365 }],
      ] as const)
        expect((await session.mcp.call(tool, args)).error?.details, tool).to.include(details);
      for (const [args, field] of [
        [{ slug, context: 'Alone.' }, 'context'],
        [{ slug, title: 'Mine', if_match: 'x y' }, 'if_match'],
      ] as const)
        expect((await session.mcp.call('update_drop', args)).error?.details).to.deep.equal({ field });
      const { error: tooMany } = await session.mcp.call('list_drops', { page_size: 201 });
      expect(tooMany?.message).to.equal('page_size must be one integer from 1 to 200');
      const failure = await session.mcp.sdk.callTool({ name: 'drop_tables' }).catch(String);
      expect(failure, 'an error of the protocol').to.include('No such tool');
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
      for (const args of [
        { metadata: { a: '1' } },
        { description: '' },
        { expires_at: 'never' },
        { title: 'Other' },
      ]) {
        const before = (await session.mcp.call('get_drop', { slug })).structured.etag;
        const { structured } = await session.mcp.call('update_drop', { slug, ...args });
        expect(structured.etag, JSON.stringify(args)).not.to.equal(before);
      }
    });
  });
}
