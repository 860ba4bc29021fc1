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

/** Other scripts of which the lists of the packages name characters, but no file has all. */
const otherScripts = /[\p{Script=Armenian}\p{Script=Yi}\p{Script=Javanese}\u{10200}-\u{1EFFF}]/u;
/** Symbols, in hexadecimal, that the lists name and no file has: they would be drawn as boxes. */
const boxes =
  '20DB 20E0 21A0 21AF-21B5 21BA-21BC 21C0 21CA 21CD 21CF 21D1 21D3 21E0-21E3 220C 2217-2219 2222 223C 2250-2253 2256 ' +
  '225A 2270 2271 2279-227B 2280 2281 22A3 22A4 22B0 22B1 22B9 22BB 22BC 22C5 22C6 22CE 22CF 22EE 2304 230B ' +
  '2313 2314 2323 239B 239D 239E 23A0 2445 2449 25AC 25AD 25B0 25B4 25B5 25B8-25BB 25BE 25BF 25C2-25C4 25C8 ' +
  '25CD 25D4 25D5 25D8 25DC-25E1 25EA 25EB 261A 261B 262D 2630 263B-263F 2654 2655 2658 265A 265B 265D 265E ' +
  '2688 2698 26A4 2704 2706 270E 2715 2717 2718 271B 271F 2724-2727 2729-2730 2732 273A 273E 2741-2743 2748 ' +
  '2749 274F 275B 275D 275E 2765-2767 276E 276F 2794 279C 279F 27A0 27A2 27A4 27A5 27A8 27B2 27B3 27B9 27E8 ' +
  '27E9 27F6 2800 28EC 2913 2921 2922 2963 2965 2A2F 2AC5 2AC6 2ACB 2ACC 2BC5 2BC6 4DB6-4DBF 9FF0-9FFF';
const isBox = new RegExp(`[${boxes.replaceAll(' ', '').replace(/[0-9A-F]{4}/g, '\\u$&')}]`, 'u');

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
    ![isControl, isBox, otherScripts].some((absent) => absent.test(character)) &&
    (inNotoSans.test(character) || others.has(character.codePointAt(0) ?? 0));

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
