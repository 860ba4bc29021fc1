import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes as Dom,
  defaultTreeAdapter,
  html,
  InsertionMode,
  Parser,
  Token,
  type TokenHandler,
  Tokenizer,
  TokenizerMode,
  type TreeAdapter,
} from 'parse5';
import { createPlaces } from './places.ts';

const { TokenType } = Token;

type AnyToken = Parameters<TokenHandler[keyof Omit<TokenHandler, 'onParseError'>]>[0];

/** How much of a document may be looked at. */
export interface ScanLimits {
  /** Tags, their attributes, comments, and elements that are created. Text is not counted: it costs little. */
  readonly steps: number;
  /** Whatever the parser is given whole: also each word of a text, and each space. Absent: not counted. */
  readonly tokens?: number;
  /** Asked every few dozen tokens, and after each piece of the text; true ends the scan. Absent: only the steps count. */
  readonly expired?: () => boolean;
  /** The scan ends before the first token that starts there or later. */
  readonly until?: number;
  /** The text is the beginning of a longer one. */
  readonly cut?: boolean;
  /** Characters that the parser is given at a time, so that one endless tag does not escape the limits. */
  readonly piece?: number;
}

/** What the parser made of a document up to the point where head gets no more children. */
export interface Scan {
  /** The tree so far. Texts and comments are in it without their contents. */
  readonly document: Dom.Document;
  /** null: there is none yet. */
  readonly head: Dom.Element | null;
  /**
   * `body`: the token at `stoppedAt` made the parser create body, or frameset;
   * `limit`: one of the limits ended the scan before the token at `stoppedAt`, or in the middle of it.
   */
  readonly stop: 'body' | 'limit';
  readonly stoppedAt: number;
  /** How much of the text the parser was given. */
  readonly read: number;
  /** What it took. */
  readonly steps: number;
  /**
   * Where more children of head can be written so that nothing else changes, the best first; to be checked, as
   * parse5's locations are not exact everywhere. May be empty.
   */
  readonly places: readonly number[];
}

interface Progress {
  steps: number;
  tokens: number;
  /** Whether body, or frameset, was created. */
  body: boolean;
  /** Where the last token began and ended. */
  start: number;
  end: number;
  halt: Pick<Scan, 'stop' | 'stoppedAt'> | null;
}

/** How often the clock is looked at. */
const tokensPerLook = 32;
const defaultPiece = 16 * 1024;

/**
 * Parses until the parser creates body. What is written right before the token that makes it do so, while
 * nothing but html and head is open, goes to the end of head, whether `</head>` is there or implied
 * (HTML standard, 13.2.6.4.4 "in head" and 13.2.6.4.6 "after head").
 */
export function scanHead(text: string, limits: ScanLimits): Scan {
  const {
    steps,
    tokens = Number.POSITIVE_INFINITY,
    expired,
    until = Number.POSITIVE_INFINITY,
    cut = false,
    piece = defaultPiece,
  } = limits;
  const seen: Progress = { steps: 0, tokens: 0, body: false, start: -1, end: 0, halt: null };
  const places = createPlaces();

  const parser = new Parser({
    treeAdapter: createTree((name) => {
      seen.steps++;
      seen.body ||= name === 'body' || name === 'frameset';
    }),
  });
  const children = () => parser.headElement?.childNodes.length ?? 0;

  function isTooMuch(open = 0): boolean {
    return seen.steps + open > steps || seen.tokens > tokens;
  }

  function isOver(start: number): boolean {
    if (start >= until || isTooMuch()) return true;
    return seen.tokens % tokensPerLook === 0 && expired?.() === true;
  }

  const isHalted = () => seen.halt !== null;

  function halt(stop: Scan['stop'], stoppedAt: number): void {
    seen.halt = { stop, stoppedAt };
    parser.tokenizer.pause();
  }

  /** Lets the parser have the token, and notes the places that it shows. */
  function place<T extends AnyToken>(token: T, start: number, process: (token: T) => void): void {
    const mode = parser.insertionMode;
    const hadHead = parser.headElement !== null;
    const count = children();
    process(token);
    // Where the token implies head, an element of head in its stead would imply it just the same.
    const impliesHead = !hadHead && parser.headElement !== null && !isHeadTag(token, TokenType.START_TAG);
    if (isHeadMode(mode) || impliesHead) {
      const reference = referenceBefore(token, start, seen, text);
      if (reference !== null) places.add(reference, count);
      places.add(start, count);
    }
    if (isHeadTag(token, TokenType.END_TAG) && mode < parser.insertionMode) places.close(start, count);
  }

  function take<T extends AnyToken>(token: T, process: (token: T) => void): void {
    if (isHalted()) return;
    seen.tokens++;
    if (token.type >= TokenType.START_TAG) seen.steps += 1 + countAttributes(token);
    const start = startOf(token, seen, text, parser.tokenizer.state);
    if (isOver(start)) {
      halt('limit', start);
      return;
    }
    // The text of scripts and the like leaves no trace here but its end tag.
    if (parser.insertionMode === InsertionMode.TEXT && token.type < TokenType.START_TAG) return;
    place(token, start, process);
    seen.start = start;
    seen.end = token.location?.endOffset ?? start;
    if (seen.body) halt('body', start);
    else if (isTag(token) && isHeadMode(parser.insertionMode)) places.add(seen.end, children());
  }

  /** Gives the text to the parser. @returns how much of it */
  function feed(): number {
    const { tokenizer } = parser;
    let read = 0;
    for (;;) {
      const next = text.slice(read, read + piece);
      read += next.length;
      const isLast = read === text.length;
      tokenizer.write(next, isLast && !cut);
      // Text is no token before its end, and its first word can be what ends head.
      if (!isHalted() && (cut || !isLast)) tokenizer.flushCharacters();
      if (isHalted() || isLast) return read;
      // Nor are a tag of 250,000 attributes and a comment of megabytes.
      if (isTooMuch(openAttributes(tokenizer)) || expired?.() === true) {
        halt('limit', seen.end);
        return read;
      }
    }
  }

  parser.tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, createGate(parser, take));
  const read = feed();
  const { document, headElement: head } = parser;
  const halted = seen.halt ?? { stop: 'limit', stoppedAt: text.length };
  return { document, head, ...halted, read, steps: seen.steps, places: places.list() };
}

/** Stands before the parser. Only whole tokens come through: the parser hands them on to itself without asking. */
function createGate(
  parser: Parser<DefaultTreeAdapterMap>,
  take: <T extends AnyToken>(token: T, process: (token: T) => void) => void,
): TokenHandler {
  return {
    onStartTag: (token) => take(token, (t) => parser.onStartTag(t)),
    onEndTag: (token) => take(token, (t) => parser.onEndTag(t)),
    onComment: (token) => take(token, (t) => parser.onComment(t)),
    onDoctype: (token) => take(token, (t) => parser.onDoctype(t)),
    onCharacter: (token) => take(token, (t) => parser.onCharacter(t)),
    onNullCharacter: (token) => take(token, (t) => parser.onNullCharacter(t)),
    onWhitespaceCharacter: (token) => take(token, (t) => parser.onWhitespaceCharacter(t)),
    onEof: (token) => take(token, (t) => parser.onEof(t)),
    onParseError: null,
  };
}

/**
 * Where the token begins. An end of file is special: one inside a tag comes after a piece that the parser has dropped,
 * so the place is before that piece; one inside a comment or doctype comes after it, and the place is before it.
 */
function startOf(token: AnyToken, seen: Progress, text: string, state: Tokenizer['state']): number {
  const start = token.location?.startOffset ?? 0;
  if (token.type !== TokenType.EOF || state === TokenizerMode.DATA) return start;
  return seen.end < text.length ? seen.end : Math.max(0, seen.start);
}

/** parse5 reports text that begins with a reference, after white space, at the end of that reference. */
function referenceBefore(token: AnyToken, start: number, seen: Progress, text: string): number | null {
  if (token.type !== TokenType.CHARACTER && token.type !== TokenType.NULL_CHARACTER) return null;
  const reference = text.lastIndexOf('&', start);
  return reference > seen.start && reference < start ? reference : null;
}

/** The tree, without the contents of texts and comments: a script of 2 MB is text in 600,000 pieces. */
function createTree(onElement: (htmlName: string) => void): TreeAdapter<DefaultTreeAdapterMap> {
  return {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      onElement(namespace === html.NS.HTML ? name : '');
      return defaultTreeAdapter.createElement(name, namespace, attributes);
    },
    createCommentNode: () => defaultTreeAdapter.createCommentNode(''),
    insertText: (parent) => defaultTreeAdapter.insertText(parent, ''),
    insertTextBefore: (parent, _, before) => defaultTreeAdapter.insertTextBefore(parent, '', before),
    getNodeSourceCodeLocation: () => null,
  };
}

/** Whether only html, or html and head, are open, and a `<style>` would be put into head. */
function isHeadMode(mode: InsertionMode): boolean {
  return mode === InsertionMode.IN_HEAD || mode === InsertionMode.AFTER_HEAD;
}

function countAttributes(token: AnyToken): number {
  return isTag(token) ? token.attrs.length : 0;
}

/** How many attributes the tag has so far that the tokenizer has not read to its end. */
function openAttributes(tokenizer: Tokenizer): number {
  // biome-ignore lint/complexity/useLiteralKeys: it is protected, and tells before the end of the tag
  const token = tokenizer['currentToken'];
  return token === null ? 0 : countAttributes(token);
}

function isTag(token: AnyToken): token is Token.TagToken {
  return token.type === TokenType.START_TAG || token.type === TokenType.END_TAG;
}

function isHeadTag(token: AnyToken, type: Token.TokenType): boolean {
  return isTag(token) && token.type === type && token.tagName === 'head';
}
