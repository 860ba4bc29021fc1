import { make } from '../shared/make.ts';

/**
 * Shows the document as its page will be, in a frame that gets it by a message (api/dashboard/new/preview.ts).
 * @param tellTitle gets the title of the document, or else its first heading; '' if it has none
 */
export function showPreview(section: HTMLElement, html: string, tellTitle: (title: string) => void): void {
  const frame = make('iframe', {
    title: 'Preview',
    className: 'version-frame',
    src: section.dataset.preview ?? '',
  });
  frame.sandbox.add('allow-scripts', 'allow-forms');
  section.querySelector('iframe')?.remove();
  section.append(frame);
  // Its origin has no name. It can be no other page (frame-src).
  frame.addEventListener('load', () => frame.contentWindow?.postMessage(html, '*'), { once: true });
  // Before the document is there. What that sends later is not read.
  window.addEventListener('message', function hear({ source, data }) {
    if (source !== frame.contentWindow) return;
    window.removeEventListener('message', hear);
    tellTitle(String(data));
  });
}
