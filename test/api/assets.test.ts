import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { parsePage } from '../support/html.ts';
import { useService } from '../support/service.ts';

describe('GET /assets/{name}', () => {
  const service = useService();

  const addresses = async (path: string) =>
    parsePage((await service.get(path, { headers: { accept: 'text/html' } })).text)
      .all('link')
      .filter(({ attributes }) => attributes.rel === 'stylesheet')
      .map(({ attributes }) => (attributes.href ?? '').replace(service.url, ''));

  it('is what pages load: immutable, typed, compressed, and readable from every origin', async () => {
    const [path = ''] = await addresses('/');
    expect(path).to.match(/^\/assets\/style-[0-9a-f]{12}\.css$/);
    const plain = await service.get(path);
    expect(plain.status).to.equal(200);
    expect(plain.headers).to.include({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    });
    const { bytes, headers } = await service.get(path, { headers: { 'accept-encoding': 'br' } });
    expect(headers['content-encoding']).to.equal('br');
    expect(brotliDecompressSync(bytes).toString()).to.equal(plain.text);
  });

  it('of any other name is 404, which no cache keeps', async () => {
    const [path = ''] = await addresses('/');
    const others = ['/assets/style.css', '/assets/assets.json', path.replace(/.\.css$/, 'x.css'), '/assets/'];
    for (const other of [...others, '/assets/..%2fassets.json', '/assets/__proto__']) {
      const { status, headers } = await service.get(other);
      expect(status, other).to.equal(404);
      expect(headers['cache-control'] ?? 'private, no-store', other).to.equal('private, no-store');
    }
  });

  it('icons and manifest are where browsers ask for them, and the manifest names icons that exist', async () => {
    for (const [path, type, start] of [
      ['/favicon.ico', 'image/x-icon', '00000100'],
      ['/apple-touch-icon.png', 'image/png', '89504e47'],
    ] as const) {
      const { status, headers, bytes } = await service.get(path);
      expect({ status, type: headers['content-type'] }).to.deep.equal({ status: 200, type });
      expect(headers['cross-origin-resource-policy'], 'for raw pages').to.equal('cross-origin');
      expect(bytes.subarray(0, 4).toString('hex')).to.equal(start);
    }
    const manifest = await service.get('/manifest.webmanifest');
    expect(manifest.headers['content-type']).to.equal('application/manifest+json');
    const { icons } = JSON.parse(manifest.text) as { icons: { src: string }[] };
    for (const { src } of icons)
      expect((await service.get(src)).headers['content-type']).to.equal('image/png');
    expect(icons).to.have.length(2);
  });
});
