import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { startService, useService } from '../support/service.ts';

const path = '/.well-known/security.txt';
const dayMs = 86_400_000;

describe('GET /.well-known/security.txt (RFC 9116)', () => {
  describe('with a contact', () => {
    const service = useService({
      BASE_URL: 'https://drops.example',
      SECURITY_CONTACT: 'mailto:security@drops.example, https://drops.example/security',
      SECURITY_POLICY: 'https://drops.example/policy',
      SECURITY_LANGUAGES: 'en,de-AT',
    });

    it('names the contacts in order, policy, languages and its own address, as text', async () => {
      const answer = await service.get(path);
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-type']).to.equal('text/plain; charset=utf-8');
      const lines = answer.text.split('\n');
      expect(lines.pop(), 'the last line is ended').to.equal('');
      expect(lines.filter((line) => !line.startsWith('Expires: '))).to.deep.equal([
        'Contact: mailto:security@drops.example',
        'Contact: https://drops.example/security',
        'Policy: https://drops.example/policy',
        'Preferred-Languages: en, de-AT',
        'Canonical: https://drops.example/.well-known/security.txt',
      ]);
    });

    it('expires in the future, whenever it is asked for, and in less than a year', async () => {
      for (const days of [0, 1, 200, 2_000]) {
        service.clock.advance(days * dayMs);
        const { text } = await service.get(path);
        const [, expires = '', ...others] = text.split(/^Expires: (.*)$/m);
        expect(others, 'once').to.have.length(1);
        expect(expires).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
        expect((Date.parse(expires) - service.clock.now()) / dayMs).to.be.within(30, 365);
      }
    });
  });

  describe('with no more than a contact', () => {
    const service = useService({ SECURITY_CONTACT: 'tel:+43-1-234567' });

    it('has the three lines that there must be', async () => {
      const { text } = await service.get(path);
      const names = text.trim().split('\n');
      expect(names.map((line) => line.split(':', 1)[0])).to.deep.equal(['Contact', 'Expires', 'Canonical']);
    });
  });

  it('404 without a contact, whatever else is set', async () => {
    const service = await startService({ env: { SECURITY_POLICY: 'https://drops.example/policy' } });
    try {
      expectError(await service.get(path), 404, 'not_found');
    } finally {
      await service.stop();
    }
  });
});
