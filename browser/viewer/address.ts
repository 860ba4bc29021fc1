/** The viewer's frame, as browser/viewer/first-load.ts leaves it. */
export interface ViewerFrame extends HTMLIFrameElement {
  /** To the page that is in the frame, if that has the script browser/framed.ts. An event `channel` tells of another one. */
  channel?: MessagePort | null;
}

/** Whether the hash names a comment, which is shown beside the page. Any other is the page's own. */
export function namesThread(hash: string): boolean {
  return /^#t-[\da-f]{32}$/.test(hash);
}

/** What of the viewer's address is for the page. */
export function pageHash(): string {
  return namesThread(location.hash) ? '' : location.hash;
}

/** The address of the page in the frame without hash. */
export function pageAddress(frame: HTMLIFrameElement): string {
  return frame.src.split('#', 1)[0] ?? '';
}
