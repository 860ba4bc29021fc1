import { make } from '../shared/make.ts';

/** What a page does; each may happen again and again. */
interface PageEvents {
  loaded(): void;
  /** It went to another site, which the policy of the dashboard forbids. */
  left(): void;
  /** It, or a frame inside of it, posted a message to its parent. */
  posted(message: MessageEvent): void;
}

/**
 * A frame of ours around that of the page, which the person sees and cannot use. In Chromium `scrollIntoView()` and `focus()`
 * of a page scroll everything around its frame, of whatever origin; they stop at a frame whose position is fixed.
 */
export function makePageFrame(
  page: HTMLIFrameElement,
  { loaded, left, posted }: PageEvents,
): HTMLIFrameElement {
  const around = make('iframe', { inert: true, tabIndex: -1 });
  const fill = () => {
    const { contentDocument } = around;
    if (contentDocument === null) return; // it was removed
    const frame = contentDocument.importNode(page);
    frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0';
    contentDocument.documentElement.style.colorScheme = 'light dark'; // as around the page in the viewer
    frame.addEventListener('load', loaded);
    contentDocument.addEventListener('securitypolicyviolation', left);
    contentDocument.defaultView?.addEventListener('message', posted);
    contentDocument.body.append(frame);
  };
  around.addEventListener('load', fill, { once: true });
  return around;
}
