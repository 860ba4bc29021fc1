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

/**
 * The text outside of scripts, styles, templates and title: a line for each block, cells separated by tabs, white space
 * collapsed. Builds no tree, so it is linear. @param expired called after each 16 KiB; true: the result is null
 * @returns null if time ran out, or a tag has more than 20,000 attributes
 */
export function visibleText(html: string, { expired }: { expired: () => boolean }): string | null {
  const lines = createLines();
  /** Nesting of svg and math, of template, and of pre. */
  const depth = { foreign: 0, template: 0, pre: 0 };
  let hiddenText: string | null = null;

  function count(name: string, by: 1 | -1): void {
    if (name === 'svg' || name === 'math') depth.foreign = Math.max(0, depth.foreign + by);
    if (name === 'template') depth.template = Math.max(0, depth.template + by);
    if (name === 'pre') depth.pre = Math.max(0, depth.pre + by);
  }

  function show({ chars }: Token.CharacterToken): void {
    if (hiddenText !== null || depth.template > 0) return;
    lines.add(chars, depth.pre > 0);
  }

  const handler: TokenHandler = {
    onStartTag({ tagName, selfClosing }) {
      if (blocks.has(tagName)) lines.end();
      else if (tagName === 'td' || tagName === 'th') lines.separate();
      if (selfClosing && depth.foreign > 0) return;
      count(tagName, 1);
      tokenizer.inForeignNode = depth.foreign > 0;
      const mode = textModes[tagName];
      if (mode === undefined) return;
      tokenizer.state = mode;
      if (!shownTexts.has(tagName)) hiddenText = tagName;
    },
    onEndTag({ tagName }) {
      if (blocks.has(tagName)) lines.end();
      if (tagName === hiddenText) hiddenText = null;
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
    if (expired() || tokenizer.countOpenAttributes() > maxAttributes) return null;
    tokenizer.write(html.slice(at, at + chunk), at + chunk >= html.length);
  }
  return lines.text();
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
