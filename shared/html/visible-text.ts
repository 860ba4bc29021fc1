import { type Token, type TokenHandler, TokenizerMode } from 'parse5';
import { DocumentTokenizer } from './scan.ts';

/** The contents of these elements are text up to their end tag (HTML standard, 13.2.6.4.4, with scripting). */
export const textModes: Readonly<Record<string, number>> = {
  script: TokenizerMode.SCRIPT_DATA,
  style: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  noscript: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  plaintext: TokenizerMode.PLAINTEXT,
};
const shownTexts = new Set(['textarea', 'xmp', 'plaintext']);
/** Elements that begin and end a line, as in `innerText`. */
const blocks = new Set(
  (
    'address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup ' +
    'option p pre search section select summary table tbody textarea tfoot thead tr ul xmp'
  ).split(' '),
);

const chunk = 16 * 1024;
const maxAttributes = 20_000;

/** Gets the visible text of a document, in pieces. */
export interface TextReader {
  /** Also of an element that is not shown. */
  onStart(tagName: string): void;
  onEnd(tagName: string): void;
  /** @param isVerbatim white space is shown as it is */
  onText(text: string, isVerbatim: boolean): void;
}

/**
 * The text outside of scripts, styles, templates and title: a line for each block, cells separated by tabs, white space
 * collapsed. @returns null: as `readText` says
 */
export function visibleText(html: string, limits: { readonly expired: () => boolean }): string | null {
  const lines = createLines();
  const isRead = readText(html, limits, {
    onStart(tagName) {
      if (isBlock(tagName)) lines.end();
      else if (isCell(tagName)) lines.separate();
    },
    onEnd(tagName) {
      if (isBlock(tagName)) lines.end();
    },
    onText: lines.add,
  });
  return isRead ? lines.text() : null;
}

/** Whether it begins and ends a line. */
export function isBlock(tagName: string): boolean {
  return blocks.has(tagName);
}

export function isCell(tagName: string): boolean {
  return tagName === 'td' || tagName === 'th';
}

/**
 * Reads the text outside of scripts, styles, templates and title. Builds no tree, so it is linear.
 * @param expired called after each 16 KiB; true: it stops @returns whether it came to the end: false if time ran out, or a tag has
 * more than 20,000 attributes
 */
export function readText(
  html: string,
  { expired }: { readonly expired: () => boolean },
  reader: TextReader,
): boolean {
  /** Nesting of svg and math, of templates that are not shown, and of pre. */
  const depth = { foreign: 0, template: 0, pre: 0 };
  /** Whether each open template is shown. */
  const templates: boolean[] = [];
  let hiddenText: string | null = null;

  function count(name: string, by: 1 | -1): void {
    if (name === 'svg' || name === 'math') depth.foreign = Math.max(0, depth.foreign + by);
    if (name === 'pre') depth.pre = Math.max(0, depth.pre + by);
  }

  /** The contents of an open shadow root are shown. */
  function openTemplate(attrs: readonly Token.Attribute[]): void {
    const isShown = attrs.some(
      ({ name, value }) => name === 'shadowrootmode' && value.toLowerCase() === 'open',
    );
    templates.push(isShown);
    if (!isShown) depth.template += 1;
  }

  function closeTemplate(): void {
    if (templates.pop() === false) depth.template -= 1;
  }

  function show({ chars }: Token.CharacterToken): void {
    if (hiddenText !== null || depth.template > 0) return;
    reader.onText(chars, depth.pre > 0);
  }

  const handler: TokenHandler = {
    onStartTag({ tagName, selfClosing, attrs }) {
      reader.onStart(tagName);
      if (selfClosing && depth.foreign > 0) return;
      count(tagName, 1);
      if (tagName === 'template') openTemplate(attrs);
      tokenizer.inForeignNode = depth.foreign > 0;
      const mode = textModes[tagName];
      if (mode === undefined) return;
      tokenizer.state = mode;
      if (!shownTexts.has(tagName)) hiddenText = tagName;
    },
    onEndTag({ tagName }) {
      reader.onEnd(tagName);
      if (tagName === hiddenText) hiddenText = null;
      if (tagName === 'template') closeTemplate();
      count(tagName, -1);
      tokenizer.inForeignNode = depth.foreign > 0;
    },
    onCharacter: show,
    onWhitespaceCharacter: show,
    onNullCharacter: () => undefined,
    onComment: () => undefined,
    onDoctype: () => undefined,
    onEof: () => undefined,
    onParseError: null,
  };
  const tokenizer = new DocumentTokenizer({ sourceCodeLocationInfo: false }, handler);

  for (let at = 0; at < html.length; at += chunk) {
    if (expired() || tokenizer.countOpenAttributes() > maxAttributes) return false;
    tokenizer.write(html.slice(at, at + chunk), at + chunk >= html.length);
  }
  return true;
}

/** Collects lines; empty ones are left out. No line is looked at before it ends: that would copy what was joined so far. */
function createLines() {
  const lines: string[] = [];
  let line = '';
  /** Between the line and the next text: nothing, a space, or a tab. */
  let gap = '';

  function end(): void {
    const text = line.trimEnd();
    if (text !== '') lines.push(text);
    line = '';
    gap = '';
  }

  function append(text: string): void {
    if (text === '') return;
    line += line === '' ? text : gap + text;
    gap = '';
  }

  return {
    end,
    separate(): void {
      gap = '\t';
    },
    add(chars: string, isVerbatim: boolean): void {
      if (isVerbatim) {
        const [first = '', ...rest] = chars.split(/\r\n?|\n/);
        append(first);
        for (const next of rest) {
          end();
          line = next;
        }
        return;
      }
      const text = chars.replace(/\s+/g, ' ');
      if (text.startsWith(' ')) gap ||= ' ';
      append(text.trim());
      if (text.endsWith(' ')) gap ||= ' ';
    },
    text(): string {
      end();
      return lines.map((one) => `${one}\n`).join('');
    },
  };
}
