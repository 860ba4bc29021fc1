import { Tokenizer } from 'parse5';

export class DocumentTokenizer extends Tokenizer {
  /** How many attributes an unfinished tag has so far. parse5 compares each with all before it. */
  countOpenAttributes(): number {
    const token = this.currentToken;
    return token !== null && 'attrs' in token ? token.attrs.length : 0;
  }
}
