import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import type { FindTitle } from '../../shared/html/title.ts';
import type { Answer } from '../support/client.ts';
import { openDashboard } from '../support/dashboard.ts';
import { createGate } from '../support/gate.ts';
import { connectMcp, type McpClient } from '../support/mcp.ts';
import { type Owner, startService, type TestService, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

const page = (title: string, text = 'x') => `<!doctype html><title>${title}</title><p>${text}`;

const asHtml = { 'content-type': 'text/html' };

interface Scene {
  readonly service: TestService;
  readonly owner: Owner;
  readonly mcp: McpClient;
  readonly slug: string;
}

/** Publishes a new version without a title. @returns the answer to a program; null: a person was sent on */
type Way = (scene: Scene, html: string) => Promise<Record<string, unknown>>;

async function bodyOf(answer: Answer): Promise<Record<string, unknown>> {
  expect(answer.status, answer.text).to.equal(200);
  return { ...answer.body };
}

async function sendForm({ service, owner, slug }: Scene, html: string, headers: Record<string, string>) {
  const dashboard = await openDashboard(service, owner);
  const { etag = '' } = (await owner.get(`/api/drops/${slug}`)).headers;
  const fields = { key: 'k', html, if_match: etag.replaceAll('"', '') };
  return dashboard.postParts(`/drops/${slug}/new-version`, fields, { headers });
}

const ways: Readonly<Record<string, Way>> = {
  'PUT of text/html': async ({ owner, slug }, raw) =>
    bodyOf(await owner.request('PUT', `/api/drops/${slug}`, { raw, headers: asHtml })),
  'PUT of text/html with other details': async ({ owner, slug }, raw) =>
    bodyOf(await owner.request('PUT', `/api/drops/${slug}?description=d`, { raw, headers: asHtml })),
  update_drop: async ({ mcp, slug }, html) => {
    const { structured, error } = await mcp.call('update_drop', { slug, html });
    expect(error).to.equal(null);
    return { ...structured };
  },
  'a one-time upload': async ({ service, owner, slug }, raw) => {
    const made = await owner.request('POST', '/api/uploads', { body: { slug } });
    const { pathname } = new URL(made.body.upload_url);
    return bodyOf(await service.request('PUT', pathname, { raw, headers: asHtml }));
  },
  'the form of the dashboard, for a script': async (scene, html) =>
    bodyOf(await sendForm(scene, html, { 'sec-fetch-mode': 'cors', accept: 'application/json' })),
  'the form of the dashboard': async (scene, html) => {
    const { status, headers } = await sendForm(scene, html, {});
    expect(status).to.equal(303);
    const warnings = headers.location?.endsWith('?notice=title_stays') ? ['the title stays'] : undefined;
    const { body } = await scene.owner.get(`/api/drops/${scene.slug}`);
    return { ...body, ...(warnings && { warnings }) };
  },
};

describe('A new version without a title', () => {
  const gate = createGate();
  /** Of documents whose title is behind the first 4 KiB. */
  let findTitle: FindTitle;
  let service: TestService;
  let owner: Owner;
  let mcp: McpClient;

  before(async () => {
    service = await startService({
      findTitle: (html, limit) => findTitle(html, limit),
      adaptEngine: (own) => ({ ...own, html: gate.wrap(own.html, ['get']) }),
    });
  });
  after(() => service.stop());
  beforeEach(async () => {
    findTitle = async (html) => /<title>(.*?)<\/title>/.exec(Buffer.from(html).toString())?.[1] ?? null;
    owner = await service.newOwner();
    mcp = await connectMcp(service, owner, '2026-07-28');
  });
  afterEach(() => mcp.sdk.close());

  const far = (title: string) => `<style>${'x'.repeat(5_000)}</style><title>${title}</title><p>x`;
  const sceneOf = async (fields: object): Promise<Scene> => ({
    service,
    owner,
    mcp,
    slug: (await owner.create(fields)).slug,
  });

  for (const [name, publish] of Object.entries(ways))
    describe(`by ${name}`, () => {
      it('its <title> becomes that of the drop, if the title was that of the document before', async () => {
        const scene = await sceneOf({ html: page('May'), title: 'May' });
        expect(await publish(scene, page('June &amp; on'))).to.include({
          title: 'June & on',
          latest_version: 2,
        });
        const answer = await publish(scene, far('July'));
        expect(answer).to.include({ title: 'July', latest_version: 3 }).and.not.have.property('warnings');
        expect(await publish(scene, page('July', 'y'))).to.include({ title: 'July', latest_version: 4 });
      });

      it('a title that was set stays, and so does one if the new document has none', async () => {
        const scene = await sceneOf({ html: page('May'), title: 'Figures' });
        for (const html of [page('June'), page('July'), '<p>none', page('Figures'), page('August')])
          await publish(scene, html);
        // The title that was set is that of a document now.
        expect((await owner.get(`/api/drops/${scene.slug}`)).body.title).to.equal('August');
        await owner.request('PATCH', `/api/drops/${scene.slug}`, { body: { title: 'Set' } });
        expect(await publish(scene, page('September'))).to.include({ title: 'Set' });
        expect(await publish(scene, page('October'))).to.include({ title: 'Set' });
      });

      it('the title stays, with a warning, if a search does not end; the next version is followed', async () => {
        const scene = await sceneOf({ html: page('May'), title: 'May' });
        findTitle = async () => {
          throw unavailable('The search did not end.');
        };
        const { title, latest_version, warnings } = await publish(scene, far('June'));
        expect([title, latest_version]).to.deep.equal(['May', 2]);
        expect(warnings).to.have.length(1);
        expect(String(warnings)).to.include('the title stays');
        expect(await publish(scene, page('July'))).to.include({ title: 'July', latest_version: 3 });
      });
    });

  it('a PUT does not wait for a search that hangs', async () => {
    const { slug } = await sceneOf({ html: page('May'), title: 'May' });
    let end: (title: string | null) => void = () => undefined;
    findTitle = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    const put = (raw: string) => owner.request('PUT', `/api/drops/${slug}`, { raw, headers: asHtml });
    const answers = await Promise.all([put(far('June')), put(far('July'))]);
    for (const { status, body } of answers) {
      expect(status).to.equal(200);
      expect([body.title, body.warnings?.length]).to.deep.equal(['May', 1]);
    }
    end(null); // the next search has its turn
  });

  it('nor for a store that is late, and the next version is followed', async () => {
    const { slug } = await sceneOf({ html: page('May'), title: 'May' });
    const put = (raw: string) => owner.request('PUT', `/api/drops/${slug}`, { raw, headers: asHtml });
    gate.hold();
    const { status, body } = await put(page('June'));
    gate.open();
    expect([status, body.title, body.warnings?.length]).to.deep.equal([200, 'May', 1]);
    expect((await put(page('July'))).body).to.include({ title: 'July' });
  });

  it('a PUT of JSON keeps the title', async () => {
    const { slug } = await sceneOf({ html: page('May'), title: 'May' });
    expect((await owner.put(slug, { html: page('June') })).body).to.include({
      title: 'May',
      latest_version: 2,
    });
  });

  it('of parallel versions the last one gives the title', async () => {
    const { slug } = await sceneOf({ html: page('0'), title: '0' });
    const put = (raw: string) => owner.request('PUT', `/api/drops/${slug}`, { raw, headers: asHtml });
    for (const { status } of await Promise.all([put(page('1')), put(page('2'))]))
      expect(status).to.equal(200);
    const { body } = await owner.get(`/api/drops/${slug}`);
    expect((await owner.get(`/api/drops/${slug}/html`)).text).to.equal(page(body.title));
  });

  it('a title that the client 1.3.0 has cut to 199 characters and an ellipsis is that of the document', async () => {
    const long = 'x'.repeat(250);
    const { slug } = await sceneOf({ html: page(long), title: `${'x'.repeat(199)}…` });
    const answer = await owner.request('PUT', `/api/drops/${slug}`, { raw: page('June'), headers: asHtml });
    expect(answer.body.title).to.equal('June');
  });
});

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

  it('the document before is not read if this process has searched it, nor if the title is the new one', async () => {
    const { slug } = await publish({ html: page('May') });
    const put = (title: string) =>
      owner.request('PUT', `/api/drops/${slug}`, { raw: page(title), headers: asHtml });
    expect((await put('June')).body.title).to.equal('June');
    gate.refuse(new Error('it was read'));
    expect((await put('June')).body).to.include({ title: 'June', latest_version: 3 });
    const answer = await put('July');
    gate.open();
    expect(answer.body).to.include({ title: 'July', latest_version: 4 }).and.not.have.property('warnings');
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
