import { expect } from 'chai';
import { type ClaimRules, emailIn, groupsIn, nameIn } from '../../shared/sign-ins/oidc-claims.ts';

const rules: ClaimRules = { groupsClaim: 'groups', trustsEmail: false };
const tenant = 'https://login.microsoftonline.com/0c1d2e3f-4a5b-6c7d-8e9f-a0b1c2d3e4f5/v2.0';
const email = 'ada@example.org';

describe('Claims of an OpenID provider', () => {
  it('Entra says that an address is verified by xms_edov, which counts where the issuer is one tenant', () => {
    for (const ownsDomain of [true, 1, '1', 'true'])
      expect(emailIn({ email, xms_edov: ownsDomain }, tenant, rules), String(ownsDomain)).to.equal(email);
    for (const ownsDomain of [false, 0, '0', 'false', null, undefined, {}])
      expect(emailIn({ email, xms_edov: ownsDomain }, tenant, rules), String(ownsDomain)).to.equal(null);
    for (const issuer of [
      'https://login.microsoftonline.com/common/v2.0',
      'https://login.microsoftonline.com.evil.example/0c1d2e3f-4a5b-6c7d-8e9f-a0b1c2d3e4f5/v2.0',
      `https://evil.example/?${tenant}`,
      'https://login.example/realms/staff',
    ])
      expect(emailIn({ email, xms_edov: true }, issuer, rules), issuer).to.equal(null);
  });

  it('an address is one of ASCII, with one @, of at most 254 characters', () => {
    const trusting = { ...rules, trustsEmail: true };
    for (const odd of [
      'ada',
      '@example.org',
      'ada@',
      'ada@example.org@evil.example',
      '"ada@example.org"@evil.example',
      'ada@exаmple.org', // Cyrillic а
      'ada@example.org\n',
      ' ada@example.org',
      'ada@EXAMPLE.ORG\u212a',
      `${'a'.repeat(250)}@example.org`,
      ['ada@example.org'],
    ])
      expect(emailIn({ email: odd }, tenant, trusting), JSON.stringify(odd)).to.equal(null);
    expect(emailIn({ email: 'Ada+x@Example.ORG' }, tenant, trusting)).to.equal('ada+x@example.org');
  });

  it('groups are a list, one text, or none; what is no text, or too long, is no group', () => {
    const groups = (value: unknown) => groupsIn({ groups: value }, rules);
    expect(groups(['/Staff', '/Staff', 7, null, ['x'], 'x'.repeat(257)])).to.deep.equal(['/Staff']);
    expect(groups('staff')).to.deep.equal(['staff']);
    for (const none of [undefined, null, {}, 7]) expect(groups(none)).to.deep.equal([]);
    expect(groupsIn({ roles: ['a'], groups: ['b'] }, { ...rules, groupsClaim: 'roles' })).to.deep.equal([
      'a',
    ]);
  });

  it('too many groups, or groups that are named elsewhere, are refused with the cure', () => {
    const tooMany = { groups: Array.from({ length: 1_001 }, (_, index) => `group-${index}`) };
    const elsewhere = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://x' } },
    };
    for (const claims of [tooMany, elsewhere])
      expect(() => groupsIn(claims, rules))
        .to.throw('must send only the groups of this application')
        .with.property('code', 'forbidden');
    expect(groupsIn({ ...elsewhere, roles: ['a'] }, { ...rules, groupsClaim: 'roles' })).to.deep.equal(['a']);
  });

  it('a name is the first that can be seen, of at most 100 characters', () => {
    expect(nameIn({ preferred_username: '\u200b\u202e', name: ' Ada ', email }, 's')).to.equal('Ada');
    expect(nameIn({ preferred_username: 7, name: '' }, 'subject')).to.equal('subject');
    expect([...nameIn({ name: '🍃'.repeat(200) }, 's')]).to.have.length(100);
  });
});
