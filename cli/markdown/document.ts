import MarkdownIt from 'markdown-it';
import anchors from 'markdown-it-anchor';
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

export interface MarkdownDocument {
  readonly html: string;
  /** The text without the block of notes that tools keep before it. */
  readonly text: string;
  /** What is shown otherwise than its author may think. */
  readonly warnings: readonly string[];
}

/** A whole document of a text in Markdown, with one style for screens, light and dark, and for paper. */
export function toDocument(markdown: string, { hasHtml, otherTitle }: MarkdownOptions): MarkdownDocument {
  const [notes, text] = splitNotes(markdown);
  const renderer = MarkdownIt({ html: hasHtml, linkify: true, highlight })
    .use(anchors, { slugify, tabIndex: false })
    .use(footnotes)
    .use(taskLists, { label: true });
  renderer.core.ruler.push('new_tabs', ({ tokens }) => tokens.forEach(openElsewhere));
  const env = {}; // of the plug-ins
  const tokens = renderer.parse(text, env);
  const heading = tokens.findIndex(({ type }) => type === 'heading_open');
  const ownTitle = heading === -1 ? '' : plainText(tokens[heading + 1]?.children ?? []);
  const title = ownTitle || titleIn(notes) || otherTitle;
  const html = `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${renderer.utils.escapeHtml(title)}</title>
<style>
${style}</style>
</head>
<body>
<main dir="auto">
${renderer.renderer.render(tokens, renderer.options, env)}</main>
</body>
</html>
`;
  return { html, text, warnings: hasHtml ? [] : warningsOf(text, tokens) };
}

type Token = ReturnType<MarkdownIt['parse']>[number];

/** Lines. */
const longestNotes = 200;

/** Notes begin with a key or a comment; between rules that have text the text stays. */
function splitNotes(markdown: string): [notes: string, text: string] {
  const lines = markdown.split('\n', longestNotes + 2);
  const [first = '', ...others] = lines;
  const end = others.findIndex(isRule);
  const notes = others.slice(0, end).join('\n');
  if (!isRule(first.replace('\ufeff', '')) || end < 1 || !beginsWithKey.test(notes)) return ['', markdown];
  return [notes, markdown.slice(lines.slice(0, end + 2).join('\n').length + 1)];
}

const beginsWithKey = /^\s*(?:#|[^\s:][^:\n]*:(?:\s|$))/;

function isRule(line: string): boolean {
  return line === '---' || line === '---\r';
}

function titleIn(notes: string): string | undefined {
  const title = /^title:(.*)$/m.exec(notes)?.[1]?.trim();
  return title?.replace(/^"(.*)"$|^'(.*)'$/, '$1$2');
}

/** As GitHub does. */
function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Few sites and no other page of the service can be shown in the frame that has the page. */
function openElsewhere({ children }: Token): void {
  for (const token of children ?? [])
    if (token.type === 'link_open' && /^https?:/i.test(token.attrGet('href') ?? ''))
      token.attrSet('target', '_blank');
}

function plainText(children: readonly Token[]): string {
  return children
    .filter(({ type }) => ['text', 'code_inline', 'softbreak'].includes(type))
    .map(({ content, type }) => (type === 'softbreak' ? ' ' : content))
    .join('')
    .trim();
}

function warningsOf(text: string, tokens: readonly Token[]): string[] {
  const inline = (all: readonly Token[]) => all.flatMap(({ children }) => children ?? []);
  const asHtml = MarkdownIt({ html: true }).parse(text, {});
  const isMarkup = ({ type }: Token) => type === 'html_block' || type === 'html_inline';
  const picture = inline(tokens)
    .filter(({ type }) => type === 'text')
    .map(({ content }) => /!\[[^[\]]*\]\([^()]+[()]/.exec(content)?.[0])
    .find((found) => found !== undefined);
  return [
    ...([...asHtml, ...inline(asHtml)].some(isMarkup)
      ? ['HTML in the Markdown is shown as it is written; with --html it is markup']
      : []),
    ...(picture === undefined
      ? []
      : [
          `${picture} is shown as text: the address of a picture with spaces stands in <>, and is no path of this computer`,
        ]),
  ];
}

/** Without a script: spans with classes. @returns '': the text is shown as it is */
function highlight(code: string, language: string): string {
  return highlighter.getLanguage(language) === undefined
    ? ''
    : highlighter.highlight(code, { language }).value;
}
