import { type Node, Renderer } from '@takumi-rs/core';
import { type CardContent, cardHeight, cardWidth } from '../cards/card.ts';
import { findCardFonts } from './card-fonts.ts';

const green = '#1d6b41';
const ink = '#1a211c';
const soft = '#56615a';

const margin = 72;
const top = 56;
const bottom = 56;
const innerWidth = cardWidth - 2 * margin;
const headHeight = 64;
const footHeight = 52;
const footGap = 24;
const innerHeight = cardHeight - top - headHeight - footGap - footHeight - bottom;

const titleSizes = [100, 84, 68, 56];
const titleLineHeight = 1.28;
const maxTitleHeight = 300;
/** With a description: two lines of the second size. */
const maxTitleHeightWithText = 222;
const descriptionSize = 38;
const descriptionLineHeight = 1.4;
const maxDescriptionLines = 5;
const gap = 12;

/** The words of a card that says nothing of a drop. */
const plainTexts = {
  locked: ['This page is locked', 'Its owner protected it with a passcode.'],
  generic: ['', ''],
} as const;

/** In English, like all our pages. */
const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The mark of the service, like the one on its pages. */
const leaf = svg(
  24,
  `<path fill="${green}" d="M12 2.5c4.6 4 7 7.4 7 11.1a7 7 0 0 1-6.1 7V14.2l3-3a.9.9 0 0 0-1.3-1.3l-1.7 1.7V8.4a.9.9 0 0 0-1.8 0v5.8l-1.7-1.7a.9.9 0 0 0-1.3 1.3l3 3v3.8a7 7 0 0 1-6.1-7c0-3.7 2.4-7.1 7-11.1z"/>`,
);
const padlock = svg(
  32,
  `<path fill="none" stroke="${green}" stroke-width="3" d="M9 14v-4a7 7 0 0 1 14 0v4"/>
  <path fill="${green}" d="M6 14h20a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V16a2 2 0 0 1 2-2z"/>`,
);
const padlockSize = 84;
const padlockGap = 20;

/** Draws PNGs. A font that was used once stays in memory (docs/performance.md). */
export function createCardDrawer() {
  const { files, drawable } = findCardFonts();
  const renderer = new Renderer({ cacheMaxBytes: 0 });
  const canvas = { width: cardWidth, height: cardHeight, fonts: files };

  /** At the largest size at which it fits and no word is broken; a title that fits at no size is cut at the smallest. */
  async function titleNode(title: string, maxHeight: number): Promise<{ node: Node; height: number }> {
    const style = { fontWeight: 700, lineHeight: titleLineHeight };
    let lines = 0;
    let fontSize = 0;
    for (fontSize of titleSizes) {
      lines = Math.floor(maxHeight / (fontSize * titleLineHeight));
      const unbroken = paragraph(title, { ...style, fontSize, wordBreak: 'normal' });
      const { height: measured, runs } = await renderer.measure(unbroken, canvas);
      const height = measured - below(fontSize);
      const isWhole = runs.every(
        ({ text, width }) => width <= innerWidth + (text.endsWith(' ') ? fontSize / 4 : 0),
      );
      if (isWhole && height <= maxHeight) return { node: unbroken, height };
    }
    const height = lines * fontSize * titleLineHeight;
    return { node: paragraph(title, { ...style, fontSize, lineClamp: lines }), height };
  }

  /** Title and description as large and as long as there is room for them. */
  async function textNodes(title: string, description: string, room: number): Promise<Node[]> {
    const nodes: Node[] = [];
    let left = room;
    if (title !== '') {
      const maxHeight = description === '' ? maxTitleHeight : maxTitleHeightWithText;
      const { node, height } = await titleNode(title, maxHeight);
      nodes.push(node);
      left -= height + gap;
    }
    if (description !== '') {
      const lines = Math.floor(left / (descriptionSize * descriptionLineHeight));
      const style = { fontSize: descriptionSize, lineHeight: descriptionLineHeight, color: soft };
      nodes.push(
        paragraph(description, { ...style, marginTop: gap, lineClamp: Math.min(lines, maxDescriptionLines) }),
      );
    }
    return nodes;
  }

  return async function drawCard({ kind, host, day, ...own }: CardContent): Promise<Uint8Array> {
    const [ownTitle, ownDescription] = kind === 'page' ? [own.title, own.description] : plainTexts[kind];
    const description = drawable(ownDescription);
    const title = drawable(ownTitle) || (description === '' ? host : '');
    const isLocked = kind === 'locked';
    const room = innerHeight - (isLocked ? padlockSize + padlockGap : 0);
    const body = [
      ...(isLocked ? [image(padlock, padlockSize, { marginBottom: padlockGap })] : []),
      ...(await textNodes(title, description, room)),
    ];
    return renderer.render(page(body, title === host ? '' : host, day), canvas);
  };
}

/** @param body what stands between the service's name and its host; its height is fixed, so it pushes nothing out */
function page(body: Node[], host: string, day: number | null): Node {
  const oneLine = { whiteSpace: 'nowrap', overflow: 'hidden', textOverflow: 'ellipsis' };
  return box(
    {
      width: cardWidth,
      height: cardHeight,
      paddingLeft: margin,
      paddingTop: top,
      background: '#f4f6f2',
      color: ink,
    },
    [
      box({ position: 'absolute', left: 0, top: 0, width: cardWidth, height: 14, background: green }),
      row({ height: headHeight }, [
        image(leaf, 56, { marginLeft: -11 }),
        text('Dropleaf', { fontSize: 34, fontWeight: 700, color: green, marginLeft: 6 }),
      ]),
      box({ width: innerWidth, height: innerHeight, justifyContent: 'center', overflow: 'hidden' }, body),
      row({ width: innerWidth, height: footHeight, marginTop: footGap, fontSize: 32 }, [
        text(host, { ...oneLine, fontWeight: 700 }),
        text(day === null ? '' : dateFormat.format(day), {
          flexShrink: 0,
          marginLeft: 'auto',
          paddingLeft: 24,
          color: soft,
        }),
      ]),
    ],
  );
}

type Style = Readonly<Record<string, string | number>>;

function box(style: Style, children: Node[] = []): Node {
  return { type: 'container', style: { display: 'flex', flexDirection: 'column', ...style }, children };
}

function row(style: Style, children: Node[]): Node {
  return box({ flexDirection: 'row', alignItems: 'center', ...style }, children);
}

function text(words: string, style: Style): Node {
  return { type: 'text', text: words, style };
}

const thaiWords = new Intl.Segmenter('th', { granularity: 'word' });

/** With places for line breaks between Thai words, which have no spaces. */
function breakable(words: string): string {
  return words.replace(/\p{Script=Thai}{2,}/gu, (run) =>
    Array.from(thaiWords.segment(run), ({ segment }) => segment).join('\u200b'),
  );
}

/** Pixels below the last line that marks of Arabic and Thai may reach into. */
function below(fontSize: number): number {
  return fontSize / 4;
}

/** In the direction of its first letter, in lines of about the same length. */
function paragraph(words: string, style: Style & { readonly fontSize: number }): Node {
  const isRightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(/\p{L}/u.exec(words)?.[0] ?? '');
  const wrapping = {
    textAlign: 'start',
    textWrap: 'balance',
    textOverflow: 'ellipsis',
    wordBreak: 'break-word',
  };
  const padding = { paddingBottom: below(style.fontSize), marginBottom: -below(style.fontSize) };
  return {
    type: 'text',
    text: breakable(words),
    dir: isRightToLeft ? 'rtl' : 'ltr',
    style: { width: innerWidth, overflow: 'hidden', ...wrapping, ...padding, ...style },
  };
}

function svg(size: number, paths: string): Uint8Array {
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}">${paths}</svg>`);
}

function image(src: Uint8Array, size: number, style: Style): Node {
  return { type: 'image', src, width: size, height: size, style };
}
