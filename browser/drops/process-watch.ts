/** After which silence the process is asked. */
const askAfterMs = 500;
/** Looks come about every 250 ms. After a longer pause this thread was held up itself, and silence says nothing. */
const mostBetweenLooksMs = 1_000;
/** After one as long as this a page has done it, in a browser that runs pages in our process: it asks the person after ten seconds. */
const stoppedMs = 8_000;

/**
 * Whether the process in which all sandboxed pages run answers. It is asked by an empty frame, which loads there in moments unless a
 * script does not end. In browsers that run these pages in our own process it always does, and on a page without the template, too.
 */
export class ProcessWatch {
  /** When it answered last. */
  answeredAt = 0;
  #silentSince = 0;
  #lookedAt = 0;
  #question: HTMLIFrameElement | null = null;

  /** A page has loaded, or the frame. */
  answered(): void {
    this.answeredAt = performance.now();
    this.#silentSince = this.answeredAt;
  }

  /** The silence so far does not count. */
  restartSilence(): void {
    this.#silentSince = performance.now();
    this.#lookedAt = this.#silentSince;
  }

  /** What happened to this thread since the last look. */
  get ownThread(): 'runs' | 'was-held-up' | 'was-stopped' {
    const pauseMs = performance.now() - this.#lookedAt;
    if (pauseMs > stoppedMs) return 'was-stopped';
    return pauseMs > mostBetweenLooksMs ? 'was-held-up' : 'runs';
  }

  /** @param asks if it has not answered for a while @returns for how many milliseconds it has not answered; 0 if it is not asked */
  look(asks: boolean): number {
    const now = performance.now();
    this.#lookedAt = now;
    if (!asks) return 0;
    const silentMs = now - this.#silentSince;
    if (silentMs >= askAfterMs && this.#question === null) this.#ask();
    return silentMs;
  }

  /** Removes the frame, without which the process can end. */
  stop(): void {
    this.#question?.remove();
    this.#question = null;
  }

  /** The frame comes from the page, because our policy forbids scripts to write `srcdoc`. */
  #ask(): void {
    const template = document.querySelector<HTMLTemplateElement>('#empty-frame');
    const frame = template && document.importNode(template.content, true).querySelector('iframe');
    if (!frame) {
      this.answered();
      return;
    }
    this.#question = frame;
    frame.addEventListener('load', () => {
      if (this.#question !== frame) return;
      this.stop();
      this.answered();
    });
    document.body.append(frame);
  }
}
