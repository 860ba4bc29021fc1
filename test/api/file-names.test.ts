import { expect } from 'chai';
import { useService } from '../support/service.ts';

describe('The name of a downloaded file', () => {
  const service = useService();

  /** What a browser calls the file, and what a program calls it that knows no `filename*`. */
  function namesOf(header = ''): [name: string, ascii: string] {
    const match = /^attachment; filename="([ !#-~]+)"(?:; filename\*=UTF-8''([\w.!~%-]+))?$/.exec(header);
    const [, ascii = '', encoded = encodeURIComponent(ascii)] = match ?? [];
    return [decodeURIComponent(encoded), ascii];
  }

  async function download(title: string) {
    const { slug } = await service.newDrop({ title });
    const { headers } = await service.get(`/p/${slug}/download`);
    const names = namesOf(headers['content-disposition']);
    return names.map((name) => name.replace(slug, 'SLUG'));
  }

  it('is the title, and in ASCII what is left of it', async () => {
    const rows: readonly (readonly [title: string, name: string, ascii?: string])[] = [
      ['Quarterly report', 'Quarterly report'],
      [
        "It's (almost) done; really, 100 % & more!",
        "It's (almost) done; really, 100 % & more!",
        "It's (almost) done; really, 100 & more!",
      ],
      ['Café Ünï', 'Café Ünï', 'Cafe Uni'],
      ['Cafe\u0301', 'Café', 'Cafe'],
      ['Отчёт 5', 'Отчёт 5', '5'],
      ['年度报告', '年度报告', 'SLUG'],
      ['Plan 🍃👩‍👩‍👧', 'Plan 🍃👩‍👩‍👧', 'Plan'],
      ['🍃', 'SLUG'],
      ['../..\\?*', 'SLUG'],
      ['../a/b:c"d"<e>|f?.exe', 'a b c d e f .exe'],
      ['-rf .x. ', 'rf .x'],
      ['one\r\ntwo\tthree\x1b[31m', 'one two three [31m'],
      ['gnp\u202eexe.\u2066\u200b\u200f\ufeff\u0085x', 'gnpexe. x'],
      ['می\u200cخواهم', 'می\u200cخواهم', 'SLUG'],
      ['aux', '_aux'],
      ['com1.txt', '_com1.txt'],
      ['com¹', '_com¹', '_com1'],
      ['conout$', '_conout$'],
      ['con .x', '_con .x'],
      ['console', 'console'],
      ['con man', 'con man'],
      ['x'.repeat(200), 'x'.repeat(80)],
      ['字'.repeat(200), '字'.repeat(80), 'SLUG'],
      [`${'x'.repeat(79)}👩‍👩‍👧`, 'x'.repeat(79)],
      [`e${'\u0301'.repeat(199)}`, 'SLUG'],
    ];
    for (const [title, name, ascii = name] of rows)
      expect(await download(title), JSON.stringify(title)).to.deep.equal([`${name}.html`, `${ascii}.html`]);
  });

  it('has the number of an older version, not of the latest', async () => {
    const { owner, slug } = await service.newDrop({ title: 'Größe' });
    await owner.put(slug, { html: '<p>two' });
    const nameOf = async (path: string) => namesOf((await owner.get(path)).headers['content-disposition'])[0];
    const latest = [`/p/${slug}/download`, `/p/${slug}/download?v=2`, `/api/drops/${slug}/html`];
    for (const path of [...latest, `/api/drops/${slug}/v/2/html`])
      expect(await nameOf(path), path).to.equal('Größe.html');
    for (const path of [`/p/${slug}/download?v=1`, `/api/drops/${slug}/v/1/html`])
      expect(await nameOf(path), path).to.equal('Größe v1.html');
  });
});
