import { focusedElement } from './flat-tree.ts';
import { quiet } from './quiet.ts';

/** What tells handlers which key it is. */
const names = ['key', 'code', 'keyCode', 'which', 'charCode'] as const;

/**
 * Calls when the reader has pressed and released the key that writes a comment, and nothing in the page can have meant it: the focus
 * is on no field, and no handler of the page has looked which key it was. Until then the page gets each event as the browser sends
 * it, so that it is called after what the page does. First of all listeners of the window, or it does not see all handlers; it does
 * nothing until it is asked.
 */
export function watchKeys({ isAsked, write }: { isAsked(): boolean; write(): void }): void {
  let press: Press | null = null;
  const onKey = (event: KeyboardEvent) => {
    const { type, key } = event;
    if (type === 'keydown') press = isAsked() && mayMeanComment(event) ? new Press() : null;
    const current = press;
    current?.watch(event);
    if (type !== 'keyup') return;
    press = null;
    if (current === null || key !== 'c') return;
    const decide = () => {
      if (!current.isOfPage() && takesNoText(focusedElement())) write();
    };
    setTimeout(quiet(decide));
  };
  for (const type of ['keydown', 'keypress', 'keyup'] as const) addEventListener(type, quiet(onKey), true);
}

/** Whether the key can mean "write a comment", as far as the event and the focus say. */
export function mayMeanComment(event: KeyboardEvent, focused = focusedElement()): boolean {
  const { ctrlKey, metaKey, altKey, shiftKey, repeat, isComposing, isTrusted, defaultPrevented } = event;
  const isHeld = ctrlKey || metaKey || altKey || shiftKey || repeat;
  const isPlain = event.key === 'c' && !isHeld && !isComposing;
  return isPlain && isTrusted && !defaultPrevented && takesNoText(focused);
}

/** The events of one key, and whether a handler of the page has looked at them. */
class Press {
  readonly #events: KeyboardEvent[] = [];
  #wasRead = false;

  /** The event says the same as before. */
  watch(event: KeyboardEvent): void {
    this.#events.push(event);
    for (const name of names) {
      const value = event[name];
      const get = () => {
        this.#wasRead = true;
        return value;
      };
      Object.defineProperty(event, name, { get, configurable: true, enumerable: true });
    }
  }

  isOfPage(): boolean {
    return this.#wasRead || this.#events.some(({ defaultPrevented }) => defaultPrevented);
  }
}

/** The page itself, a link or a button: all else may be an editor. */
function takesNoText(focused: Element | null): boolean {
  if (document.designMode === 'on') return false;
  if (focused === null) return true;
  const { isContentEditable } = focused as HTMLElement; // proof: elements of other kinds have no such field
  const isPage = focused === document.body || focused === document.documentElement;
  const isPlain = isPage || focused.matches('a[href],button,summary');
  return isPlain && !isContentEditable && !focused.hasAttribute('role');
}
