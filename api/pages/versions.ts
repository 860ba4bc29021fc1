import type { Request, Response } from 'express';
import type { Version } from '../../shared/domain/drop.ts';
import type { Services } from '../../shared/open-services.ts';
import { html } from '../html/html.ts';
import type { Layout, PageParts } from '../html/layout.ts';
import { timeTag } from '../html/parts.ts';
import { isNavigation } from '../http/answer-error.ts';
import { pagePath } from '../http/paths.ts';
import { sendJson, sendPage } from '../http/send.ts';
import { createGate } from './gate.ts';

/** What browser/viewer/menus.ts reads: what everybody may know of a version. */
export interface PublicVersion {
  readonly version: number;
  /** Unix ms. */
  readonly created_at: number;
}

/**
 * GET /p/{slug}/versions, newest first: a page for a person, JSON for the menu of the viewer, which asks when it is
 * opened. The viewer page itself reads no list of versions.
 */
export function publicVersionsHandler(services: Services, layout: Layout) {
  const { pages } = services;
  const gate = createGate(services);

  return async (req: Request, res: Response): Promise<void> => {
    const page = await gate.open(req, res, null);
    const versions = await pages.versions(page);
    // Not `no-cache`: going back, a browser would show the JSON in place of the page.
    res.setHeader('Cache-Control', 'private, no-store');
    if (isNavigation(req)) sendPage(res, 200, layout.page(versionsPage(page.slug, page.title, versions)));
    else sendJson(res, versions.map(present));
  };
}

function present({ number, createdAt }: Version): PublicVersion {
  return { version: number, created_at: createdAt };
}

export function versionsPage(slug: string, title: string, versions: readonly Version[]): PageParts {
  const address = (number: number, index: number) =>
    index === 0 ? pagePath(slug) : `${pagePath(slug)}?v=${number}`;
  return {
    title: `Versions of ${title}`,
    body: html`<h1>Versions</h1>
<p class="soft" dir="auto">${title}</p>
<ul class="versions">
${versions.map(
  ({ number, createdAt }, index) =>
    html`<li><a href="${address(number, index)}">Version ${number}</a>${index === 0 && ' (latest)'} <span class="soft">${timeTag(createdAt)}</span></li>\n`,
)}</ul>`,
    scripts: ['shared'],
    styles: ['viewer-versions'],
  };
}
