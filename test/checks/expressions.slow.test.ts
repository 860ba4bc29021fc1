import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { checkExpressions, prove, readProven } from '../../scripts/expressions/check-expressions.ts';
import { projectDir } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const proven = 'scripts/expressions/proven.txt';
const listed = 'scripts/expressions/bounded.json';

describe('The check of regular expressions', () => {
  it('proves again what is noted as proven', async function () {
    this.timeout(600_000);
    const noted = readProven(projectDir);
    const faults = [...(await prove([...noted]))].filter(([, fault]) => fault !== null);
    expect(noted.size).to.be.above(300);
    expect(faults).to.deep.equal([]);
  });

  /** What the check says of a project with this file in `api`. @param bounded the list */
  async function check(code: string, bounded: readonly object[] = [], others: readonly string[] = []) {
    const root = makeTempDir();
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    for (const folder of ['bin', 'browser', 'cli', 'shared', 'worker']) mkdirSync(join(root, folder));
    write('api/planted.ts', `${code}\n`);
    write(proven, '');
    write(listed, JSON.stringify(bounded));
    const known = await checkExpressions(root); // what it proves is noted
    write(proven, known.proven + others.map((line) => `${line}\n`).join(''));
    const { faults } = await checkExpressions(root);
    return faults;
  }

  it('proves a literal, also one in a constructor, of a text with other characters before it', async () => {
    const code = [
      "const before = '🍃é';",
      'export const literal = (text: string) => text.trim().replace(/[.]+/g, before);',
      "export const constructed = new RegExp('^a/b+$', 'i');",
      'export const isOne = (value: unknown): value is RegExp => value instanceof RegExp;',
    ];
    expect(await check(code.join('\n'))).to.deep.equal([]);
  });

  for (const [code, fault] of [
    ['export const dots = /\\.+$/;', '/\\.+$/ is not proven linear: 2nd degree polynomial'],
    ["export const dots = new RegExp('\\\\.+$');", '/\\.+$/ is not proven linear: 2nd degree polynomial'],
    ['export const tags = /<[^>]*>/g;', '/<[^>]*>/g is not proven linear: 2nd degree polynomial'],
    ['export const words = /^(a+)+$/;', '/^(a+)+$/ is not proven linear: exponential'],
    ['export const same = /(a+)b\\1/;', '/(a+)b\\1/ is not proven linear'],
    [
      'export const make = (é: string) => new RegExp(é);',
      'new RegExp(é) is not proven linear: the program computes it',
    ],
    ["export const make = (a: string) => RegExp('^' + a);", "RegExp('^' + a) is not proven linear"],
    [
      'export const make = (a: string) => new globalThis.RegExp(a);',
      'new globalThis.RegExp(a) is not proven linear',
    ],
    ['export const Other = RegExp;', 'RegExp is not proven linear'],
    ["export const found = 'a'.match('a+');", "'a'.match('a+') is not proven linear"],
  ] as const)
    it(`reports ${code}`, async () => {
      const [first, ...others] = await check(code);
      expect(first).to.match(/^api\/planted\.ts: /);
      expect(first).to.contain(fault);
      expect(others).to.deep.equal([]);
    });

  it('reports a literal that nobody has proven yet, and one that is proven and gone', async () => {
    expect(await check('export const a = /a/;', [], ['/gone/'])).to.deep.equal([
      `${proven}: remove /gone/ (npm run expressions)`,
    ]);
    const root = makeTempDir();
    for (const folder of ['api', 'bin', 'browser', 'cli', 'shared', 'worker', 'scripts/expressions'])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'api/planted.js'), 'export const a = /a/;\n');
    writeFileSync(join(root, proven), '');
    writeFileSync(join(root, listed), '[]');
    expect((await checkExpressions(root)).faults).to.deep.equal([`${proven}: add /a/ (npm run expressions)`]);
  });

  describe('The list of those that are not proven', () => {
    const code =
      'const longest = 9;\nexport const dots = (text: string) => text.length < longest && /\\.+$/.test(text);';
    const entry = {
      file: 'api/planted.ts',
      text: '/\\.+$/',
      longest: 9,
      enforcedBy: 'api/planted.ts: longest',
      why: 'The text is short.',
    };

    it('allows an expression in one file', async () => {
      expect(await check(code, [entry])).to.deep.equal([]);
    });

    for (const [what, changes, fault] of [
      ['an expression that is not there', { file: 'api/other.ts' }, 'remove /\\.+$/ of api/other.ts'],
      ['a bound that nothing enforces', { enforcedBy: 'api/planted.ts: most' }, 'api/planted.ts has no most'],
      ['no length', { longest: 0 }, 'needs a length and a reason'],
      ['no reason', { why: '' }, 'needs a length and a reason'],
    ] as const)
      it(`reports an entry with ${what}`, async () => {
        const faults = await check(code, [{ ...entry, ...changes }]);
        expect(faults.filter((line) => line.startsWith(listed) && line.includes(fault))).to.have.length(1);
      });
  });
});
