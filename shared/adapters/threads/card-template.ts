import { type CardContent, cardHeight, cardWidth } from '../../domain/card.ts';
import type { CardFontSet, Weight } from './card-fonts.ts';
import { directionOf, drawableText } from './card-text.ts';

/** A React element, as satori takes it. */
export interface CardElement {
  readonly type: string;
  readonly props: Readonly<Record<string, unknown>>;
}

const green = '#1d6b41';
const ink = '#1a211c';
const soft = '#56615a';
const margin = 72;

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The words of a card that says nothing of a drop. */
const plainTexts = {
  locked: ['This page is locked', 'Its owner protected it with a passcode.'],
  generic: ['', ''],
} as const;

/** The card of the content, with the fonts that it needs. */
export function cardOf(content: CardContent, fonts: CardFontSet): CardElement {
  const { kind, host, day } = content;
  const [ownTitle, ownDescription] =
    kind === 'page' ? [content.title, content.description] : plainTexts[kind];
  const drawable = drawableText(ownTitle, fonts, { weight: 700, maxGraphemes: 150 });
  const description = drawableText(ownDescription, fonts, { weight: 400, maxGraphemes: 240 });
  const small = (text: string, maxGraphemes: number, weight: Weight) =>
    drawableText(text, fonts, { weight, maxGraphemes });
  const title = drawable || (description === '' ? small(host, 60, 700) : '');
  return box(
    {
      width: cardWidth,
      height: cardHeight,
      padding: margin,
      paddingBottom: 60,
      background: '#f4f6f2',
      color: ink,
      boxSizing: 'border-box',
    },
    [
      box({ position: 'absolute', left: 0, top: 0, width: cardWidth, height: 14, background: green }),
      row({ alignItems: 'center', height: 64 }, [
        leaf(56),
        text(small('Dropleaf', 20, 700), { fontSize: 34, fontWeight: 700, color: green, marginLeft: 6 }),
      ]),
      box({ flexGrow: 1, justifyContent: 'center' }, [
        ...(kind === 'locked' ? [padlock()] : []),
        ...titleOf(title, description),
        ...descriptionOf(title, description),
      ]),
      row({ justifyContent: 'space-between', alignItems: 'center', height: 52, fontSize: 32, color: soft }, [
        text(title === host ? '' : small(host, 48, 700), { fontWeight: 700, color: ink }),
        text(small(day === null ? '' : dateOf(day), 30, 400), {}),
      ]),
    ],
  );
}

/** A long title is smaller, and leaves room for fewer lines of description. */
function titleOf(title: string, description: string): CardElement[] {
  if (title === '') return [];
  const width = widthOf(title);
  const [size, lines] = width <= 22 ? [100, 2] : width <= 44 ? [84, 2] : width <= 84 ? [68, 3] : [56, 3];
  const longestWord = Math.max(...title.split(wordEnd).map(widthOf));
  const fontSize = Math.max(56, Math.min(size, Math.floor((cardWidth - 2 * margin) / (0.66 * longestWord))));
  const lineClamp = description === '' ? lines + 1 : lines;
  return [
    paragraph(title, {
      fontSize,
      lineClamp,
      fontWeight: 700,
      lineHeight: 1.28,
    }),
  ];
}

function descriptionOf(title: string, description: string): CardElement[] {
  if (description === '') return [];
  const lineClamp = title === '' ? 5 : widthOf(title) > 44 ? 2 : 3;
  return [paragraph(description, { fontSize: 38, lineClamp, lineHeight: 1.4, color: soft, marginTop: 12 })];
}

/** Han, kana and Hangul are about twice as wide as other letters, and lines break between any two of them. */
const isWide = /[\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60]/u;
const wordEnd = new RegExp(`${isWide.source}| `, 'u');

/** In letters. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += isWide.test(character) ? 2 : 1;
  return width;
}

/** In English, like all our pages. UTC. */
function dateOf(day: number): string {
  const date = new Date(day);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

type Style = Readonly<Record<string, string | number>>;

function element(type: string, style: Style, children: unknown, props: object = {}): CardElement {
  return { type, props: { style, children, ...props } };
}

function box(style: Style, children: readonly CardElement[] = []): CardElement {
  return element('div', { display: 'flex', flexDirection: 'column', ...style }, children);
}

function row(style: Style, children: readonly CardElement[]): CardElement {
  return element('div', { display: 'flex', ...style }, children);
}

function text(words: string, style: Style): CardElement {
  return element('div', { display: 'flex', ...style }, words);
}

function paragraph(words: string, style: Style): CardElement {
  const direction = directionOf(words);
  return element(
    'div',
    {
      display: 'block',
      width: cardWidth - 2 * margin,
      overflow: 'hidden',
      paddingBottom: 10,
      wordBreak: 'break-word',
      direction,
      ...style,
    },
    words,
  );
}

/** The mark of the service, like the one on its pages. */
function leaf(size: number): CardElement {
  const mark = path(
    'M12 2.5c4.6 4 7 7.4 7 11.1a7 7 0 0 1-6.1 7V14.2l3-3a.9.9 0 0 0-1.3-1.3l-1.7 1.7V8.4a.9.9 0 0 0-1.8 0v5.8l-1.7-1.7a.9.9 0 0 0-1.3 1.3l3 3v3.8a7 7 0 0 1-6.1-7c0-3.7 2.4-7.1 7-11.1z',
    { fill: green },
  );
  return element('svg', { marginLeft: -size / 5 }, [mark], {
    width: size,
    height: size,
    viewBox: '0 0 24 24',
  });
}

function padlock(): CardElement {
  const paths = [
    path('M9 14v-4a7 7 0 0 1 14 0v4', { fill: 'none', stroke: green, strokeWidth: 3 }),
    path('M6 14h20a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V16a2 2 0 0 1 2-2z', { fill: green }),
  ];
  return element('svg', { marginBottom: 28 }, paths, { width: 104, height: 104, viewBox: '0 0 32 32' });
}

function path(d: string, props: object): CardElement {
  return { type: 'path', props: { d, ...props } };
}
