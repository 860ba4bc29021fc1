/** A page that posts more messages in a second does nothing else: each is a task of the thread that answers the person. */
const mostMessages = 100;
const windowMs = 1_000;

/** Counts the messages of each window. @param flooded gets one that has posted too many in a second @returns hears a message */
export function guardMessages(flooded: (source: Window) => void): (message: MessageEvent) => void {
  const counts = new WeakMap<object, { since: number; messages: number }>();
  return ({ source }) => {
    if (source === null || !('parent' in source)) return; // its frame was removed
    const now = performance.now();
    const known = counts.get(source);
    const count = known !== undefined && now - known.since < windowMs ? known : { since: now, messages: 0 };
    counts.set(source, count);
    count.messages += 1;
    if (count.messages === mostMessages) flooded(source);
  };
}

/** Whether the window is that frame's, or one inside of it. */
export function isInside(source: Window, { contentWindow }: HTMLIFrameElement): boolean {
  for (let window = source; window !== window.parent; window = window.parent)
    if (window === contentWindow) return true;
  return false;
}
