import { make } from '../shared/make.ts';

/**
 * Whether the process of sandboxed pages answers within `ms`: an empty frame that runs nothing loads there in moments, unless a script
 * does not end. In browsers that run these pages in our own process it says yes.
 */
export function answersWithin(ms: number): Promise<boolean> {
  const probe = make('iframe', { hidden: true, srcdoc: '<!doctype html>' });
  probe.sandbox.value = '';
  return new Promise<boolean>((resolve) => {
    probe.addEventListener('load', () => resolve(true), { once: true });
    setTimeout(() => resolve(false), ms);
    document.body.append(probe);
  }).finally(() => probe.remove());
}
