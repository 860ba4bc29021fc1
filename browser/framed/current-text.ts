import { PageText } from './page-text.ts';
import { quiet } from './quiet.ts';

const mostNames = 1_000;
const observedChanges = {
  childList: true,
  characterData: true,
  subtree: true,
  attributeFilter: ['slot', 'name'], // what is shown in which slot
};

/** null: the page has changed since. */
let current: PageText | null = null;
let observer: MutationObserver | null = null;
const observed = new WeakSet<ShadowRoot>();
const awaited = new Set<string>();
const whenChanged: (() => void)[] = [];

/** The text of the page as it is now. */
export function currentText(): PageText {
  if (current === null) {
    current = new PageText();
    watch(current);
  }
  return current;
}

/** It is read anew: a script may have attached a shadow root, which nothing reports. */
export function forgetText(): void {
  current = null;
}

/** From the first currentText() on. */
export function whenTextChanges(run: () => void): void {
  whenChanged.push(run);
}

function watch({ roots, undefinedNames }: PageText): void {
  if (observer === null) {
    observer = new MutationObserver(quiet(tellChange));
    observer.observe(document, observedChanges);
  }
  for (const root of roots) {
    if (observed.has(root)) continue;
    observed.add(root);
    observer.observe(root, observedChanges);
  }
  for (const name of undefinedNames) {
    if (awaited.has(name) || awaited.size === mostNames) continue;
    awaited.add(name);
    void customElements.whenDefined(name).then(quiet(tellChange));
  }
}

function tellChange(): void {
  forgetText();
  for (const run of whenChanged) run();
}
