import { expect } from 'chai';
import { revisions, useMcp } from '../support/mcp.ts';

for (const revision of revisions) {
  describe(`MCP ${revision}, what is refused`, () => {
    const session = useMcp(revision);

    it('refusals are results with isError and the envelope of the API', async () => {
      const other = await session.service.newOwner();
      const { slug } = await other.create();
      for (const [tool, args, code, field] of [
        ['publish_drop', { html: 'x' }, 'title_required', 'title'],
        ['publish_drop', { title: 'x' }, 'html_required', 'html'],
        ['publish_drop', { title: 'x', html: 'x'.repeat(2_097_153) }, 'html_too_large', 'html'],
        ['publish_drop', { title: 'x', html: 'x', pascode: 'abcd' }, 'invalid_arg', 'pascode'],
        ['publish_drop', { title: 1, html: null }, 'invalid_arg', 'title'],
        ['get_drop', { slug }, 'not_found', undefined],
        ['get_drop', { slug: '../x' }, 'invalid_slug', 'slug'],
        ['get_drop', {}, 'invalid_slug', 'slug'],
        ['get_drop', { slug, length: 65_537 }, 'invalid_arg', 'length'],
        ['get_drop', { slug, offset: 0.5 }, 'invalid_arg', 'offset'],
        ['diff_versions', { slug, format: 'html' }, 'invalid_arg', 'format'],
        ['list_drops', { metadata: ['a'] }, 'invalid_arg', 'metadata'],
        ['list_drops', { metadata: { a: 1 } }, 'invalid_arg', 'metadata'],
        ['list_drops', { metadata: null }, 'invalid_arg', 'metadata'],
        ['restore_version', { slug }, 'invalid_arg', 'version'],
      ] as const) {
        const { error } = await session.mcp.call(tool, args);
        expect(error?.code, `${tool} ${JSON.stringify(args).slice(0, 80)}`).to.equal(code);
        expect(error?.details?.field).to.equal(field);
      }
    });

    it('an unknown tool is an error of the protocol', async () => {
      const failure = await session.mcp.sdk.callTool({ name: 'drop_tables' }).catch(String);
      expect(failure).to.include('No such tool');
    });
  });
}
