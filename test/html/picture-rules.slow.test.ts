import { expect } from 'chai';
import { planRender } from '../../shared/html/insertion.ts';
import { cpuMsOf } from '../support/cpu.ts';

describe('What a document of 2 MB can have added', () => {
  const most = 2 * 1024 * 1024;
  const sizes = (make: (n: number) => string) =>
    Array.from({ length: most / 20 }, (_, n) => make(n)).join('');

  for (const [name, html] of Object.entries({
    'ever new sizes': sizes((n) => `<img width=${10_000 + (n % 90_000)} height=${n % 9_999}>`),
    'sizes in a row': `<table><tr>${sizes((n) => `<img width=99999.${n % 999} height=9${n}>`)}`,
    'long sizes': sizes((n) => `<iframe width=99${n % 899}.999px height=88${n % 999}.999px></iframe>`),
    'sizes with quotes': sizes((n) => `<img width='1"]){}${n}' height=400>`),
    'huge numbers': sizes((n) => `<img width=9${'9'.repeat(400)}${n} height=400>`),
    'ever new small sizes, and large ones': sizes(
      (n) =>
        `<img width=${n % 97}.${100 + (n % 900)}px><img width=99${n % 999}.999px height=9${n % 999}.999px>`,
    ),
    'lists in lists': sizes(() => '<ul><img width=400 height=300>'),
    'styles without a layer': sizes(() => `<style>@layer /*${'*/@layer '.repeat(20)}</style>`),
    'a style of comments': `<style>${'/*'.repeat(most / 2 - 10)}`,
    'a style of layers': `<style>${'@layer '.repeat(most / 7 - 10)}`,
  }))
    it(`${name}: at most 48 KiB, in time that grows with its length`, () => {
      const bytes = Buffer.from(html.slice(0, most));
      let added = 0;
      const ms = cpuMsOf(() => {
        added = planRender(bytes).insertion.length;
      }, 3_000);
      expect(added).to.be.within(1, 48 * 1024);
      expect(ms).to.be.below(3_000);
    });
});
