import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const path = '/.well-known/security.txt';
const dayMs = 86_400_000;

describe('GET /.well-known/security.txt (RFC 9116)', () => {
  describe('with contacts', () => {
    const service = useService({
      BASE_URL: 'https://drops.example',
      SECURITY_CONTACT: 'mailto:security@drops.example, https://drops.example/security',
      SECURITY_POLICY: 'https://drops.example/policy',
      SECURITY_LANGUAGES: 'en,de-AT',
    });

    it('contacts in order, policy, languages, its own address, and an expiry in less than a year', async () => {
      for (const days of [0, 1, 200, 2_000]) {
        service.clock.advance(days * dayMs);
        const answer = await service.get(path);
        expect(answer.headers['content-type']).to.equal('text/plain; charset=utf-8');
        const [, expires = ''] =
          /^Expires: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/m.exec(answer.text) ?? [];
        expect((Date.parse(expires) - service.clock.now()) / dayMs).to.be.within(30, 365);
        expect(answer.text.split('\n')).to.deep.equal([
          'Contact: mailto:security@drops.example',
          'Contact: https://drops.example/security',
          `Expires: ${expires}`,
          'Policy: https://drops.example/policy',
          'Preferred-Languages: en, de-AT',
          'Canonical: https://drops.example/.well-known/security.txt',
          '',
        ]);
      }
    });
  });

  describe('with one contact and nothing else', () => {
    const service = useService({ SECURITY_CONTACT: 'tel:+43-1-234567' });

    it('has the three required lines', async () => {
      const lines = (await service.get(path)).text.trim().split('\n');
      expect(lines.map((line) => line.split(':', 1)[0])).to.deep.equal(['Contact', 'Expires', 'Canonical']);
    });
  });

  describe('without a contact', () => {
    const service = useService({ SECURITY_POLICY: 'https://drops.example/policy' });

    it('404 not_found', async () => expectError(await service.get(path), 404, 'not_found'));
  });
});
