import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Font } from 'satori';
import { type FontFile, readFont } from './font-file.ts';

export type Weight = 400 | 700;

interface LoadedFont {
  readonly file: FontFile;
  readonly font: Font;
}

/** Each package with the subsets that are read from it. A character is drawn with the first font that has it. */
const packages: readonly (readonly [name: string, isRead: (subset: string) => boolean])[] = [
  ['noto-sans', () => true], // Latin, Greek, Cyrillic, Devanagari
  ['noto-sans-arabic', (subset) => subset === 'arabic'],
  ['noto-sans-hebrew', (subset) => subset === 'hebrew'],
  ['noto-sans-sc', (subset) => subset.startsWith('[')], // Han and kana, in about a hundred files
  ['noto-sans-kr', (subset) => subset.startsWith('[')],
];

/** A card rarely needs more than ten. A title of two hundred different Han characters loses the rest of them. */
const maxFiles = 24;
/** In memory: all of Latin, Greek and Cyrillic, and the usual files of the other scripts. */
const maxLoaded = 48;

const { resolve } = createRequire(import.meta.url);

export type CardFonts = ReturnType<typeof createCardFonts>;

/** The Noto fonts of the packages. A file is read when a text first needs it. */
export function createCardFonts() {
  const subsets = findSubsets();
  const loaded = new Map<string, LoadedFont>();

  function load(path: string, weight: Weight): LoadedFont {
    const key = `${path}-${weight}-normal.woff`;
    const known = loaded.get(key);
    loaded.delete(key); // and set again: the map is in the order of use
    const file = known?.file ?? readFont(readFileSync(key));
    const font = known?.font ?? { name: nameOf(path), data: file.data, weight, style: 'normal' as const };
    const entry = { file, font };
    loaded.set(key, entry);
    const [oldest] = loaded.keys();
    if (loaded.size > maxLoaded && oldest !== undefined) loaded.delete(oldest);
    return entry;
  }

  return {
    /** The fonts that one card uses. */
    open() {
      const fonts = new Map<string, Font>();
      return {
        /** Whether the character can be drawn; its font is then one of the card's. */
        use(codePoint: number, weight: Weight): boolean {
          for (const path of subsets.get(codePoint) ?? []) {
            const key = `${path}-${weight}`;
            if (!fonts.has(key) && fonts.size >= maxFiles) return false;
            const { file, font } = load(path, weight);
            if (!file.has(codePoint)) continue; // subsets name characters that their fonts lack
            fonts.set(key, font);
            return true;
          }
          return false;
        },
        list: (): Font[] => [...fonts.values()],
      };
    },
  };
}

export type CardFontSet = ReturnType<CardFonts['open']>;

/** By code point, the paths of its files without weight and style. */
function findSubsets(): Map<number, string[]> {
  const subsets = new Map<number, string[]>();
  for (const [name, isRead] of packages) {
    const index = resolve(`@fontsource/${name}/unicode.json`);
    const ranges = JSON.parse(readFileSync(index, 'utf8')) as Record<string, string>; // proof: the package's format
    // Those of a package are in the order of preference from the last to the first, as in its style sheet.
    for (const [subset, list] of Object.entries(ranges).reverse()) {
      if (!isRead(subset)) continue;
      const file = `${name}-${subset.replace(/[[\]]/g, '')}`;
      const path = index.replace(/unicode\.json$/, `files/${file}`);
      for (const codePoint of codePointsOf(list)) {
        const paths = subsets.get(codePoint);
        if (paths === undefined) subsets.set(codePoint, [path]);
        else paths.push(path);
      }
    }
  }
  return subsets;
}

/** @param list such as `U+0000-00FF,U+0131` */
function* codePointsOf(list: string): Generator<number> {
  for (const range of list.split(',')) {
    const [first = 0, last = first] = range
      .slice(2)
      .split('-')
      .map((hex) => Number.parseInt(hex, 16));
    for (let codePoint = first; codePoint <= last; codePoint++) yield codePoint;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
