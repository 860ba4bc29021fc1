import { parentPort } from 'node:worker_threads';

/** One kind of work that has threads of its own. */
interface KindOfWork {
  /** Runs in the thread once, so a thread has only the libraries of its kind. */
  readonly load: () => Promise<(...args: never[]) => unknown>;
  /** JavaScript heap of a thread. */
  readonly maxHeapMb: number;
}

export const kinds = {
  parseJson: {
    load: async () => (await import('../domain/json.ts')).parseJson,
    maxHeapMb: 128, // twice what the largest legal body needs
  },
  findTitle: {
    load: async () => (await import('../html/title.ts')).findTitle,
    maxHeapMb: 64,
  },
  renderPage: {
    load: async () => (await import('./page-render.ts')).renderPage,
    maxHeapMb: 64, // several times what a document of 2 MB needs; a hostile one must not exhaust the process
  },
  framePage: {
    load: async () => (await import('./page-framing.ts')).framePage,
    maxHeapMb: 64,
  },
  renderContext: {
    load: async () => (await import('./markdown.ts')).renderMarkdown,
    maxHeapMb: 64,
  },
  compare: {
    load: async () => (await import('./compare.ts')).compare,
    maxHeapMb: 128, // twice what two documents of 2 MB of line feeds need
  },
  findQuotes: {
    load: async () => (await import('../html/quotes.ts')).findQuotes,
    maxHeapMb: 64,
  },
  checkDocument: {
    load: async () => (await import('../page-checks/check-document.ts')).checkDocument,
    maxHeapMb: 64, // several times what a document of 2 MB needs
  },
  drawCard: {
    load: async () => (await import('./card.ts')).createCardDrawer(),
    maxHeapMb: 64, // the pictures and fonts are outside of it
  },
} as const satisfies Record<string, KindOfWork>;

export type Kind = keyof typeof kinds;
export type Work<K extends Kind> = Awaited<ReturnType<(typeof kinds)[K]['load']>>;

/** What a thread receives. */
export interface Task {
  readonly id: number;
  readonly kind: Kind;
  readonly args: readonly unknown[];
}

let work: Promise<(...args: never[]) => unknown> | undefined;

/** Runs in a thread, always with the same kind. Posts the task's id when its work begins. */
export async function runTask({ id, kind, args }: Task): Promise<unknown> {
  work ??= kinds[kind].load();
  const run = await work;
  parentPort?.postMessage(id);
  return run(...(args as never[])); // proof: the pool of the kind takes the arguments of its work
}
