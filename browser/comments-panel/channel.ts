import { type PageMessages, read } from './messages.ts';

/** browser/framed.ts sends far fewer. */
const mostPerSecond = 20;
/** So many would keep the viewer busy, although it ignores them. */
const floodPerSecond = 1_000;

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
