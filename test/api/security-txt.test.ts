import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useServices } from '../support/service.ts';

const path = '/.well-known/security.txt';
const dayMs = 86_400_000;
const policy = { SECURITY_POLICY: 'https://drops.example/policy' };

describe('GET /.well-known/security.txt (RFC 9116)', () => {
  const startOwn = useServices();

  for (const [name, env, before, after] of [
    [
      'contacts in order, policy, languages and its own address',
      {
        ...policy,
        SECURITY_CONTACT: 'mailto:security@drops.example, https://drops.example/security',
        SECURITY_LANGUAGES: 'en,de-AT',
      },
      ['Contact: mailto:security@drops.example', 'Contact: https://drops.example/security'],
      ['Policy: https://drops.example/policy', 'Preferred-Languages: en, de-AT'],
    ],
    ['the three required lines', { SECURITY_CONTACT: 'tel:+43-1-234567' }, ['Contact: tel:+43-1-234567'], []],
  ] as const) {
    it(`${name}, with an expiry in less than a year`, async () => {
      const service = await startOwn({ env: { BASE_URL: 'https://drops.example', ...env } });
      for (const days of [0, 1, 200, 2_000]) {
        service.clock.advance(days * dayMs);
        const answer = await service.get(path);
        expect(answer.headers['content-type']).to.equal('text/plain; charset=utf-8');
        const [, expires = ''] =
          /^Expires: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/m.exec(answer.text) ?? [];
        expect((Date.parse(expires) - service.clock.now()) / dayMs).to.be.within(30, 365);
        const lines = [...before, `Expires: ${expires}`, ...after, `Canonical: https://drops.example${path}`];
        expect(answer.text).to.equal(`${lines.join('\n')}\n`);
      }
    });
  }

  it('404 not_found without a contact', async () => {
    const service = await startOwn({ env: policy });
    expectError(await service.get(path), 404, 'not_found');
  });
});
