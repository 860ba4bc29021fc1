import { expect } from 'chai';
import { commentLimits } from '../../shared/comments/comment.ts';
import { changeComment, growThread, replyTo, writeComment } from '../support/comments.ts';
import { connectMcp, type McpClient, type McpDrop } from '../support/mcp.ts';
import { type Owner, useService } from '../support/service.ts';

const html = '<!doctype html><title>A</title><p>Corrected';
const asHtml = { 'content-type': 'text/html' };

interface Outcome {
  readonly drop: Partial<McpDrop>;
  /** The code of a refusal; absent: none. */
  readonly code: string | undefined;
  readonly warnings: readonly string[];
}

describe('The live document again, for comments that are resolved already', () => {
  const service = useService();
  let owner: Owner;
  let mcp: McpClient;
  let slug: string;
  let ids: string[];

  beforeEach(async () => {
    owner = await service.newOwner();
    mcp = await connectMcp(service, owner, '2026-07-28');
    slug = (await owner.create({ title: 'A', html: '<p>Wrong' })).slug;
    ids = [(await writeComment(owner, slug)).body.id, (await writeComment(owner, slug)).body.id];
  });
  afterEach(() => mcp.sdk.close());

  const find = async (id: string) => (await changeComment(owner, id, {})).body;
  const repliesTo = async (id: string) => (await find(id)).replies.map(({ text }) => text);
  const versionOf = async () => (await owner.get(`/api/drops/${slug}`)).body.latest_version;

  async function update(args: Record<string, unknown>): Promise<Outcome> {
    const { structured, error } = await mcp.call<McpDrop & { warnings?: string[] }>('update_drop', {
      slug,
      html,
      ...args,
    });
    return { drop: { ...structured }, code: error?.code, warnings: structured?.warnings ?? [] };
  }

  async function upload(fields: Record<string, unknown>): Promise<Outcome> {
    const made = await owner.request('POST', '/api/uploads', { body: { slug, ...fields } });
    const { pathname } = new URL(made.body.upload_url);
    const { status, body } = await service.request('PUT', pathname, { raw: html, headers: asHtml });
    const code = status === 200 ? undefined : body.error.code;
    return { drop: body, code, warnings: body.warnings ?? [] };
  }

  for (const [name, publish] of [
    ['update_drop', update],
    ['a one-time upload', upload],
  ] as const) {
    it(`${name}: makes no version, and adds the reply to each`, async () => {
      const resolves = { resolves: ids, resolves_reply: 'First' };
      expect((await publish(resolves)).drop).to.include({ latest_version: 2 });
      const again = await publish({ ...resolves, resolves_reply: 'Second' });
      expect(again.code).to.equal(undefined);
      expect(again.drop).to.include({ slug, latest_version: 2 }).and.not.have.property('open_comments');
      expect(again.warnings.join()).to.include('no version was made');
      expect(await versionOf()).to.equal(2);
      for (const id of ids) {
        expect(await repliesTo(id)).to.deep.equal(['First', 'Second']);
        expect(await find(id)).to.include({ state: 'resolved', resolved_by_version: 2 });
      }
      expect((await publish({ resolves: [...ids, ...ids] })).drop).to.include({ latest_version: 2 });
      expect(await repliesTo(ids[0] ?? '')).to.have.length(2);
    });

    it(`${name}: makes a version if anything else changes, or a comment is open`, async () => {
      await publish({ resolves: ids });
      const changes: Record<string, unknown>[] = [
        { resolves: ids, context: 'How it was made' },
        { resolves: ids, context: 'How it was made otherwise' },
        { resolves: ids },
        { resolves: ids, title: 'B', resolves_reply: 'Now B' },
      ];
      let version = 2;
      for (const fields of changes) {
        version += 1;
        expect((await publish(fields)).drop, JSON.stringify(fields)).to.include({ latest_version: version });
      }
      expect(await repliesTo(ids[0] ?? '')).to.deep.equal(['Now B']);
      await changeComment(owner, ids[1] ?? '', { state: 'open' });
      const opened = await publish({ resolves: ids, resolves_reply: 'Again' });
      expect(opened.drop).to.include({ latest_version: version + 1 });
      expect(await repliesTo(ids[0] ?? '')).to.deep.equal(['Now B', 'Again']);
      expect(await find(ids[1] ?? '')).to.include({ state: 'resolved', resolved_by_version: version + 1 });
    });

    it(`${name}: a reply that has no room is refused, and so is a comment of another page`, async () => {
      const [id = ''] = ids;
      await publish({ resolves: [id] });
      const { author } = await service.services.comments.find({ accountId: owner.userId }, id);
      await growThread(service, id, author, commentLimits.threadBytes - 5);
      expect((await publish({ resolves: [id], resolves_reply: 'too long' })).code).to.equal('quota_exceeded');
      const other = (await owner.create()).slug;
      const foreign = (await writeComment(owner, other)).body.id;
      expect((await publish({ resolves: [id, foreign] })).code).to.equal('invalid_arg');
      expect(await versionOf()).to.equal(2);
    });
  }

  it('update_drop: a repeat with the same idempotency_key replies once; without one each call replies', async () => {
    await update({ resolves: ids });
    const keyed = { resolves: ids, resolves_reply: 'Once', idempotency_key: 'k' };
    for (const _ of [1, 2, 3]) expect((await update(keyed)).drop).to.include({ latest_version: 2 });
    for (const id of ids) expect(await repliesTo(id)).to.deep.equal(['Once']);
    expect((await update({ resolves: ids, resolves_reply: 'Once' })).drop).to.include({ latest_version: 2 });
    for (const id of ids) expect(await repliesTo(id)).to.deep.equal(['Once', 'Once']);
  });

  it('update_drop: if_match of an older revision is refused, and nothing is written', async () => {
    await update({ resolves: ids });
    const { code } = await update({ resolves: ids, resolves_reply: 'x', if_match: '"1"' });
    expect(code).to.equal('version_conflict');
    expect(await repliesTo(ids[0] ?? '')).to.deep.equal([]);
  });

  it('PUT of the API makes a version always, with the reply, once for a key', async () => {
    await owner.put(slug, { html, resolves: ids });
    for (const _ of [1, 2]) {
      const body = { html, resolves: ids, resolves_reply: 'Kept' };
      const headers = { 'idempotency-key': 'k' };
      const answer = await owner.request('PUT', `/api/drops/${slug}`, { body, headers });
      expect(answer.body).to.include({ latest_version: 3 });
    }
    for (const id of ids) expect(await repliesTo(id)).to.deep.equal(['Kept']);
    expect((await replyTo(owner, ids[0] ?? '', { text: 'x' })).status).to.equal(201);
  });
});
