import { defensiveStyle } from '../../../shared/html/insertion.ts';
import { previewPath } from '../../http/paths.ts';
import { open, type Route } from '../../http/route.ts';
import { sendText } from '../../http/send.ts';
import { previewSandbox } from '../../pages/frame.ts';

/** Sizes are not read here, as a render does: photos keep their proportion, and small pictures may lose theirs. */
const style = defensiveStyle({ rules: ':where(img[width],video[width]){height:auto}', firstLayer: null });

/**
 * Tells the title of the document that the page around it sends, or else its first heading, and becomes the document. Only
 * our own pages can send one: drops and other sites have other origins, and at the top no page is around it.
 */
const page = `<!doctype html><meta charset="utf-8"><title>Preview</title><script>
addEventListener('message', ({ data, source, origin }) => {
  if (parent === self || source !== parent || origin !== location.origin) return;
  const inert = new DOMParser().parseFromString(data, 'text/html');
  const titles = [inert.title, ...Array.from(inert.querySelectorAll('h1,h2,h3,h4,h5,h6'), (heading) => heading.textContent)];
  source.postMessage(titles.map((text) => text.replace(/\\s+/g, ' ').trim()).find(Boolean) ?? '', origin);
  document.open();
  document.write(data);
  document.close();
  document.head?.insertAdjacentHTML('afterbegin', ${JSON.stringify(style).replaceAll('<', '\\u003c')}); // its layer is the first
});
</script>
`;

/** The frame of a document that is not published yet. It is nobody's: the document never leaves the browser. */
export const previewRoute: Route = open('GET', previewPath, (_, res) => {
  res.setHeader('Content-Security-Policy', `sandbox ${previewSandbox}; frame-ancestors 'self'`);
  res.removeHeader('Origin-Agent-Cluster'); // it has no origin of its own
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
  sendText(res, 200, 'text/html', page);
});
