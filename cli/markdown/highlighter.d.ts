/** What this project uses of highlight.js. */
export declare const highlighter: {
  /** undefined: it knows no such language */
  getLanguage(name: string): object | undefined;
  /** `value` is HTML: spans with classes. */
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
};
