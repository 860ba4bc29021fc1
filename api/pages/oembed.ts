import type { Request, Response } from 'express';
import { cardHeight, cardWidth } from '../../shared/cards/card.ts';
import { DropError, notFound } from '../../shared/domain/errors.ts';
import { isRestricted } from '../../shared/drops/access.ts';
import type { Page } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { readPageAddress } from '../../shared/pages/page-address.ts';
import { html, toText } from '../html/html.ts';
import { HttpError } from '../http/http-error.ts';
import { cardPath, pageUrl, rawPath } from '../http/paths.ts';
import { sendJson, sendText } from '../http/send.ts';
import { ContentHosts } from './content-hosts.ts';
import { refuseTakenDown } from './public-page.ts';
import { sandbox, sandboxOnOwnHost } from './raw-headers.ts';

/** The size of an embedded page, unless the website asks for less. */
const frameWidth = 800;
const frameHeight = 600;

/** The fields of an answer in their order. */
type Embed = Readonly<Record<string, string | number>>;

/** GET /oembed (https://oembed.com): `rich`, the raw page in a sandboxed frame; a locked drop is a `link` without title; a restricted one is not found. */
export function oembedHandler(services: Services) {
  const { pages, cards, config } = services;
  const { BASE_URL } = config;
  const contentHosts = ContentHosts.from(config.CONTENT_ORIGIN);

  function embedOf(page: Page, query: URLSearchParams): Embed {
    const common = { version: '1.0', provider_name: 'Dropleaf', provider_url: BASE_URL };
    if (page.lock !== null) return { type: 'link', ...common, title: 'Locked page' };
    const { title, slug, dropId } = page;
    const ownOrigin = contentHosts?.originOf(dropId) ?? null;
    const src = (ownOrigin ?? BASE_URL) + rawPath(slug);
    const width = atMost(query.get('maxwidth'), frameWidth);
    const height = atMost(query.get('maxheight'), frameHeight);
    const tokens = ownOrigin === null ? sandbox : sandboxOnOwnHost;
    const frame = html`<iframe src="${src}" title="${title}" width="${width}" height="${height}" sandbox="${tokens}" allow="fullscreen" loading="lazy" referrerpolicy="no-referrer" style="border:0"></iframe>`;
    return {
      type: 'rich',
      ...common,
      title,
      html: toText(frame),
      width,
      height,
      thumbnail_url: BASE_URL + cardPath(slug, cards.digest(page)),
      thumbnail_width: cardWidth,
      thumbnail_height: cardHeight,
    };
  }

  return async (req: Request, res: Response): Promise<void> => {
    res.setHeader('Cache-Control', 'private, no-store'); // after a lock nothing may tell the title
    const query = new URL(req.url, BASE_URL).searchParams;
    const format = query.get('format') ?? 'json';
    if (format !== 'json' && format !== 'xml') {
      const message = 'format must be "json" or "xml"';
      throw new HttpError(501, 'invalid_arg', message, { field: 'format' });
    }
    const page = await pages.find(slugOf(query.get('url'), BASE_URL), null);
    if (isRestricted(page)) throw notFound('page'); // no frame on another site gets the cookie
    refuseTakenDown(page);
    const embed = embedOf(page, query);
    if (format === 'json') sendJson(res, embed);
    else sendText(res, 200, 'text/xml', toXml(embed));
  };
}

/** @param text the address of a viewer page of this service, as a person copies it @throws DropError `invalid_arg`, `not_found` */
function slugOf(text: string | null, baseUrl: string): string {
  if (text === null || !URL.canParse(text)) {
    const message = `url must be the address of a page, such as ${pageUrl(baseUrl, 'abc')}`;
    throw new DropError('invalid_arg', message, { field: 'url' });
  }
  const address = readPageAddress(text, baseUrl);
  if (address?.host !== new URL(baseUrl).host) throw notFound('page');
  return address.slug;
}

/** What the website asks for, if that is a smaller number of pixels. */
function atMost(asked: string | null, most: number): number {
  return asked !== null && /^[1-9]\d{0,4}$/.test(asked) ? Math.min(Number(asked), most) : most;
}

/** XML 1.0 has no way to write other control characters, or half of a pair. */
const notInXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function toXml(embed: Embed): string {
  const fields = Object.entries(embed).map(([name, value]) => {
    const escaped = toText(html`${String(value).replace(notInXml, '')}`);
    return `<${name}>${escaped}</${name}>`;
  });
  return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>${fields.join('')}</oembed>\n`;
}
