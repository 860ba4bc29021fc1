import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { useService } from '../support/service.ts';

describe('GET /cli.mjs', () => {
  const service = useService();

  it('is a script that knows the address of this service, and is revalidated', async () => {
    const { status, headers, text } = await service.get('/cli.mjs');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/javascript; charset=utf-8');
    expect(headers['cache-control']).to.equal('no-cache');
    expect(headers['x-content-type-options']).to.equal('nosniff');
    expect(text).to.match(/^#!\/usr\/bin\/env node\n/);
    expect(text).to.contain(`\nconst DROPLEAF_SERVED_BY = "${service.config.BASE_URL}";\n`);
    const again = await service.get('/cli.mjs', { headers: { 'if-none-match': headers.etag ?? '' } });
    expect(again.status).to.equal(304);
  });

  it('is compressed for clients that accept it', async () => {
    const { bytes, headers } = await service.get('/cli.mjs', { headers: { 'accept-encoding': 'br' } });
    expect(headers['content-encoding']).to.equal('br');
    expect(brotliDecompressSync(bytes).toString()).to.equal((await service.get('/cli.mjs')).text);
  });
});
