import { expect } from 'chai';
import { useService } from '../support/service.ts';

describe('What has no ETag', () => {
  const service = useService();

  for (const path of ['/', '/api/onboard', '/docs', '/robots.txt', '/sign-in', '/healthz']) {
    it(`${path}: 200 in full to If-None-Match: *`, async () => {
      const answer = await service.get(path, { headers: { 'if-none-match': '*' } });
      expect(answer.status).to.equal(200);
      expect(answer.bytes).to.not.be.empty;
      const head = await service.request('HEAD', path);
      expect(head.headers['content-length']).to.equal(String(answer.bytes.length));
    });
  }
});
