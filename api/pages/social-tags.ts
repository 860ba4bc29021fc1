import { cardHeight, cardWidth } from '../../shared/cards/card.ts';
import { type Html, html } from '../html/html.ts';
import { cardPath, oembedPath, pageUrl } from '../http/paths.ts';

/** What programs that preview links read in the viewer page. */
export interface SocialParts {
  readonly title: string;
  readonly description: string | null;
  readonly baseUrl: string;
  readonly slug: string;
  /** What the drop's card shows now (`Cards.digest`). */
  readonly cardDigest: string;
}

/** The tags of a public drop: https://ogp.me, cards of X, and https://oembed.com, section 4. */
export function socialTags({ title, description, baseUrl, slug, cardDigest }: SocialParts): Html {
  const url = pageUrl(baseUrl, slug);
  const about =
    description !== null &&
    html`<meta name="description" content="${description}">
<meta property="og:description" content="${description}">
`;
  return html`<link rel="canonical" href="${url}">
<meta property="og:title" content="${title}">
${about}${imageTags(url, baseUrl + cardPath(slug, cardDigest), title)}
${discovery(baseUrl, url, 'json')}
${discovery(baseUrl, url, 'xml')}
`;
}

/** The tags of a locked drop, which say nothing of it. */
export function lockedSocialTags(baseUrl: string, slug: string): Html {
  return html`<meta property="og:title" content="Locked page">
${imageTags(pageUrl(baseUrl, slug), baseUrl + cardPath(slug), 'This page is locked')}
`;
}

function imageTags(url: string, image: string, alt: string): Html {
  return html`<meta property="og:type" content="website">
<meta property="og:site_name" content="Dropleaf">
<meta property="og:url" content="${url}">
<meta property="og:image" content="${image}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${cardWidth}">
<meta property="og:image:height" content="${cardHeight}">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:image" content="${image}">
<meta name="twitter:image:alt" content="${alt}">`;
}

function discovery(baseUrl: string, url: string, format: 'json' | 'xml'): Html {
  const type = format === 'json' ? 'application/json+oembed' : 'text/xml+oembed';
  const href = `${baseUrl}${oembedPath}?${new URLSearchParams({ url, format })}`;
  return html`<link rel="alternate" type="${type}" href="${href}">`;
}
