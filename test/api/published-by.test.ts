import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { connectMcp } from '../support/mcp.ts';
import { noLimits } from '../support/no-limits.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';
import type { WirePublisher, WireVersionListItem } from '../support/wire.ts';

describe('include=published_by', () => {
  const service = useService(noLimits);
  const owner = useOwner(service);

  async function publishersOf(owner: Owner, slug: string) {
    const { body } = await owner.get<WireVersionListItem[]>(
      `/api/drops/${slug}/versions?include=published_by`,
    );
    return body.map(({ published_by }) => published_by).reverse();
  }

  async function publisher(owner: Owner): Promise<WirePublisher> {
    const { token } = (await owner.get('/api/me')).body;
    if (token === null) throw new Error('no token');
    return { kind: 'token', id: token.id, label: token.label };
  }

  it('names the token of each write: POST, PUT, text/html, an upload, a restore, MCP; a revoked one too', async () => {
    const other = await service.newToken(owner, 'a <b>"label"</b>');
    const unnamed = await service.newToken(owner);
    const { slug } = await other.create();
    await unnamed.put(slug);
    const html = { raw: '<p>3', headers: { 'content-type': 'text/html' } };
    await other.request('PUT', `/api/drops/${slug}`, html);
    const upload = await other.request('POST', '/api/uploads', { body: { slug } });
    await service.request('PUT', new URL(upload.body.upload_url).pathname, {
      raw: '<p>4',
      headers: { 'content-type': '' },
    });
    await unnamed.request('POST', `/api/drops/${slug}/v/1/restore`);
    const mcp = await connectMcp(service, other, '2026-07-28');
    await mcp.call('restore_version', { slug, version: 2 });
    await mcp.sdk.close();
    const a = await publisher(other);
    const b = await publisher(unnamed);
    await owner.request('DELETE', `/api/tokens/${a.id}`);
    expect(await publishersOf(owner, slug)).to.deep.equal([a, b, a, a, b, a]);
    expect([a.label, b.label]).to.deep.equal(['a <b>"label"</b>', null]);
    const { body } = await owner.get(`/api/drops/${slug}/v/1?include=published_by`);
    expect(body.published_by).to.deep.equal(a);
  });

  it('is in no other answer, and nothing public', async () => {
    const labelled = await service.newToken(owner, 'secret-label-7');
    const { slug } = await labelled.create({ context: 'why' });
    const { id } = await publisher(labelled);
    const paths = ['', '/versions', '/v/1'].map((rest) => `/api/drops/${slug}${rest}`);
    const own = await Promise.all(['/api/drops', ...paths].map((path) => owner.get(path)));
    const everybody = await Promise.all(
      ['', '?v=1', '/raw', '/raw?v=1'].map((rest) => service.get(`/p/${slug}${rest}`)),
    );
    for (const { text, status } of [...own, ...everybody]) {
      expect(status).to.equal(200);
      expect(text).not.to.include('secret-label-7').and.not.to.include('published_by');
      expect(text).not.to.include(id);
    }
  });

  it('an unknown or repeated value: 400 invalid_arg', async () => {
    const { slug } = await owner.create();
    for (const query of ['include=x', 'include=', 'include=published_by&include=published_by'])
      for (const path of ['versions', 'v/1']) {
        const details = expectError(
          await owner.get(`/api/drops/${slug}/${path}?${query}`),
          400,
          'invalid_arg',
        );
        expect(details.field).to.equal('include');
      }
  });
});
