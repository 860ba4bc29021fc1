import { PageText } from './page-text.ts';
import { quiet } from './quiet.ts';

const mostNames = 1_000;
/** Firefox looks through all that an observer observes, for each that is added: with more, the time grows with its square. */
const mostObserved = 1_000;
const observedChanges = {
  childList: true,
  characterData: true,
  subtree: true,
  attributeFilter: ['slot', 'name'], // what is shown in which slot
};

/** null: the page has changed since. */
let current: PageText | null = null;
/** The one to which the next tree is added. */
let observer: MutationObserver | null = null;
let observedBy = 0;
const observed = new WeakSet<Document | ShadowRoot>();
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
  observe(document);
  for (const root of roots) observe(root);
  for (const name of undefinedNames) {
    if (awaited.has(name) || awaited.size === mostNames) continue;
    awaited.add(name);
    void customElements.whenDefined(name).then(quiet(tellChange));
  }
}

function observe(tree: Document | ShadowRoot): void {
  if (observed.has(tree)) return;
  observed.add(tree);
  if (observer === null || observedBy === mostObserved) {
    observer = new MutationObserver(quiet(tellChange));
    observedBy = 0;
  }
  observer.observe(tree, observedChanges);
  observedBy += 1;
}

function tellChange(): void {
  forgetText();
  for (const run of whenChanged) run();
}
