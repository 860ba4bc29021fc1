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
import { HeadOffsets } from './head-offsets.ts';
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
  return new HeadScan(text, limits).run();
}

/** One scan of a document. */
class HeadScan {
  readonly #text: string;
  readonly #limits: ScanLimits;
  readonly #maxTokens: number;
  readonly #until: number;
  readonly #parser: Parser<DefaultTreeAdapterMap>;
  readonly #tokenizer: DocumentTokenizer;
  readonly #offsets = new HeadOffsets();
  readonly #progress: Progress = { steps: 0, tokens: 0, hasBody: false, start: -1, end: 0, halt: null };

  constructor(text: string, limits: ScanLimits) {
    this.#text = text;
    this.#limits = limits;
    this.#maxTokens = limits.tokens ?? Number.POSITIVE_INFINITY;
    this.#until = limits.until ?? Number.POSITIVE_INFINITY;
    this.#parser = new Parser({ treeAdapter: createTree((name) => this.#noteElement(name)) });
    const filter = createTokenFilter(this.#parser, (token, process) => this.#take(token, process));
    this.#tokenizer = new DocumentTokenizer({ sourceCodeLocationInfo: true }, filter);
    this.#parser.tokenizer = this.#tokenizer;
  }

  run(): Scan {
    const read = this.#feed();
    const { document, headElement: head } = this.#parser;
    const { halt, steps } = this.#progress;
    const stopped = halt ?? { stop: 'limit', stoppedAt: this.#text.length };
    return { document, head, ...stopped, read, steps, offsets: this.#offsets.list() };
  }

  /** Gives the text to the parser. @returns how many characters */
  #feed(): number {
    const { chunk = defaultChunk, isPartial = false, expired } = this.#limits;
    let read = 0;
    for (;;) {
      const next = this.#text.slice(read, read + chunk);
      read += next.length;
      const isLast = read === this.#text.length;
      this.#tokenizer.write(next, isLast && !isPartial);
      // The tokenizer holds text back until it ends, but its first word can already end head.
      if (!this.#isHalted() && (isPartial || !isLast)) this.#tokenizer.flushCharacters();
      if (this.#isHalted() || isLast) return read;
      // Tags and comments are held back too: one may have 250,000 attributes, or megabytes.
      if (this.#isOverLimit(this.#tokenizer.countOpenAttributes()) || expired?.() === true) {
        this.#halt('limit', this.#progress.end);
        return read;
      }
    }
  }

  #noteElement(name: string): void {
    this.#progress.steps++;
    this.#progress.hasBody ||= name === 'body' || name === 'frameset';
  }

  #take<T extends AnyToken>(token: T, process: (token: T) => void): void {
    if (this.#isHalted()) return;
    const progress = this.#progress;
    progress.tokens++;
    if (token.type >= TokenType.START_TAG) progress.steps += 1 + countAttributes(token);
    const start = startOf(token, progress, this.#text, this.#tokenizer.state);
    if (this.#mustStopBefore(start) || this.#isTitleEnough(token)) {
      this.#halt('limit', start);
      return;
    }
    // The contents of script, style and title do not matter for the tree, only their end tag.
    if (this.#isInText() && token.type < TokenType.START_TAG) return;
    this.#processToken(token, start, process);
    progress.start = start;
    progress.end = token.location?.endOffset ?? start;
    if (progress.hasBody) this.#halt('body', start);
    else if (isTag(token) && isHeadMode(this.#parser.insertionMode))
      this.#offsets.add(progress.end, this.#countHeadChildren());
  }

  /** Gives the token to the parser and notes the offsets that it reveals. */
  #processToken<T extends AnyToken>(token: T, start: number, process: (token: T) => void): void {
    const parser = this.#parser;
    const mode = parser.insertionMode;
    const hadHead = parser.headElement !== null;
    const children = this.#countHeadChildren();
    process(token);
    // If the token implied head, an element inserted before it implies head too.
    const impliedHead = !hadHead && parser.headElement !== null && !isHeadTag(token, TokenType.START_TAG);
    if (isHeadMode(mode) || impliedHead) {
      const reference = referenceBefore(token, start, this.#progress, this.#text);
      if (reference !== null) this.#offsets.add(reference, children);
      this.#offsets.add(start, children);
    }
    // Otherwise the end tag was ignored.
    if (isHeadTag(token, TokenType.END_TAG) && mode < parser.insertionMode)
      this.#offsets.setHeadEnd(start, children);
  }

  #mustStopBefore(start: number): boolean {
    if (start >= this.#until || this.#isOverLimit()) return true;
    return this.#progress.tokens % tokensPerTimeCheck === 0 && this.#limits.expired?.() === true;
  }

  #isOverLimit(openAttributes = 0): boolean {
    const { steps, tokens } = this.#progress;
    return steps + openAttributes > this.#limits.steps || tokens > this.#maxTokens;
  }

  /** Whether the caller has all that it wants of head's titles. */
  #isTitleEnough(token: AnyToken): boolean {
    const { onTitle } = this.#limits;
    if (onTitle === undefined || !this.#isInText() || !isTitleOfHead(this.#parser)) return false;
    return onTitle(textOf(token));
  }

  /** Whether the token belongs to the contents of script, style or title, or ends them. */
  #isInText(): boolean {
    return this.#parser.insertionMode === InsertionMode.TEXT;
  }

  #isHalted(): boolean {
    return this.#progress.halt !== null;
  }

  #halt(stop: Scan['stop'], stoppedAt: number): void {
    this.#progress.halt = { stop, stoppedAt };
    this.#tokenizer.pause();
  }

  #countHeadChildren(): number {
    return this.#parser.headElement?.childNodes.length ?? 0;
  }
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
