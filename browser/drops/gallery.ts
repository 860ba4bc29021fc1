import { guardMessages, isInside } from './message-guard.ts';
import { makePageFrame } from './page-frame.ts';
import type { Mark, PageMarks } from './page-marks.ts';
import { ProcessWatch } from './process-watch.ts';
import { nearest, type Run, type Thumbnail } from './thumbnail.ts';

/** Pages that load at a time. */
const mostLoading = 4;
/** Pages at a time: a window of 1440 × 900 pixels shows nine cards whole and three in part. */
const mostShown = 12;
/** A page that has not loaded by then is shown as far as it is, if its process answers. */
const loadMs = 5_000;
/** How long the process of the pages may be silent: longer if only one page is in it, which is called slow then. */
const silenceMs = { together: 1_500, alone: 4_000 };
const lookMs = 250;
/** How long after a page was shown its process must answer, at first and at most. */
const proofMs = { first: 500, most: 8_000 };
/** A page that loads more often, or takes the focus more often, does nothing else. */
const mostRepeats = 3;
/** The process of pages that were removed ends within this time, also if one of them has a loop in `unload`. */
const endMs = 1_000;

/** Pages with the lowest are tried first. */
const ranks: Readonly<Record<Mark, number>> = { suspect: 1, slow: 2, 'stays-slow': 3, floods: 3 };
const rankOf = ({ mark }: Thumbnail) => (mark === null ? 0 : ranks[mark]);

/**
 * Decides which pages are in their frames. All may run in one process, so a script that never ends stops the others. Then all are
 * removed, which ends the process, and those that may have done it come last, alone. A page is called slow only if it stopped a process
 * that no other page was in.
 */
export class Gallery {
  readonly #all: Thumbnail[] = [];
  readonly #marks: PageMarks;
  readonly #watch = new ProcessWatch();
  /** Pages that have loaded since the last stall: until they are as many as load at a time, one loads at a time. */
  #loadedSince = mostLoading;
  /** It was tried last and stopped the process, although proven pages were in it: it comes first, into an empty one. */
  #suspect: Thumbnail | null = null;
  #proofMs = proofMs.first;
  #removedAt = -endMs;
  #restsUntil = 0;
  /** Gets each message that a page posts, to the dashboard or to the frame around the page. */
  readonly hear = guardMessages((source) => this.#flooded(source));
  #filling: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;

  constructor(marks: PageMarks) {
    this.#marks = marks;
  }

  add(thumbnails: readonly Thumbnail[]): void {
    const marks = this.#marks.read();
    for (const thumbnail of thumbnails) {
      thumbnail.mark = marks.get(thumbnail.id) ?? null;
      if (rankOf(thumbnail) > ranks.slow) thumbnail.giveUp();
    }
    this.#all.push(...thumbnails);
  }

  /** Nothing is loaded or removed for so long. */
  rest(ms: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, performance.now() + ms);
  }

  /** Looks after that time, again, which pages are near. */
  fillIn(ms: number): void {
    clearTimeout(this.#filling);
    this.#filling = setTimeout(() => this.#fill(), ms);
  }

  /** The tab is shown again. */
  resume(): void {
    this.#restartWaits();
    this.fillIn(0);
  }

  /** Removes all pages. */
  clear(): void {
    for (const thumbnail of this.#all) this.#remove(thumbnail);
  }

  /** The person leaves: pages that have not loaded yet are not to blame, unless one of them held this thread up until now. */
  forgetLoading(): void {
    if (this.#looking !== undefined && this.#watch.ownThread !== 'runs') return;
    for (const { id, mark } of this.#unproven()) this.#marks.write([id], mark);
  }

  /** @param frame of a page that took the focus */
  tookFocus(frame: Element): void {
    const thumbnail = this.#all.find(({ run }) => run?.frame === frame);
    if (!thumbnail?.run) return;
    thumbnail.run.focuses++;
    if (thumbnail.run.focuses > mostRepeats) this.#giveUp(thumbnail, 'It takes the focus');
  }

  #unproven(): Thumbnail[] {
    return this.#all.filter(({ isUnproven }) => isUnproven);
  }

  #running() {
    return this.#all.flatMap(({ run }) => run ?? []);
  }

  #fill(): void {
    const rest = this.#restsUntil - performance.now();
    if (rest > 0) {
      this.fillIn(rest);
      return;
    }
    const near = nearest(this.#all).slice(0, mostShown);
    for (const thumbnail of this.#all) if (!near.includes(thumbnail)) this.#remove(thumbnail);
    if (!document.hidden) this.#load(this.#next(near.filter(({ run }) => run === null)));
  }

  /** The pages that are loaded now. One with a mark is loaded when nothing else has to be, and nothing else until it is proven. */
  #next(waiting: readonly Thumbnail[]): readonly Thumbnail[] {
    const unproven = this.#unproven();
    if (unproven.some(({ mark }) => mark !== null)) return [];
    if (this.#suspect && waiting.includes(this.#suspect)) return [this.#suspect];
    const unmarked = waiting.filter(({ mark }) => mark === null);
    const loading = unproven.filter(({ isLoading }) => isLoading);
    const most = this.#loadedSince < mostLoading ? 1 : mostLoading;
    if (unmarked.length > 0) return unmarked.slice(0, most - loading.length);
    if (unproven.length > 0) return [];
    return [...waiting].sort((one, other) => rankOf(one) - rankOf(other)).slice(0, 1);
  }

  /** What is noted before helps where a page that never ends stops the dashboard, too: the person reloads it. */
  #load(thumbnails: readonly Thumbnail[]): void {
    if (thumbnails.length === 0) return;
    const ids = [...this.#unproven(), ...thumbnails].map(({ id }) => id);
    this.#marks.write(ids, ids.length === 1 ? 'loads-alone' : 'loads');
    const running = this.#running();
    const isEmpty = running.length === 0 && performance.now() - this.#removedAt >= endMs;
    for (const run of running) run.isAlone = false;
    for (const thumbnail of thumbnails) this.#start(thumbnail, isEmpty && thumbnails.length === 1);
    if (this.#looking !== undefined) return;
    this.#watch.restartSilence();
    this.#looking = setInterval(() => this.#look(), lookMs);
  }

  #start(thumbnail: Thumbnail, isAlone: boolean): void {
    const frame = makePageFrame(thumbnail.page, {
      loaded: () => this.#loaded(thumbnail),
      left: () => this.#giveUp(thumbnail, 'It leads to another site'),
      posted: this.hear,
    });
    const startedAt = performance.now();
    thumbnail.run = { frame, startedAt, shownAt: null, isProven: false, isAlone, loads: 0, focuses: 0 };
    thumbnail.box.append(frame);
  }

  #loaded(thumbnail: Thumbnail): void {
    const { run } = thumbnail;
    if (run === null) return; // it was removed
    if (run.loads > mostRepeats) {
      this.#giveUp(thumbnail, 'It loads again and again');
      return;
    }
    run.loads++;
    thumbnail.show();
    this.#watch.answered();
    this.#loadedSince++;
    if (thumbnail.hasOwnProcess) this.#prove([thumbnail]);
    this.fillIn(0);
  }

  #look(): void {
    const unproven = this.#unproven();
    if (unproven.length === 0) {
      this.#stopLooking();
      return;
    }
    const { ownThread } = this.#watch;
    if (!document.hidden && ownThread === 'was-stopped') this.#stalled(unproven, true);
    else if (document.hidden || ownThread === 'was-held-up') this.#restartWaits();
    else this.#judge(unproven);
  }

  #judge(unproven: readonly Thumbnail[]): void {
    const startedBefore = performance.now() - loadMs;
    const late = unproven.filter(({ run }) => run && run.shownAt === null && run.startedAt < startedBefore);
    const limitMs = silenceMs[this.#running().length === 1 ? 'alone' : 'together'];
    const silentMs = this.#watch.look(unproven.some(({ hasOwnProcess }) => !hasOwnProcess));
    if (silentMs > limitMs || late.some(({ hasOwnProcess }) => hasOwnProcess)) {
      this.#stalled(unproven, false);
      return;
    }
    for (const thumbnail of late) thumbnail.show();
    this.#prove(unproven.filter(({ run }) => this.#isProof(run)));
  }

  /** This thread was held up, or the tab is not shown, where browsers slow pages down. */
  #restartWaits(): void {
    this.#watch.restartSilence();
    for (const { run } of this.#unproven()) if (run) run.startedAt = performance.now();
  }

  #isProof(run: Run | null): boolean {
    return run !== null && run.shownAt !== null && this.#watch.answeredAt - run.shownAt >= this.#proofMs;
  }

  #prove(thumbnails: readonly Thumbnail[]): void {
    if (thumbnails.length === 0) return;
    for (const thumbnail of thumbnails) {
      thumbnail.prove();
      if (thumbnail !== this.#suspect) continue;
      // So one of the others has stopped the process, later than after the time of the proof.
      this.#suspect = null;
      this.#proofMs = Math.min(2 * this.#proofMs, proofMs.most);
    }
    const ids = thumbnails.map(({ id }) => id);
    this.#marks.write(ids, null);
    this.fillIn(0);
  }

  /** @param unproven one of them has stopped the process of the pages @param isOurs the dashboard runs in it, too */
  #stalled(unproven: readonly Thumbnail[], isOurs: boolean): void {
    const only = unproven.length === 1 ? unproven[0] : undefined;
    const wasSuspect = only?.mark === 'suspect';
    if (only && (isOurs || only.mark === 'slow')) this.#giveUpAs(only, 'stays-slow');
    else if (only?.run?.isAlone) this.#giveUpAs(only, 'slow');
    else for (const thumbnail of unproven) thumbnail.mark ??= 'suspect';
    this.#endProcess();
    if (wasSuspect && !only.isGivenUp) this.#suspect = only;
  }

  #giveUpAs(thumbnail: Thumbnail, mark: Mark): void {
    thumbnail.mark = mark;
    this.#giveUp(thumbnail);
    this.#marks.write([thumbnail.id], mark);
    this.#proofMs = proofMs.first;
  }

  /** The page takes the thread that answers the person. It may not even have loaded. */
  #flooded(source: Window): void {
    const thumbnail = this.#all.find(({ run }) => run !== null && isInside(source, run.frame));
    if (thumbnail === undefined) return;
    const isInLoop = thumbnail.isLoading;
    this.#giveUpAs(thumbnail, 'floods');
    if (isInLoop) this.#endProcess();
  }

  /** A loop in a page goes on after its frame was removed, as long as other pages need the process. */
  #endProcess(): void {
    this.#stopLooking();
    this.clear();
    this.#loadedSince = 0;
    this.rest(endMs);
    this.fillIn(endMs);
  }

  #stopLooking(): void {
    this.#watch.stop();
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #giveUp(thumbnail: Thumbnail, reason?: string): void {
    this.#remove(thumbnail);
    thumbnail.giveUp(reason);
    this.fillIn(0);
  }

  #remove(thumbnail: Thumbnail): void {
    if (thumbnail.run === null) return;
    if (thumbnail.isUnproven) this.#marks.write([thumbnail.id], thumbnail.mark);
    if (thumbnail === this.#suspect) this.#suspect = null;
    thumbnail.remove();
    this.#removedAt = performance.now();
    if (this.#running().length === 0) this.#watch.stop();
  }
}
