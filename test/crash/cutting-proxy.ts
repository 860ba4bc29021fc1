import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../support/listen.ts';

/** An HTTP proxy that loses requests and answers. Each request has a connection of its own. */
export interface CuttingProxy {
  readonly url: string;
  /** How many requests it cut off, by where. */
  readonly cuts: Record<Cut, number>;
  /** Where requests go, at random, from now on. A request to a server that is gone is cut off too. */
  forwardTo(urls: readonly string[]): void;
  close(): Promise<void>;
}

/** `request`: it is not forwarded. `running`: it was forwarded, and nobody waits for the answer. `answer`: that was sent. */
type Cut = 'request' | 'running' | 'answer' | 'dead server';

/** 30 % of the answers are lost, and 5 % of the requests. */
function pickCut(): Cut | null {
  const at = Math.random();
  if (at < 0.05) return 'request';
  if (at < 0.15) return 'running';
  return at < 0.35 ? 'answer' : null;
}

export async function openCuttingProxy(): Promise<CuttingProxy> {
  const cuts: Record<Cut, number> = { request: 0, running: 0, answer: 0, 'dead server': 0 };
  let targets: readonly string[] = [];

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await collect(req);
    const cut = pickCut();
    if (cut === 'request') throw cut;
    const target = targets[Math.floor(Math.random() * targets.length)] ?? '';
    const { method, headers } = req;
    const forwarded = request(new URL(req.url ?? '', target), { method, headers, agent: false });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      forwarded.on('response', resolve).on('error', () => reject('dead server'));
    });
    answered.catch(() => undefined); // nobody waits for it if it is cut off
    await new Promise((resolve) => forwarded.on('error', resolve).end(body, () => resolve(null)));
    if (cut === 'running') {
      await wait(Math.random() * 5);
      forwarded.destroy();
      throw cut;
    }
    const answer = await answered;
    const text = await collect(answer).catch(() => Promise.reject('dead server'));
    if (cut === 'answer') throw cut;
    res.writeHead(answer.statusCode ?? 0, answer.headers).end(text);
  }

  const server = createServer((req, res) => {
    pass(req, res).catch((reason: Cut) => {
      if (reason in cuts) cuts[reason] += 1;
      req.socket.destroy();
    });
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    cuts,
    forwardTo(urls) {
      targets = urls;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function collect(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
