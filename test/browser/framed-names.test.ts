import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { type BuildOptions, build } from 'esbuild';
import { projectDir } from '../support/programs.ts';
import { useBrowser } from './browser.ts';

interface Options {
  framedOptions(root: string): BuildOptions & { readonly define: Record<string, string> };
}

describe('The script in the page and the names that a page can declare', () => {
  const browser = useBrowser();

  /** The names that a bundle takes from the page when it uses them. */
  async function freeNames(options: BuildOptions, names: readonly string[]): Promise<string[]> {
    const marks = Object.fromEntries(names.map((name) => [name, JSON.stringify(`free name ${name}`)]));
    const made = await build({
      ...options,
      define: { ...marks, ...options.define },
      write: false,
      outdir: 'x',
    });
    const text = made.outputFiles?.[0]?.text ?? '';
    return [...new Set([...text.matchAll(/free name ([\w$]+)/g)].map(([, name = '']) => name))].toSorted();
  }

  it('it uses none but those that it has taken when it started', async () => {
    const page = await (await browser.newContext()).newPage();
    const all = await page.evaluate<string[]>(`(() => {
      const found = [];
      for (let at = window; at !== null; at = Object.getPrototypeOf(at)) found.push(...Object.getOwnPropertyNames(at));
      return found.filter((name) => /^[A-Za-z_$][\\w$]*$/.test(name) && !['undefined', 'NaN'].includes(name));
    })()`);
    const file = pathToFileURL(join(projectDir, 'scripts', 'browser-options.js')).href;
    const { framedOptions } = (await import(file)) as Options; // proof: see the file
    const options = framedOptions(projectDir);
    const list = readFileSync(join(projectDir, 'browser', 'framed', 'captured.ts'), 'utf8');
    const taken = new Set(list.match(/^ {2}\w+(?=,$)/gm)?.map((line) => line.trim()));
    const others = all.filter(
      (name) => !taken.has(name) && !(name in options.define) && name !== 'globalThis',
    );
    expect(await freeNames(options, others)).to.deep.equal([]);

    const { inject: _, define: __, ...without } = options;
    expect(await freeNames({ ...without, define: {} }, all), 'the list would find them').to.include.members([
      'document',
      'parent',
      'Map',
      'innerHeight',
    ]);
  });
});
