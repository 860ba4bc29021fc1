import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Both files in whole, because a letter and its marks are drawn well only if one font has them. */
const notoSans = ['400Regular/NotoSans_400Regular.ttf', '700Bold/NotoSans_700Bold.ttf'];
/** What Noto Sans has, and a few rare characters. */
const inNotoSans =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Inherited}\u0020-\u02FF\u0900-\u097F\u2000-\u215F\u2212\u2E00-\u2E5D]$/u;

/** Variable fonts in many files, and which of them are read. A character is drawn with the first font that has it. */
const packages: readonly (readonly [name: string, isRead: (subset: string) => boolean])[] = [
  ['noto-sans-arabic', (subset) => subset === 'arabic'],
  ['noto-sans-hebrew', (subset) => subset === 'hebrew'],
  ['noto-sans-thai', (subset) => subset === 'thai'],
  ['noto-sans-sc', (subset) => subset.startsWith('[')], // Han and kana, in about a hundred files
  ['noto-sans-kr', (subset) => subset.startsWith('[')],
  ['noto-emoji', () => true], // without colours
];

/** More are cut off before anything else is done. */
const maxUnits = 1_200;
/** Marks on one letter after the third: Arabic and Vietnamese use two, Hebrew three. */
const surplusMarks = /(?<=[\p{Mn}\p{Me}]{3})[\p{Mn}\p{Me}]/gu;
/** Joiners are the only characters of format: the others, such as bidi overrides, would change the card's own text. */
const isControl = /^(?![\u200C\u200D])\p{C}$/u;
/** What has no ink of its own. */
const inkless = /^[\p{M}\p{Z}\u200C\u200D]*$/u;

const { resolve } = createRequire(import.meta.url);

/** The renderer reads a file when a text first has one of its characters. */
interface CardFont {
  readonly name: string;
  readonly key: string;
  readonly data: () => Promise<Uint8Array>;
  /** Absent: the file is always read. */
  readonly unicodeRange?: [first: number, last: number][];
}

/** The Noto fonts of the packages. */
export function findCardFonts() {
  const files = notoSans.map((file): CardFont => {
    const key = resolve(`@expo-google-fonts/noto-sans/${file}`);
    return { name: 'noto-sans', key, data: () => readFile(key) };
  });
  const others = new Set<number>();
  for (const [name, isRead] of packages) {
    const index = resolve(`@fontsource-variable/${name}/unicode.json`);
    const subsets = JSON.parse(readFileSync(index, 'utf8')) as Record<string, string>; // proof: the package's format
    for (const [subset, list] of Object.entries(subsets)) {
      if (!isRead(subset)) continue;
      const file = `files/${name}-${subset.replace(/[[\]]/g, '')}-wght-normal.woff2`;
      const key = index.replace(/unicode\.json$/, file);
      const unicodeRange = rangesOf(list);
      files.push({ name, key, unicodeRange, data: () => readFile(key) });
      for (const [first, last] of unicodeRange)
        for (let codePoint = first; codePoint <= last; codePoint++) others.add(codePoint);
    }
  }
  const has = (character: string) =>
    !isControl.test(character) && (inNotoSans.test(character) || others.has(character.codePointAt(0) ?? 0));

  return {
    files,

    /**
     * The text on one line, without controls and characters that no font has; compatibility forms stand for some (A for 𝓐).
     */
    drawable(text: string): string {
      const line = text.slice(0, maxUnits).normalize('NFC').replace(/\s+/gu, ' ');
      const forms = Array.from(line, (character) =>
        has(character) ? character : character.normalize('NFKC'),
      );
      const drawn = Array.from(forms.join('')).filter(has).join('');
      return inkless.test(drawn) ? '' : drawn.replace(surplusMarks, '').replace(/ +/g, ' ').trim();
    },
  };
}

/** @param list such as `U+0000-00FF,U+0131` */
function rangesOf(list: string): [first: number, last: number][] {
  return list.split(',').map((range) => {
    const [first = 0, last = first] = range
      .slice(2)
      .split('-')
      .map((hex) => Number.parseInt(hex, 16));
    return [first, last];
  });
}
