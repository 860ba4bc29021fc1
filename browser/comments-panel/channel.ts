import type { ViewerFrame } from '../viewer/address.ts';
import { type PageMessages, read } from './messages.ts';

/** browser/framed.ts sends far fewer. */
const mostPerSecond = 20;
/** So many would keep the viewer busy, although it ignores them. */
const floodPerSecond = 1_000;

/**
 * A channel to the page, each time that it has loaded (browser/viewer/first-load.ts). A page that sends too much by it has none from then on.
 * What it posts to the viewer otherwise is ignored, such as its height for other sites that frame it, unless it is a flood.
 * @returns sends a message
 */
export function openChannel(
  frame: ViewerFrame,
  on: PageMessages & { ready(): void; flooded(): void },
): (message: object) => void {
  const isTooMany = createCounter(mostPerSecond);
  const isFlood = createCounter(floodPerSecond);
  let isClosed = false;

  function take(): void {
    const { channel } = frame;
    if (channel == null || isClosed) return;
    channel.onmessage = ({ data }) => {
      isClosed ||= isTooMany();
      if (isClosed) channel.close();
      else read(data, on);
    };
    on.ready();
  }

  addEventListener('message', ({ source }) => {
    if (source !== null && source === frame.contentWindow && isFlood()) on.flooded();
  });
  frame.addEventListener('channel', take);
  queueMicrotask(take); // the caller has what this returns
  return (message) => {
    if (!isClosed) frame.channel?.postMessage(message);
  };
}

/** Counts calls. @returns whether there were more in this second */
function createCounter(most: number): () => boolean {
  let second = 0;
  let count = 0;
  return () => {
    const now = Math.floor(performance.now() / 1000);
    count = now === second ? count + 1 : 1;
    second = now;
    return count > most;
  };
}
