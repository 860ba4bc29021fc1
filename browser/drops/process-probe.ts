/**
 * Whether the process of sandboxed pages answers within `ms`: an empty frame that runs nothing loads there in moments, unless a script
 * does not end. In browsers that run these pages in our own process it says yes, and on a page without the template, too. The frame
 * comes from the page, because our policy forbids scripts to write `srcdoc`.
 */
export async function answersWithin(ms: number): Promise<boolean> {
  const template = document.querySelector<HTMLTemplateElement>('#empty-frame');
  const probe = template && document.importNode(template.content, true).querySelector('iframe');
  if (!probe) return true;
  return new Promise<boolean>((resolve) => {
    probe.addEventListener('load', () => resolve(true), { once: true });
    setTimeout(() => resolve(false), ms);
    document.body.append(probe);
  }).finally(() => probe.remove());
}
