import { expect } from 'chai';
import { readConfig } from '../../shared/config/config.ts';

describe('Settings of reports and security.txt', () => {
  it('take contacts that RFC 9116 knows, the best first', () => {
    const contact = 'mailto:security@drops.example, https://drops.example/security,tel:+43-1-234567';
    expect(readConfig({ SECURITY_CONTACT: contact }).SECURITY_CONTACT).to.equal(contact);
    expect(readConfig({}).SECURITY_CONTACT).to.equal('');
  });

  for (const [name, values] of [
    [
      'SECURITY_CONTACT',
      ['security@drops.example', 'http://drops.example', 'mailto:', 'mailto:a@b\nExpires: never', 'tel:1,'],
    ],
    ['SECURITY_POLICY', ['http://drops.example/policy', 'https://drops.example/a b']],
    ['SECURITY_LANGUAGES', ['english language', 'en,', 'en\nPolicy: x']],
    ['REPORTS_OPEN_PER_DROP', ['0', '1001', 'many']],
    ['REPORTS_KEEP_DAYS', ['0', '-1']],
  ] as const) {
    it(`refuse what can be no ${name}, and could add a line`, () => {
      for (const value of values) {
        expect(() => readConfig({ [name]: value }), JSON.stringify(value)).to.throw(
          new RegExp(`${name} must`),
        );
      }
    });
  }
});
