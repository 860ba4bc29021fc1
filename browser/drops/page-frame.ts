/** A page that the person sees and cannot use. */
export interface PageFrame {
  /** In the dashboard. */
  readonly element: HTMLIFrameElement;
  /** The page may share a process with pages of other drops. */
  readonly sharesProcess: boolean;
}

/** What a page does; each may happen again and again. */
export interface PageEvents {
  loaded(): void;
  /** It went to another site, which the policy of the dashboard forbids. */
  left(): void;
}

/**
 * A frame of ours around that of the page. In Chromium `scrollIntoView()` and `focus()` of a page scroll everything around
 * its frame, of whatever origin; they stop at a frame whose position is fixed.
 * @param template has the frame of the page
 */
export function makePageFrame(template: HTMLTemplateElement, events: PageEvents): PageFrame {
  const page = template.content.querySelector('iframe');
  if (page === null) throw new Error('the template has no frame');
  const element = document.createElement('iframe');
  element.inert = true;
  element.tabIndex = -1;
  element.addEventListener('load', () => fill(element, page, events), { once: true });
  return { element, sharesProcess: !page.sandbox.contains('allow-same-origin') };
}

function fill({ contentDocument }: HTMLIFrameElement, page: HTMLIFrameElement, events: PageEvents): void {
  if (contentDocument === null) return; // it was removed
  const frame = contentDocument.importNode(page);
  frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0';
  contentDocument.documentElement.style.colorScheme = 'light dark'; // as around the page in the viewer
  frame.addEventListener('load', events.loaded);
  contentDocument.addEventListener('securitypolicyviolation', events.left);
  contentDocument.body.append(frame);
}
