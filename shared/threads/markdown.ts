import MarkdownIt from 'markdown-it';
import sanitize from 'sanitize-html';

/** With more bare URLs none becomes a link: linkify-it takes quadratic time to find where they end. */
const maxBareUrls = 200;
/** UTF-8 bytes of markup. */
const maxBytes = 512 * 1024;

/** Markup that runs and loads nothing; null: above 512 KiB. Hostile text can take long: never call it on the event loop. */
export function renderMarkdown(text: string): string | null {
  const bareUrls = text.match(/:\/\/|mailto:/gi)?.length ?? 0;
  const markup = (bareUrls <= maxBareUrls ? linking : plain).render(text);
  if (isTooLarge(markup)) return null;
  const sanitized = sanitize(markup, rules);
  return isTooLarge(sanitized) ? null : sanitized;
}

function isTooLarge(markup: string): boolean {
  return Buffer.byteLength(markup) > maxBytes;
}

const plain = createMarkdown(false);
const linking = createMarkdown(true);

const allowedLink = /^(https?:|mailto:)/i;

/** The page has the h1, so headings move down one level. */
const rules: sanitize.IOptions = {
  allowedTags: [
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'p',
    'br',
    'hr',
    'blockquote',
    'ul',
    'ol',
    'li',
    'strong',
    'em',
    's',
    'a',
    'code',
    'pre',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
  ],
  allowedAttributes: { a: ['href', 'rel', 'target'], ol: ['start'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  // A link without text is invisible and has no accessible name.
  exclusiveFilter: ({ tag, text }) => tag === 'a' && text.trim() === '',
  transformTags: {
    h1: 'h2',
    h2: 'h3',
    h3: 'h4',
    h4: 'h5',
    h5: 'h6',
    a(tagName, { href = '' }) {
      if (!allowedLink.test(href)) return { tagName, attribs: {} };
      return { tagName, attribs: { href, rel: 'noopener noreferrer nofollow ugc', target: '_blank' } };
    },
  },
};

function isInLink(tokens: readonly { readonly type: string }[], index: number): boolean {
  for (let at = index - 1; at >= 0; at--) {
    if (tokens[at]?.type === 'link_open') return true;
    if (tokens[at]?.type === 'link_close') return false;
  }
  return false;
}

/** HTML in the text is shown as text. An image becomes a link to it, so the browser loads nothing by itself. */
function createMarkdown(linkify: boolean): MarkdownIt {
  const markdown = new MarkdownIt({ html: false, linkify });
  // `[a]` repeated many times could expand to a long address each time.
  markdown.disable('reference');
  // Only URLs with http:, https: or mailto: become links.
  markdown.linkify
    .set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
    .add('ftp:', null)
    .add('//', null);
  markdown.renderer.rules.image = (tokens, index) => {
    const image = tokens[index];
    const { escapeHtml } = markdown.utils;
    const words = escapeHtml(image?.content || 'image');
    if (isInLink(tokens, index)) return words; // links cannot be nested
    return `<a href="${escapeHtml(String(image?.attrGet('src') ?? ''))}">${words}</a>`;
  };
  return markdown;
}
