/**
 * Of the viewer: `dropleaf` and the key of a channel, or the times of later loads. It is in the name of the frame, because nothing else
 * outlives a document without an origin, and because Chromium shows a page the fragment with which it was loaded
 * (`performance.getEntries()`), whatever its address is by then.
 */
const mark = /^dropleaf(?: ([\da-f]{32}))?((?: \d{1,15}){0,9})$/;
const mostReloads = 3;
const withinMs = 10_000;

/** What is known of a load. */
interface Load {
  /** null: the page was loaded again in its frame, or is in another one. */
  readonly key: string | null;
  readonly isInViewer: boolean;
  /** The page loads itself again and again, as one does that finds nothing of what it has stored before. */
  readonly isLoop: boolean;
}

/** Call it before the page runs: it finds no name of the viewer. */
export function noteLoad(): Load {
  const found = mark.exec(self.name);
  if (found === null && self.name !== '') return { key: null, isInViewer: false, isLoop: true }; // its own: nothing can be counted
  const [, key = null, times = ''] = found ?? [];
  const now = Date.now();
  const before = times.split(' ').filter((time) => time !== '' && now - Number(time) < withinMs);
  const loads = key === null ? [...before, now].slice(-mostReloads) : [];
  self.name = ['dropleaf', ...loads].join(' ');
  hideMark();
  return { key, isInViewer: found !== null, isLoop: loads.length === mostReloads };
}

/** Until the page gives itself a name it has none, as without us. */
function hideMark(): void {
  const { get, set } = Object.getOwnPropertyDescriptor(self, 'name') ?? {};
  if (get === undefined || set === undefined) return;
  Object.defineProperty(self, 'name', {
    configurable: true,
    enumerable: true,
    get() {
      const name: string = get.call(self);
      return mark.test(name) ? '' : name;
    },
    set(value: unknown) {
      set.call(self, value);
    },
  });
}
