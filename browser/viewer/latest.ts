import { hideNotice, showNotice } from './notice.ts';

const everyMs = 20_000;
const mostMs = 300_000;
const noticeKey = 'latest';

/** What api/pages/page-parts.ts sends. */
interface Latest {
  readonly latest_version: number;
  readonly id: string;
}

/** Answers after which there is nothing more to ask. */
const ends: Readonly<Record<number, string>> = {
  403: 'This page needs its passcode.',
  404: 'This page was deleted or has expired.',
  410: 'This page is no longer available.',
};

/**
 * Asks when the page becomes visible and every 20 s while it is, less often without an answer. @param path of /latest
 * @param shown the internal id of the version in the frame
 */
export function watchLatest(path: string, shown: string): void {
  let waitMs = everyMs;
  let askedAt = performance.now();
  let timer: number | undefined;
  let hasEnded = false;
  /** The last version that was announced or is in the frame, so that a notice that was dismissed does not come back. */
  let known = shown;

  const plan = () => {
    clearTimeout(timer);
    if (hasEnded || document.hidden) return;
    timer = setTimeout(ask, Math.max(0, askedAt + waitMs - performance.now()));
  };

  async function ask(): Promise<void> {
    askedAt = performance.now();
    const answer = await fetch(path, { cache: 'no-store' }).catch(() => null);
    const end = answer === null ? undefined : ends[answer.status];
    // proof: the service sends nothing else with 200; null if the body is cut off
    const latest = answer?.ok ? ((await answer.json().catch(() => null)) as Latest | null) : null;
    if (end !== undefined) {
      hasEnded = true;
      tell(end, 'Load again');
    } else if (latest !== null) {
      waitMs = everyMs;
      note(latest);
    } else waitMs = Math.min(waitMs * 2, mostMs);
    plan();
  }

  function note({ latest_version: number, id }: Latest): void {
    if (id === known) return;
    known = id;
    hideNotice(noticeKey);
    // It may be the one in the frame again, if a later one was deleted.
    if (id !== shown) tell(`Version ${number} is available.`, `Show version ${number}`);
  }

  document.addEventListener('visibilitychange', plan);
  plan();
}

function tell(text: string, label: string): void {
  showNotice({ key: noticeKey, text, actions: [{ label, run: load }] });
}

/** Loads the page again, which has no `v` in its address. Some browsers keep the address of a frame over a reload. */
function load(): void {
  const { pathname, search, hash } = location;
  if (hash === '') location.assign(pathname + search);
  else location.reload(); // a new address that differs in nothing but the hash would load nothing
}
