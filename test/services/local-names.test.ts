import { expect } from 'chai';
import { deriveLocalIdentity } from '../../shared/accounts/local-names.ts';

describe('The name of a local account', () => {
  const nameOf = (typed: string) => deriveLocalIdentity(typed)?.name ?? null;

  it('is what was typed, if that is a name', () => {
    for (const typed of ['ada', ' Ada.Lovelace_1- ', '0', 'a'.repeat(39)])
      expect(nameOf(typed), typed).to.equal(typed.trim().toLowerCase());
  });

  it('or is derived from it, in Latin letters', () => {
    const derived = {
      'Maria Lopez': 'maria-lopez',
      'María  López ': 'maria-lopez',
      'Mari\u0301a\tLo\u0301pez': 'maria-lopez',
      'Ｍａｒｉａ　Ｌｏｐｅｚ': 'maria-lopez',
      'Zoë Kravitz': 'zoe-kravitz',
      "Sinéad O'Connor": 'sinead-oconnor',
      'Sinéad O’Connor': 'sinead-oconnor',
      'Anna-Lena Müller-Groß': 'anna-lena-muller-gross',
      'Łukasz Żółć': 'lukasz-zolc',
      'Søren Æbelø': 'soren-aebelo',
      'Þór Guðmundsson': 'thor-gudmundsson',
      'Nguyễn Thị Đào': 'nguyen-thi-dao',
      'İpek Işık': 'ipek-isik',
      'J. R. R. Tolkien': 'j-r-r-tolkien',
      'ada@example.org': 'ada-example.org',
      'Lovelace, Ada': 'lovelace-ada',
      'Ada - Lovelace _': 'ada-lovelace',
      '\u212Aelvin': 'kelvin',
    };
    for (const [typed, name] of Object.entries(derived)) expect(nameOf(typed), typed).to.equal(name);
  });

  it('cannot be derived from another script or symbols, also in part, nor from nothing or from long texts', () => {
    const none = [
      '',
      ' ',
      '?',
      '...',
      '\u{1f343}',
      'Мария Лопес',
      '李明',
      'مريم',
      'מרים',
      'मारिया',
      '김민지',
    ];
    const partly = [
      'Ada Иванова',
      'Ada 李',
      'Ada ٣',
      'Аda',
      '.ada',
      '-- Ada',
      '<b>',
      'Ada (x)',
      'Ada \u{1f343}',
      'Ada\0L',
    ];
    for (const typed of [
      ...none,
      ...partly,
      'x'.repeat(40),
      'abc '.repeat(12),
      'a '.repeat(101),
      'é'.repeat(8_000),
    ])
      expect(nameOf(typed), typed.slice(0, 40)).to.equal(null);
  });

  it('is one again when it is typed', () => {
    for (const typed of ['María López', 'J. R. R. Tolkien', 'a .b', 'ada_']) {
      const name = nameOf(typed) ?? '';
      expect(nameOf(name)).to.equal(name);
    }
  });
});
