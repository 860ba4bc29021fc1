import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes as Dom,
  InsertionMode,
  Parser,
  Token,
  type TokenHandler,
  Tokenizer,
  TokenizerMode,
} from 'parse5';
import { createTree } from './tree.ts';

const { TokenType } = Token;

type AnyToken = Parameters<TokenHandler[keyof Omit<TokenHandler, 'onParseError'>]>[0];

export class DocumentTokenizer extends Tokenizer {
  /** How many attributes an unfinished tag has so far. parse5 compares each with all before it. */
  countOpenAttributes(): number {
    const token = this.currentToken;
    return token !== null && 'attrs' in token ? token.attrs.length : 0;
  }
}

/** How much of a document may be parsed. */
export interface ScanLimits {
  /** Tags, attributes, comments and created elements. */
  readonly steps: number;
  /** All tokens, also each word and each white space of a text. Absent: no limit. */
  readonly tokens?: number;
  /** Called every 32 tokens and after each chunk; true stops the scan. */
  readonly expired?: () => boolean;
  /** The scan stops before the first token that starts at this offset or later. */
  readonly until?: number;
  /** Whether the text is only the beginning of the document. */
  readonly isPartial?: boolean;
  /** Characters that the parser gets at a time. The limits are checked after each chunk. */
  readonly chunk?: number;
  /** Gets the decoded text of head's titles, in pieces; null: a title is complete. True stops the scan. */
  readonly onTitle?: (piece: string | null) => boolean;
}

/** The result of parsing a document to the end of its head. */
export interface Scan {
  /** The tree so far, without the contents of texts and comments. */
  readonly document: Dom.Document;
  /** null if the parser has not created it. */
  readonly head: Dom.Element | null;
  /** `body`: the token at `stoppedAt` creates body or frameset; `limit`: a limit was reached before or within that token. */
  readonly stop: 'body' | 'limit';
  readonly stoppedAt: number;
  /** How many characters the parser got. */
  readonly read: number;
  readonly steps: number;
  /** Offsets in head, the best first; may be empty. Each must be checked, because parse5's locations are not always exact. */
  readonly offsets: readonly number[];
}

interface Progress {
  steps: number;
  tokens: number;
  /** Whether body or frameset was created. */
  hasBody: boolean;
  /** Start and end of the last token. */
  start: number;
  end: number;
  halt: Pick<Scan, 'stop' | 'stoppedAt'> | null;
}

const tokensPerTimeCheck = 32;
const defaultChunk = 16 * 1024;

/**
 * Parses until body is created. While only html and head are open, an element inserted before that token becomes the last
 * child of head (HTML standard, 13.2.6.4.4 and 13.2.6.4.6).
 */
export function scanHead(text: string, limits: ScanLimits): Scan {
  const {
    steps,
    tokens = Number.POSITIVE_INFINITY,
    expired,
    until = Number.POSITIVE_INFINITY,
    isPartial = false,
    chunk = defaultChunk,
    onTitle,
  } = limits;
  const progress: Progress = { steps: 0, tokens: 0, hasBody: false, start: -1, end: 0, halt: null };
  const offsets = createOffsets();

  const parser = new Parser({
    treeAdapter: createTree((name) => {
      progress.steps++;
      progress.hasBody ||= name === 'body' || name === 'frameset';
    }),
  });
  const tokenizer = new DocumentTokenizer({ sourceCodeLocationInfo: true }, createTokenFilter(parser, take));
  parser.tokenizer = tokenizer;
  const countHeadChildren = () => parser.headElement?.childNodes.length ?? 0;

  function isOverLimit(openAttributes = 0): boolean {
    return progress.steps + openAttributes > steps || progress.tokens > tokens;
  }

  function mustStopBefore(start: number): boolean {
    if (start >= until || isOverLimit()) return true;
    return progress.tokens % tokensPerTimeCheck === 0 && expired?.() === true;
  }

  const isHalted = () => progress.halt !== null;

  function halt(stop: Scan['stop'], stoppedAt: number): void {
    progress.halt = { stop, stoppedAt };
    tokenizer.pause();
  }

  /** Gives the token to the parser and notes the offsets that it reveals. */
  function processToken<T extends AnyToken>(token: T, start: number, process: (token: T) => void): void {
    const mode = parser.insertionMode;
    const hadHead = parser.headElement !== null;
    const children = countHeadChildren();
    process(token);
    // If the token implied head, an element inserted before it implies head too.
    const impliedHead = !hadHead && parser.headElement !== null && !isHeadTag(token, TokenType.START_TAG);
    if (isHeadMode(mode) || impliedHead) {
      const reference = referenceBefore(token, start, progress, text);
      if (reference !== null) offsets.add(reference, children);
      offsets.add(start, children);
    }
    // Otherwise the end tag was ignored.
    if (isHeadTag(token, TokenType.END_TAG) && mode < parser.insertionMode)
      offsets.setHeadEnd(start, children);
  }

  function take<T extends AnyToken>(token: T, process: (token: T) => void): void {
    if (isHalted()) return;
    progress.tokens++;
    if (token.type >= TokenType.START_TAG) progress.steps += 1 + countAttributes(token);
    const start = startOf(token, progress, text, tokenizer.state);
    if (mustStopBefore(start)) {
      halt('limit', start);
      return;
    }
    const isText = parser.insertionMode === InsertionMode.TEXT;
    if (isText && onTitle !== undefined && isTitleOfHead(parser) && onTitle(textOf(token))) {
      halt('limit', start);
      return;
    }
    // The contents of script, style and title do not matter for the tree, only their end tag.
    if (isText && token.type < TokenType.START_TAG) return;
    processToken(token, start, process);
    progress.start = start;
    progress.end = token.location?.endOffset ?? start;
    if (progress.hasBody) halt('body', start);
    else if (isTag(token) && isHeadMode(parser.insertionMode)) offsets.add(progress.end, countHeadChildren());
  }

  /** Gives the text to the parser. @returns how many characters */
  function feed(): number {
    let read = 0;
    for (;;) {
      const next = text.slice(read, read + chunk);
      read += next.length;
      const isLast = read === text.length;
      tokenizer.write(next, isLast && !isPartial);
      // The tokenizer holds text back until it ends, but its first word can already end head.
      if (!isHalted() && (isPartial || !isLast)) tokenizer.flushCharacters();
      if (isHalted() || isLast) return read;
      // Tags and comments are held back too: one may have 250,000 attributes, or megabytes.
      if (isOverLimit(tokenizer.countOpenAttributes()) || expired?.() === true) {
        halt('limit', progress.end);
        return read;
      }
    }
  }

  const read = feed();
  const { document, headElement: head } = parser;
  const stopped = progress.halt ?? { stop: 'limit', stoppedAt: text.length };
  return { document, head, ...stopped, read, steps: progress.steps, offsets: offsets.list() };
}

/** A subclass of Parser would also see tokens that the parser reprocesses. */
function createTokenFilter(
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

interface Offset {
  readonly offset: number;
  /** How many children head has there. */
  readonly children: number;
}

function createOffsets() {
  let first: Offset | null = null;
  let previous: Offset | null = null;
  let last: Offset | null = null;
  let headEnd: Offset | null = null;

  return {
    add(offset: number, children: number): void {
      if (last?.offset !== offset) previous = last;
      last = { offset, children };
      first ??= last;
    },
    /** The start of the `</head>` that closed head. */
    setHeadEnd(offset: number, children: number): void {
      headEnd = { offset, children };
    },
    /** Best first: before `</head>`, unless head got more children after it; the last, the previous, the first. */
    list(): number[] {
      const best = headEnd?.children === last?.children ? headEnd : null;
      return [...new Set([best, last, previous, first].flatMap((entry) => (entry ? [entry.offset] : [])))];
    },
  };
}

/**
 * Where the token starts. For the end of a file, for which parse5 reports a wrong start: after an unfinished tag, which parse5
 * drops, the end of the last token; after an unfinished comment or doctype, the start of that token.
 */
function startOf(token: AnyToken, progress: Progress, text: string, state: Tokenizer['state']): number {
  const start = token.location?.startOffset ?? 0;
  if (token.type !== TokenType.EOF || state === TokenizerMode.DATA) return start;
  return progress.end < text.length ? progress.end : Math.max(0, progress.start);
}

/** For `head &amp;text` parse5 reports the text at the end of `&amp;`; this finds the `&`. */
function referenceBefore(token: AnyToken, start: number, progress: Progress, text: string): number | null {
  if (token.type !== TokenType.CHARACTER && token.type !== TokenType.NULL_CHARACTER) return null;
  const reference = text.lastIndexOf('&', start);
  return reference > progress.start && reference < start ? reference : null;
}

/** Whether a `<style>` would become a child of head. */
function isHeadMode(mode: InsertionMode): boolean {
  return mode === InsertionMode.IN_HEAD || mode === InsertionMode.AFTER_HEAD;
}

function isTitleOfHead({ openElements, headElement }: Parser<DefaultTreeAdapterMap>): boolean {
  const { current } = openElements;
  if (current === undefined || !('tagName' in current)) return false;
  return current.tagName === 'title' && current.parentNode === headElement;
}

function textOf(token: AnyToken): string | null {
  return 'chars' in token ? token.chars : null;
}

function countAttributes(token: AnyToken): number {
  return isTag(token) ? token.attrs.length : 0;
}

function isTag(token: AnyToken): token is Token.TagToken {
  return token.type === TokenType.START_TAG || token.type === TokenType.END_TAG;
}

function isHeadTag(token: AnyToken, type: Token.TokenType): boolean {
  return isTag(token) && token.type === type && token.tagName === 'head';
}
