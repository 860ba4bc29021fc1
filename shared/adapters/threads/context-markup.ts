import MarkdownIt from 'markdown-it';
import sanitize from 'sanitize-html';

/** More bare addresses than that stay text: looking for their ends can take seconds (linkify-it is quadratic). */
const maxBareLinks = 200;
/** UTF-8 bytes of markup. */
const maxBytes = 512 * 1024;

const plain = createMarkdown(false);
const linking = createMarkdown(true);

const webAddress = /^(https?:|mailto:)/i;

/** What is left of whatever Markdown lets through. The page has the h1, so headings begin a step lower. */
const rules: sanitize.IOptions = {
  allowedTags: [
    ...['h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'ul', 'ol', 'li'],
    ...['strong', 'em', 's', 'a', 'code', 'pre', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  allowedAttributes: { a: ['href', 'rel', 'target'], ol: ['start'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  // Nothing to see and nothing to read out.
  exclusiveFilter: ({ tag, text }) => tag === 'a' && text.trim() === '',
  transformTags: {
    h1: 'h2',
    h2: 'h3',
    h3: 'h4',
    h4: 'h5',
    h5: 'h6',
    a(tagName, { href = '' }) {
      if (!webAddress.test(href)) return { tagName, attribs: {} };
      return { tagName, attribs: { href, rel: 'noopener noreferrer nofollow ugc', target: '_blank' } };
    },
  },
};

/**
 * An agent's reasoning trace as markup that can run nothing and load nothing; null when that is larger than
 * 512 KiB. Hostile text can take its time: not for the event loop.
 * @param text Markdown, from anybody
 */
export function renderMarkdown(text: string): string | null {
  const bareLinks = text.match(/:\/\/|mailto:/gi)?.length ?? 0;
  const markdown = bareLinks <= maxBareLinks ? linking : plain;
  const markup = markdown.render(text);
  return isTooLarge(markup) ? null : unlessTooLarge(sanitize(markup, rules));
}

function unlessTooLarge(markup: string): string | null {
  return isTooLarge(markup) ? null : markup;
}

function isTooLarge(markup: string): boolean {
  return Buffer.byteLength(markup) > maxBytes;
}

function isInLink(tokens: readonly { readonly type: string }[], index: number): boolean {
  for (let at = index - 1; at >= 0; at--) {
    if (tokens[at]?.type === 'link_open') return true;
    if (tokens[at]?.type === 'link_close') return false;
  }
  return false;
}

/** Markup in the text is shown as text. An image becomes a link to it: the browser loads nothing by itself. */
function createMarkdown(linkify: boolean): MarkdownIt {
  const markdown = new MarkdownIt({ html: false, linkify });
  // Three bytes could repeat an address of thousands.
  markdown.disable('reference');
  // Only what begins with http:, https: or mailto:.
  markdown.linkify
    .set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
    .add('ftp:', null)
    .add('//', null);
  markdown.renderer.rules.image = (tokens, index) => {
    const image = tokens[index];
    const { escapeHtml } = markdown.utils;
    const words = escapeHtml(image?.content || 'image');
    if (isInLink(tokens, index)) return words; // that of the link, which can hold no other
    return `<a href="${escapeHtml(String(image?.attrGet('src') ?? ''))}">${words}</a>`;
  };
  return markdown;
}
