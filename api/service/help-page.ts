import MarkdownIt from 'markdown-it';
import { splitList } from '../../shared/config/config.ts';
import { sizeText } from '../html/elements.ts';
import { html, raw } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { helpPath, securityTxtPath } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendPage } from '../http/send.ts';
import { readServedText } from './served-text.ts';

/** GET /help: the service in plain words, for viewers and owners. */
export function helpRoutes({ services: { config }, layout }: RouteParts): readonly Route[] {
  const text = readServedText('help.md', config, {
    MAX_SIZE: sizeText(config.HTML_MAX_BYTES),
    SECURITY: securitySentence(splitList(config.SECURITY_CONTACT)),
  });
  const help = layout.page(helpPage(text));
  return [
    open('GET', helpPath, (_req, res) => {
      res.setHeader('Cache-Control', 'no-cache');
      sendPage(res, 200, help);
    }),
  ];
}

/** @param text Markdown of ours. Each section begins with its id and title: `## viewers: I was sent a page` */
function helpPage(text: string): PageParts {
  const renderer = new MarkdownIt();
  const [intro = '', ...parts] = text.split(/^## /m);
  const sections = parts.map((part) => {
    const [, id = '', title = '', body = ''] = /^(\w+): (.*)\n([\s\S]*)$/.exec(part) ?? [];
    return { id, title, body };
  });
  return {
    title: 'Help',
    styles: ['docs'],
    body: html`<header><h1>Help</h1>${raw(renderer.render(intro))}</header>
<nav aria-label="Contents"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<article>
${sections.map(({ id, title, body }) => html`<section id="${id}"><h2>${title}</h2>\n${raw(renderer.render(body))}</section>\n`)}</article>`,
  };
}

/** Where a weakness of the service is reported, as a sentence in Markdown. */
function securitySentence(contacts: readonly string[]): string {
  if (contacts.length === 0) return '';
  const links = contacts.map((url) => `[${url.replace(/^\w+:(\/\/)?/, '')}](<${url}>)`);
  return ` About a weakness of this service: ${links.join(', ')} ([security.txt](${securityTxtPath})).`;
}
