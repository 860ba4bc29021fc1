import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterLoopTurn } from '../../shared/util/after-loop-turn.ts';

type Exchange = readonly [req: IncomingMessage, res: ServerResponse];

/**
 * Watches requests, and calls `onLate` where nothing has been answered in time. Only our own time counts: not that in
 * which we read a body that the client is still sending, for which Node has a bound of its own. What is answered
 * within a turn of the loop never costs a timer.
 */
export function createDeadline(
  ms: number,
  onLate: (req: IncomingMessage, res: ServerResponse) => void,
): (req: IncomingMessage, res: ServerResponse) => void {
  const watch = afterLoopTurn(([req, res]: Exchange) => {
    if (!res.headersSent && !res.destroyed) runStopwatch(req, res, ms, () => onLate(req, res));
  });
  return (req, res) => watch([req, res]);
}

function runStopwatch(req: IncomingMessage, res: ServerResponse, ms: number, onOver: () => void): void {
  let left = ms;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function start(): void {
    if (res.headersSent || res.destroyed) return;
    startedAt = performance.now();
    timer = setTimeout(() => {
      if (!res.headersSent) onOver();
    }, left);
  }

  function pause(): void {
    if (req.complete || timer === undefined) return; // what is here already makes nobody wait
    clearTimeout(timer);
    timer = undefined;
    left -= performance.now() - startedAt;
  }

  if (!req.complete) {
    req.on('resume', pause); // a handler begins to read the body
    req.once('end', () => {
      if (timer === undefined) start();
    });
  }
  if (req.complete || !req.readableFlowing) start();
  res.once('close', () => clearTimeout(timer));
}
