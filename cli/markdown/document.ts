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
  /** The text without its front matter. */
  readonly text: string;
  /** What is shown otherwise than its author may think. */
  readonly warnings: readonly string[];
}

/** A whole document of a text in Markdown, with one style for screens, light and dark, and for paper. */
export function toDocument(markdown: string, { hasHtml, otherTitle }: MarkdownOptions): MarkdownDocument {
  const [frontMatter, text] = splitFrontMatter(markdown);
  const renderer = MarkdownIt({ html: hasHtml, linkify: true, highlight })
    .use(anchors, { slugify, tabIndex: false })
    .use(footnotes)
    .use(taskLists, { label: true });
  renderer.core.ruler.push('new_tabs', ({ tokens }) => tokens.forEach(openElsewhere));
  const env = {}; // of the plug-ins
  const tokens = renderer.parse(text, env);
  const heading = tokens.findIndex(({ type }) => type === 'heading_open');
  const ownTitle = heading === -1 ? '' : plainText(tokens[heading + 1]?.children ?? []);
  const title = ownTitle || titleIn(frontMatter) || otherTitle;
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

const maxFrontMatterLines = 200;

/** Front matter stands between two `---` lines, and begins with a key or a comment. Other text between two rules stays. */
function splitFrontMatter(markdown: string): [frontMatter: string, text: string] {
  const lines = markdown.split('\n', maxFrontMatterLines + 2);
  const [first = '', ...others] = lines;
  const end = others.findIndex(isRule);
  const between = others.slice(0, end).join('\n');
  if (!isRule(first.replace('\ufeff', '')) || end < 1 || !beginsWithKey.test(between)) return ['', markdown];
  return [between, markdown.slice(lines.slice(0, end + 2).join('\n').length + 1)];
}

const beginsWithKey = /^\s*(?:#|[^\s:][^:\n]*:(?:\s|$))/;

function isRule(line: string): boolean {
  return line === '---' || line === '---\r';
}

function titleIn(frontMatter: string): string | undefined {
  const title = /^title:(.*)$/m.exec(frontMatter)?.[1]?.trim();
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

/** In a new tab: the frame of the page can show few other sites, and no other page of the service. */
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

/** @param tokens of the text, in which HTML is text */
function warningsOf(text: string, tokens: readonly Token[]): string[] {
  const warnings: string[] = [];
  if (hasMarkup(text))
    warnings.push('HTML in the Markdown is shown as it is written; with --html it is markup');
  const picture = inlineOf(tokens)
    .filter(({ type }) => type === 'text')
    .map(({ content }) => /!\[[^[\]]*\]\([^()]+[()]/.exec(content)?.[0])
    .find((found) => found !== undefined);
  if (picture !== undefined)
    warnings.push(
      `${picture} is shown as text: the address of a picture with spaces stands in <>, and is no path of this computer`,
    );
  return warnings;
}

function hasMarkup(text: string): boolean {
  const tokens = MarkdownIt({ html: true }).parse(text, {});
  return [...tokens, ...inlineOf(tokens)].some(({ type }) => type === 'html_block' || type === 'html_inline');
}

function inlineOf(tokens: readonly Token[]): Token[] {
  return tokens.flatMap(({ children }) => children ?? []);
}

/** Without a script: spans with classes. @returns '': the text is shown as it is */
function highlight(code: string, language: string): string {
  return highlighter.getLanguage(language) === undefined
    ? ''
    : highlighter.highlight(code, { language }).value;
}
