import { expect } from 'chai';
import { writeComment } from '../support/comments.ts';
import { type McpDrop, revisions, useMcp } from '../support/mcp.ts';
import type { WireComment } from '../support/wire.ts';

/** What hosts send for an argument that their model did not give: CrewAI, LibreChat and OpenAI null, others an empty text. */
const nothings = [null, ''];

for (const revision of revisions) {
  describe(`MCP ${revision}, what hosts send`, () => {
    const session = useMcp(revision);
    const { service } = session;

    const call = <T = McpDrop>(tool: string, args: object = {}) =>
      session.mcp.call<T>(tool, args as Record<string, unknown>);
    const publish = async (fields: object = {}) =>
      (await call('publish_drop', { title: 'A page', html: '<p>One', ...fields })).structured;
    const listTools = async () => (await session.mcp.sdk.listTools()).tools;

    /** For each tool a call with what it needs and no more. */
    async function leastCalls(): Promise<Record<string, () => Promise<object>>> {
      const { slug } = await publish({ description: 'About', metadata: { team: 'a' } });
      await session.owner.put(slug);
      const person = await service.newToken(session.owner);
      const toComment = async () => {
        const { id } = (await writeComment(person, slug)).body;
        return { id, text: 'Seen' };
      };
      return {
        create_upload: async () => ({}),
        publish_drop: async () => ({ html: '<title>x</title>' }),
        update_drop: async () => ({ slug }),
        restore_version: async () => ({ slug, version: 1 }),
        get_drop: async () => ({ slug }),
        list_versions: async () => ({ slug }),
        diff_versions: async () => ({ slug }),
        view_stats: async () => ({ slug }),
        list_drops: async () => ({}),
        set_passcode: async () => ({ slug, passcode: '' }),
        delete_drop: async () => ({ slug: (await publish()).slug }),
        list_comments: async () => ({}),
        reply_comment: toComment,
      };
    }

    for (const nothing of nothings) {
      const shown = JSON.stringify(nothing);

      it(`${shown} for each optional argument, alone and for all of a tool, is "not given"`, async () => {
        const least = await leastCalls();
        const refused: string[] = [];
        let count = 0;
        for (const { name, inputSchema } of await listTools()) {
          const { properties = {}, required = [] } = inputSchema;
          const needed = await least[name]?.();
          const optional = Object.keys(properties).filter((one) => !required.includes(one));
          count += optional.length;
          const all = Object.fromEntries(optional.map((one) => [one, nothing]));
          for (const given of [...optional.map((one) => ({ [one]: nothing })), all]) {
            const args = { ...given, ...(name === 'delete_drop' ? await least[name]?.() : needed) };
            const { error } = await call(name, args);
            if (error !== null) refused.push(`${name} ${Object.keys(given)}: ${error.message}`);
          }
        }
        expect(refused).to.deep.equal([]);
        expect(count).to.be.at.least(48);
      });

      it(`${shown} for a required argument, or for one that the tool does not have, is refused`, async () => {
        const { slug } = await publish();
        for (const [tool, args, field] of [
          ['publish_drop', { html: nothing, title: 'x' }, 'html'],
          ['get_drop', { slug: nothing }, 'slug'],
          ['restore_version', { slug, version: nothing }, 'version'],
          ['reply_comment', { id: nothing, text: 'x' }, 'id'],
          ['publish_drop', { html: '<title>x', pascode: nothing }, 'pascode'],
        ] as const) {
          const { error } = await call(tool, args);
          expect(error?.details?.field, `${tool} ${JSON.stringify(args)}`).to.equal(field);
        }
        expect((await call('set_passcode', { slug, passcode: null })).error?.code).to.equal(
          'passcode_required',
        );
      });
    }

    it('what was set stays where null is sent, and get_drop with version: null reads the latest', async () => {
      const kept = { description: 'About', metadata: { team: 'a' } };
      const { slug } = await publish({ ...kept, comments: 'members', title: 'Mine' });
      const nulls = { title: null, description: null, metadata: null, comments: null, context: null };
      const changed = await call('update_drop', {
        slug,
        ...nulls,
        html: '<title>Other</title>',
        if_match: null,
      });
      expect(changed.structured).to.deep.include({ ...kept, title: 'Mine', latest_version: 2 });
      expect(changed.structured.comments).to.equal('members');
      const latest = (await call('get_drop', { slug, version: null, offset: null, length: null })).structured;
      expect(latest).to.deep.equal((await call('get_drop', { slug })).structured);
      const untouched = await call('update_drop', { slug, html: null, resolves: null, ...nulls });
      expect(untouched.structured).to.deep.equal(latest);
      expect(untouched.error).to.equal(null);
    });

    it('an entry of metadata that is null is not given', async () => {
      const { metadata } = await publish({ metadata: { team: 'a', topic: null } });
      expect(metadata).to.deep.equal({ team: 'a' });
      const found = await call<{ data: WireDropList }>('list_drops', {
        metadata: { topic: null, team: 'a' },
      });
      expect(found.structured.data).to.have.length(1);
    });

    it('update_drop: an empty description removes it, as before', async () => {
      const { slug } = await publish({ description: 'About' });
      const { structured } = await call('update_drop', { slug, description: '' });
      expect(structured).not.to.have.property('description');
    });

    it('update_drop: an empty html publishes nothing, and the answer says so', async () => {
      const { slug } = await publish();
      const { structured } = await call('update_drop', { slug, html: '', title: 'Other' });
      expect(structured).to.include({ latest_version: 1, title: 'Other' });
      expect(structured.warnings).to.deep.equal(['html: it is empty, so no version was published']);
      const { structured: drop } = await call('update_drop', { slug, html: null, title: 'Third' });
      expect(drop).not.to.have.property('warnings');
      for (let at = 0; at < 59; at++) await session.owner.post();
      const { error } = await call('update_drop', { slug, html: '', title: 'Fourth' });
      expect(error, 'is no write').to.equal(null);
    });

    it('a call with null is the same as one without, also for its idempotency_key', async () => {
      const args = { title: 'A page', html: '<p>One', idempotency_key: 'k' };
      const first = await publish(args);
      const again = await publish({ ...args, metadata: null, passcode: null, description: '' });
      expect(again).to.deep.equal(first);
    });

    it('expires_at of update_drop: "never" removes it; null leaves it, and the answer says so', async () => {
      const expires_at = service.clock.now() + 3_600_000;
      const { slug } = await publish({ expires_at });
      for (const change of [{}, { title: 'Other' }, { html: '<p>Two' }]) {
        const { structured, texts } = await call('update_drop', { slug, ...change, expires_at: null });
        expect(structured.expires_at).to.equal(expires_at);
        const [warning = ''] = structured.warnings ?? [];
        expect(warning)
          .to.match(/^expires_at: null changed nothing/)
          .and.include('"never"');
        expect(warning).to.include(new Date(expires_at).toISOString());
        expect(texts[0]).to.include('null changed nothing');
      }
      const unchanged = await call('update_drop', { slug, title: 'Third' });
      expect(unchanged.structured).not.to.have.property('warnings');
      const removed = await call('update_drop', { slug, expires_at: 'never' });
      expect(removed.structured).not.to.have.any.keys('expires_at', 'warnings');
      const nothingToSay = await call('update_drop', { slug, expires_at: null });
      expect(nothingToSay.structured).not.to.have.any.keys('expires_at', 'warnings');
      expect((await publish({ expires_at: 'never' })).expires_at).to.equal(undefined);
      expect((await publish({ expires_at: null })).expires_at).to.equal(undefined);
    });

    it('expires_at of create_upload: the same rules', async () => {
      const expires_at = service.clock.now() + 3_600_000;
      const { slug } = await publish({ expires_at });
      const send = async (args: object) => {
        const { structured, error } = await call<{ upload_url: string; warnings?: string[] }>(
          'create_upload',
          args,
        );
        expect(error, JSON.stringify(args)).to.equal(null);
        const path = new URL(structured.upload_url).pathname;
        const headers = { 'content-type': 'text/html' };
        const sent = await service.request('PUT', path, { raw: '<title>x</title>', headers });
        return { warnings: structured.warnings, drop: sent.body };
      };
      const left = await send({ slug, expires_at: null });
      expect(left.drop.expires_at).to.equal(expires_at);
      expect(left.warnings?.[0]).to.match(
        /^expires_at: null changes nothing|^expires_at: null changed nothing/,
      );
      const removed = await send({ slug, expires_at: 'never' });
      expect(removed.drop).not.to.have.property('expires_at');
      expect(removed).to.deep.include({ warnings: undefined });
      for (const value of ['never', null, ''])
        expect((await send({ expires_at: value })).drop).not.to.have.property('expires_at');
    });

    it('objects, lists, numbers and truth values are taken as their JSON texts', async () => {
      const { slug, metadata } = await publish({ metadata: '{"team":"a"}', version: undefined });
      expect(metadata).to.deep.equal({ team: 'a' });
      const person = await service.newToken(session.owner);
      const { id } = (await writeComment(person, slug)).body;
      const resolved = await call('update_drop', { slug, html: '<p>Two', resolves: `["${id}"]` });
      expect(resolved.error).to.equal(null);
      expect(resolved.structured).not.to.have.property('open_comments');
      const old = await call('get_drop', { slug, version: '1', offset: ' 0 ', length: '16' });
      expect(old.structured).to.include({ version: 1, html: '<p>One' });
      const listed = await call<{ data: WireDropList }>('list_drops', {
        metadata: '{"team":"a"}',
        page: '1',
        page_size: '5',
      });
      expect(listed.structured.data).to.have.length(1);
      const changes = await call('diff_versions', { slug, from: '1', to: '2' });
      expect(changes.structured).to.include({ from: 1, to: 2 });
      expect((await call('view_stats', { slug, days: '2' })).error).to.equal(null);
      expect((await call('restore_version', { slug, version: '1' })).structured.latest_version).to.equal(3);
      expect((await call('list_comments', { wait: '0', after: '0' })).error).to.equal(null);
      const { id: other } = (await writeComment(person, slug)).body;
      const kept = await call<WireComment>('reply_comment', { id: other, text: 'x', delete: 'false' });
      expect(kept.structured.replies).to.have.length(1);
      expect((await call('reply_comment', { id: other, delete: 'true' })).structured).to.include({
        deleted: true,
      });
      const none = await call('get_drop', { slug, version: 'null' });
      expect(none.structured).not.to.have.property('html');
    });

    it('an argument of type string is never parsed', async () => {
      const html = '{"a":1}';
      const fields = {
        title: '123',
        description: 'null',
        context: '["x"]',
        metadata: { n: '1', o: '{"a":1}' },
      };
      const { slug, ...drop } = await publish({ ...fields, html });
      expect(drop).to.deep.include({ title: '123', description: 'null', metadata: fields.metadata });
      const { structured } = await call('get_drop', { slug, offset: 0 });
      expect(structured.html).to.equal(html);
      expect((await session.owner.get(`/api/drops/${slug}/v/1`)).body.context).to.equal('["x"]');
      expect((await call('update_drop', { slug, title: 'true' })).structured.title).to.equal('true');
      const twice = await call('publish_drop', { html, title: 'x', metadata: '"{\\"team\\":\\"a\\"}"' });
      expect(twice.error?.details?.field).to.equal('metadata');
    });

    it('texts that are no JSON of the type are refused as before', async () => {
      const { slug } = await publish();
      for (const [tool, args, field] of [
        ['get_drop', { slug, version: 'one' }, 'version'],
        ['get_drop', { slug, version: '01' }, 'version'],
        ['get_drop', { slug, version: '1.5' }, 'version'],
        ['get_drop', { slug, version: '[1]' }, 'version'],
        ['get_drop', { slug, version: 'true' }, 'version'],
        ['get_drop', { slug, version: [] }, 'version'],
        ['publish_drop', { html: '<title>x', metadata: '[]' }, 'metadata'],
        ['publish_drop', { html: '<title>x', metadata: '{"a":1}' }, 'metadata.a'],
        ['publish_drop', { html: '<title>x', metadata: "{'a': 'b'}" }, 'metadata'],
        ['publish_drop', { html: '<title>x', metadata: '{"a":' }, 'metadata'],
        ['publish_drop', { html: '<title>x', metadata: [] }, 'metadata'],
        ['update_drop', { slug, html: 'x', resolves: '{"a":1}' }, 'resolves'],
        ['update_drop', { slug, html: 'x', resolves: '["x"]' }, 'resolves'],
        ['reply_comment', { id: '0'.repeat(32), delete: 'yes' }, 'delete'],
        ['reply_comment', { id: '0'.repeat(32), delete: '1' }, 'delete'],
        ['publish_drop', { html: { a: 1 }, title: 'x' }, 'html'],
        ['publish_drop', { html: '<p>x', title: 5 }, 'title'],
      ] as const) {
        const { error } = await call(tool, args);
        expect(error?.details?.field, `${tool} ${JSON.stringify(args)}`).to.equal(field);
      }
    });

    it('a text as deep, or with as many members, as no body may have is not parsed', async () => {
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      const wide = `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":"v"`).join()}}`;
      for (const metadata of [deep, wide, `"${'x'.repeat(200_000)}"`]) {
        const args = { html: '<title>x', metadata };
        const from = process.cpuUsage();
        const { error } = await call('publish_drop', args);
        const { user } = process.cpuUsage(from);
        expect(error?.message).to.equal('metadata must be an object of strings');
        expect(user / 1_000, 'ms of CPU').to.be.below(500); // JSON.parse of such a depth takes seconds
      }
    });

    it('a number with very much white space around it is not parsed', async () => {
      const { slug } = await publish();
      const around = (length: number) => ({ slug, version: `1${' '.repeat(length - 1)}` });
      expect((await call('get_drop', around(100))).error).to.equal(null);
      expect((await call('get_drop', around(101))).error?.details?.field).to.equal('version');
    });

    it('tools/list: each argument has one type, without a list of types and without anyOf, which Gemini refuses', async () => {
      for (const { name, inputSchema } of await listTools()) {
        for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
          expect(schema, `${name}.${argument}`).to.have.property('type').that.is.a('string');
          expect(schema, `${name}.${argument}`).not.to.have.any.keys('anyOf', 'oneOf', 'allOf');
        }
      }
    });

    it('the tools say that readers write in the browser, and programs on drops of their account', async () => {
      const tool = (await listTools()).find(({ name }) => name === 'list_comments');
      expect(tool?.description).to.match(/readers, members too, write in the browser/i);
      expect(tool?.description).to.include("account's");
    });
  });
}

type WireDropList = readonly object[];
