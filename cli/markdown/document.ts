import MarkdownIt from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import taskLists from 'markdown-it-task-lists';
import { highlighter } from './highlighter.js';
import { style } from './style.ts';

export interface MarkdownOptions {
  /** Whether HTML in the text is markup; else it is shown as it is written. */
  readonly hasHtml: boolean;
  /** The title of a text without a heading. */
  readonly otherTitle: string;
}

/** A whole document of a text in Markdown, with one style for screens, light and dark, and for paper. */
export function toDocument(markdown: string, { hasHtml, otherTitle }: MarkdownOptions): string {
  const text = MarkdownIt({ html: hasHtml, linkify: true, typographer: false, highlight })
    .use(footnotes)
    .use(taskLists, { label: true });
  const env = {}; // of the plug-ins
  const tokens = text.parse(withoutFrontMatter(markdown), env);
  const heading = tokens.findIndex(({ type }) => type === 'heading_open');
  const title = heading === -1 ? '' : plainText(tokens[heading + 1]?.children ?? []);
  const body = text.renderer.render(tokens, text.options, env);
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text.utils.escapeHtml(title || otherTitle)}</title>
<style>
${style}</style>
</head>
<body>
<main dir="auto">
${body}</main>
</body>
</html>
`;
}

/** Tools keep notes of their own in such a block before the text. */
function withoutFrontMatter(markdown: string): string {
  return markdown.replace(/^\ufeff?---\r?\n(?:(?!---\r?$).*\r?\n){0,200}?---\r?(?:\n|$)/m, (block, offset) =>
    offset === 0 ? '' : block,
  );
}

function plainText(children: readonly { readonly content: string; readonly type: string }[]): string {
  return children
    .filter(({ type }) => ['text', 'code_inline', 'softbreak'].includes(type))
    .map(({ content, type }) => (type === 'softbreak' ? ' ' : content))
    .join('')
    .trim();
}

/** Without a script: spans with classes. @returns '': the text is shown as it is */
function highlight(code: string, language: string): string {
  return highlighter.getLanguage(language) === undefined
    ? ''
    : highlighter.highlight(code, { language }).value;
}
