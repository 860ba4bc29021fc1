import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { createGate } from '../support/gate.ts';
import { connectMcp, type McpClient } from '../support/mcp.ts';
import { type Owner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

const page = (title: string, text = 'x') => `<!doctype html><title>${title}</title><p>${text}`;

describe('The title of a document that is published without one', () => {
  const gate = createGate();
  const service = useService({}, (own) => ({ ...own, html: gate.wrap(own.html, ['get']) }));
  let owner: Owner;
  let mcp: McpClient;

  beforeEach(async () => {
    owner = await service.newOwner();
    mcp = await connectMcp(service, owner, '2026-07-28');
  });
  afterEach(() => mcp.sdk.close());

  const publish = async (args: Record<string, unknown>) => (await mcp.call('publish_drop', args)).structured;
  const update = async (args: Record<string, unknown>) => (await mcp.call('update_drop', args)).structured;
  /** By a one-time address, as `curl -T` does. */
  async function upload(args: Record<string, unknown>, raw: string) {
    const { structured } = await mcp.call<{ upload_url: string }>('create_upload', args);
    const path = new URL(structured.upload_url).pathname;
    return service.request('PUT', path, { raw, headers: { 'content-type': 'text/html' } });
  }

  it('is the title of the drop, for publish_drop and for an upload; without one 400 title_required', async () => {
    expect((await publish({ html: page('May &amp; June') })).title).to.equal('May & June');
    expect((await publish({ html: page('May'), title: 'June' })).title).to.equal('June');
    expect((await publish({ html: page('y'.repeat(250)) })).title).to.equal('y'.repeat(200));
    expect((await mcp.call('publish_drop', { html: page(' ') })).error?.code).to.equal('title_required');
    expect((await mcp.call('publish_drop', { html: page('May'), title: ' ' })).error?.code).to.equal(
      'title_required',
    );
    const uploaded = await upload({}, page('From a file'));
    expect([uploaded.status, uploaded.body.title]).to.deep.equal([201, 'From a file']);
    const refused = await upload({}, '<p>No title');
    expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'title_required']);
  });

  it('is found again for a repeated call, which publishes once', async () => {
    const args = { html: page('May'), idempotency_key: 'k' };
    expect(await publish(args)).to.deep.equal(await publish(args));
  });

  it('follows the new document, if the title of the drop was that of the document before', async () => {
    const { slug } = await publish({ html: page('May') });
    expect(await update({ slug, html: page('June') })).to.include({ title: 'June', latest_version: 2 });
    expect((await upload({ slug }, page('July'))).body).to.include({ title: 'July', latest_version: 3 });
    expect(await update({ slug, html: '<p>No title' })).to.include({ title: 'July', latest_version: 4 });
    expect(await update({ slug, html: page('August') })).to.include({ title: 'August', latest_version: 5 });
    const { structured } = await mcp.call('restore_version', { slug, version: 1 });
    expect(structured).to.include({ title: 'August', latest_version: 6 });
    expect(await update({ slug, html: page('September') })).to.include({ title: 'September' });
  });

  it('does not follow a title that the owner gave, nor past one that is given now', async () => {
    const { slug } = await publish({ html: page('May'), title: 'Figures' });
    expect(await update({ slug, html: page('June') })).to.include({ title: 'Figures' });
    expect(await update({ slug, html: page('July'), title: 'July' })).to.include({ title: 'July' });
    expect(await update({ slug, html: page('August') })).to.include({ title: 'August' });
    const renamed = await update({ slug, title: 'Mine' });
    expect(await update({ slug, html: page('September'), if_match: renamed.etag })).to.include({
      title: 'Mine',
    });
  });

  it('a PUT of the API and a restore keep the title', async () => {
    const { slug } = await publish({ html: page('May') });
    expect((await owner.put(slug, { html: page('June') })).body.title).to.equal('May');
    expect((await mcp.call('restore_version', { slug, version: 2 })).structured.title).to.equal('May');
  });

  it('if_match of an older revision is refused, as without a title to follow', async () => {
    const { slug, etag } = await publish({ html: page('May') });
    await owner.put(slug, { html: page('May', 'y') });
    const { error } = await mcp.call('update_drop', { slug, html: page('June'), if_match: etag });
    expect(error?.code).to.equal('version_conflict');
    expect((await owner.get(`/api/drops/${slug}`)).body).to.include({ title: 'May', latest_version: 2 });
  });

  it('stays if the document before is damaged, which does not keep the new one from being published', async () => {
    const { slug } = await publish({ html: page('May') });
    gate.refuse(new Error('damaged'));
    expect(await update({ slug, html: page('June') })).to.include({ title: 'May' });
    gate.open();
    expect(service.logs.join('\n')).to.include('was not compared').and.include('damaged');
  });

  it('is not decided while a part is unavailable: the title follows when the call is repeated', async () => {
    const { slug } = await publish({ html: page('May') });
    gate.refuse(unavailable('down'));
    const { error } = await mcp.call('update_drop', { slug, html: page('June') });
    expect(error?.code).to.equal('unavailable');
    gate.open();
    expect(await update({ slug, html: page('June') })).to.include({ title: 'June', latest_version: 2 });
  });

  it('a title that is set while the documents are compared stays', async () => {
    for (const key of [undefined, 'k']) {
      const { slug } = await publish({ html: page('May') });
      gate.hold();
      const updating = update({ slug, html: page('June'), ...(key && { idempotency_key: key }) });
      await until(() => gate.waiting() > 0, 'the document before is read');
      await owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'Set meanwhile' } });
      gate.open();
      expect(await updating).to.include({ title: 'Set meanwhile', latest_version: 2 });
      expect((await owner.get(`/api/drops/${slug}/html`)).text).to.equal(page('June'));
    }
  });
});
