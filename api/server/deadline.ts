import type { IncomingMessage, ServerResponse } from 'node:http';

type Exchange = readonly [req: IncomingMessage, res: ServerResponse];

/**
 * Calls `onLate` for a request that is not answered within `ms`. The time in which the client sends a body that a
 * handler reads does not count: Node's `requestTimeout` limits it. A request that is answered within one turn of the
 * event loop costs no timer.
 */
export function createDeadline(
  ms: number,
  onLate: (req: IncomingMessage, res: ServerResponse) => void,
): (req: IncomingMessage, res: ServerResponse) => void {
  let begun: Exchange[] = [];
  const watchRest = () => {
    const all = begun;
    begun = [];
    for (const [req, res] of all)
      if (!res.headersSent && !res.destroyed) runStopwatch(req, res, ms, () => onLate(req, res));
  };
  return (req, res) => {
    if (begun.push([req, res]) === 1) setImmediate(watchRest);
  };
}

function runStopwatch(req: IncomingMessage, res: ServerResponse, ms: number, onOver: () => void): void {
  let left = ms;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function start(): void {
    if (res.headersSent || res.destroyed || timer !== undefined) return;
    startedAt = performance.now();
    timer = setTimeout(() => {
      if (!res.headersSent) onOver();
    }, left);
  }

  function pause(): void {
    if (req.complete || timer === undefined) return; // a body that is here needs no waiting
    clearTimeout(timer);
    timer = undefined;
    left -= performance.now() - startedAt;
  }

  if (!req.complete) {
    req.on('resume', pause); // a handler begins to read the body
    req.once('end', start);
  }
  if (req.complete || !req.readableFlowing) start();
  res.once('close', () => clearTimeout(timer));
}
