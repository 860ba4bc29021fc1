export interface SelectedQuote {
  readonly quote: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly position: number;
}

/** What the page in the frame may say. It can be forged: the page is a stranger's. */
export interface PageMessages {
  /** null: nothing is selected. */
  selection(quote: SelectedQuote | null): void;
  /** The numbers of the quotes that are in the page; all others are not. */
  found(ids: readonly number[]): void;
  /** The reader has pressed a quote. */
  pressed(id: number): void;
  /** The reader wants to write a comment. */
  write(): void;
}

/** browser/review.ts sends far fewer. */
const mostPerSecond = 20;
/** So many would keep the viewer busy, although it ignores them. */
const floodPerSecond = 1_000;
/** What the service stores (shared/comments/comment.ts). */
const maxQuote = 1_000;
const maxSide = 64;
const maxThreads = 1_000;

/**
 * A channel to the page, each time that it has loaded. A page that sends too much has none from then on.
 * @param key in the address of the frame: another site there does not know it @returns sends a message
 */
export function openChannel(
  frame: HTMLIFrameElement,
  key: string,
  on: PageMessages & { ready(): void; flooded(): void },
): (message: object) => void {
  let port: MessagePort | null = null;
  let isClosed = false;
  let second = 0;
  let count = 0;

  function isTooMany(): boolean {
    const now = Math.floor(performance.now() / 1000);
    count = now === second ? count + 1 : 1;
    second = now;
    if (count > mostPerSecond) isClosed = true;
    if (isClosed) port?.close();
    if (count === floodPerSecond) on.flooded();
    return isClosed;
  }

  function greet({ source, data }: MessageEvent): void {
    if (source === null || source !== frame.contentWindow || isTooMany()) return;
    if (data?.dropleaf !== 'ready' || data.key !== key) return;
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = (event) => {
      if (!isTooMany()) read(event.data, on);
    };
    frame.contentWindow.postMessage({ dropleaf: 'port' }, '*', [channel.port2]);
    on.ready();
  }

  addEventListener('message', greet);
  return (message) => port?.postMessage(message);
}

/** Anything of another form is ignored. */
function read(data: unknown, on: PageMessages): void {
  if (typeof data !== 'object' || data === null) return;
  const { selection, found, pressed, write } = data as Record<string, unknown>; // proof: an object; each field is checked
  if (selection === null || isQuote(selection)) on.selection(selection);
  else if (Array.isArray(found) && found.length <= maxThreads && found.every(Number.isInteger))
    on.found(found);
  else if (typeof pressed === 'number') on.pressed(pressed);
  else if (write === true) on.write();
}

function isQuote(value: unknown): value is SelectedQuote {
  if (typeof value !== 'object' || value === null) return false;
  const { quote, prefix, suffix, position } = value as Record<string, unknown>; // proof: an object
  const isText = (text: unknown, most: number) => typeof text === 'string' && text.length <= most;
  return (
    isText(quote, maxQuote) &&
    isText(prefix, maxSide) &&
    isText(suffix, maxSide) &&
    Number.isSafeInteger(position)
  );
}
