import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { connectMcp } from '../support/mcp.ts';
import { noLimits } from '../support/no-limits.ts';
import { useService } from '../support/service.ts';
import type { WireVersionListItem } from '../support/wire.ts';

const digestOf = (text: string) => createHash('sha256').update(text).digest();

describe('The digest of a version', () => {
  const service = useService(noLimits);

  /** A drop whose versions were published in each way, with what was sent. */
  async function scene() {
    const long = `<p>${'é'.repeat(100_000)}`;
    const { owner, slug } = await service.newDrop({ html: '\ufeff<p>1\r\n' });
    await owner.put(slug, { html: long });
    const html = { raw: '<p>3 \0', headers: { 'content-type': 'text/html' } };
    await owner.request('PUT', `/api/drops/${slug}`, html);
    const upload = await owner.request('POST', '/api/uploads', { body: { slug } });
    await service.request('PUT', new URL(upload.body.upload_url).pathname, {
      raw: '<p>4',
      headers: { 'content-type': '' },
    });
    await owner.request('POST', `/api/drops/${slug}/v/2/restore`);
    const sent = ['\ufeff<p>1\r\n', long, '<p>3 \0', '<p>4', long];
    return { owner, slug, sent, path: `/api/drops/${slug}` };
  }

  it('sha256 is that of the bytes as posted, in the list and of each version; a restored one has that of the older', async () => {
    const { owner, path, sent } = await scene();
    const { body } = await owner.get<WireVersionListItem[]>(`${path}/versions`);
    const expected = sent.map((text) => digestOf(text).toString('hex'));
    expect(body.map(({ sha256 }) => sha256).reverse()).to.deep.equal(expected);
    for (const [n, sha256] of expected.entries())
      expect((await owner.get(`${path}/v/${n + 1}`)).body.sha256).to.equal(sha256);
  });

  it('Repr-Digest on /html and /v/{n}/html, also for HEAD', async () => {
    const { owner, path, sent } = await scene();
    const headerOf = (text = '') => `sha-256=:${digestOf(text).toString('base64')}:`;
    expect((await owner.get(`${path}/html`)).headers['repr-digest']).to.equal(headerOf(sent.at(-1)));
    for (const [n, text] of sent.entries())
      for (const method of ['GET', 'HEAD'])
        expect((await owner.request(method, `${path}/v/${n + 1}/html`)).headers['repr-digest']).to.equal(
          headerOf(text),
        );
  });

  it('list_versions of MCP has it; public answers do not', async () => {
    const { owner, slug } = await service.newDrop({ html: '<p>public' });
    const digest = digestOf('<p>public');
    const mcp = await connectMcp(service, owner, '2026-07-28');
    const { structured } = await mcp.call('list_versions', { slug });
    await mcp.sdk.close();
    expect(JSON.stringify(structured)).to.include(`"sha256":"${digest.toString('hex')}"`);
    for (const path of [`/p/${slug}`, `/p/${slug}/raw`, `/p/${slug}/versions`]) {
      const { text, headers } = await service.get(path);
      expect(text).not.to.include(digest.toString('hex'));
      expect(headers).not.to.have.property('repr-digest');
    }
  });
});
