import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeTempDir } from '../test/support/temp-dir.ts';
import type { ProcessFigures } from './loop-watch.ts';
import type { listEngines } from './served.ts';

/** A service whose processes tell of their event loops. */
export interface Subject {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly processes: readonly string[];
  /** Of each process by its name, since the last time. */
  takeLoops(): Promise<Readonly<Record<string, ProcessFigures>>>;
  close(): Promise<void>;
}

/** @param settings other than the defaults, of every process */
export async function openSubject(
  { engine, serve }: ReturnType<typeof listEngines>[number],
  settings: Readonly<Record<string, string>> = {},
): Promise<Subject> {
  const dir = makeTempDir();
  const watches = new Map<string, ReturnType<typeof watchLoop>>();
  const { url, token, close } = await serve((process) => {
    const watch = watchLoop(dir, process);
    watches.set(process, watch);
    return { ...settings, ...watch.env };
  });
  return {
    name: `${engine} engine`,
    url,
    token,
    processes: [...watches.keys()],
    async takeLoops() {
      const loops: Record<string, ProcessFigures> = {};
      for (const [process, watch] of watches) loops[process] = await watch.take();
      return loops;
    },
    async close() {
      await close();
      rmSync(dir, { recursive: true });
    },
  };
}

function watchLoop(dir: string, name: string) {
  const path = join(dir, `${name}.loop`);
  const file = new URL('./loop-watch.js', import.meta.url);
  return {
    env: { NODE_OPTIONS: `--import ${file}`, LOOP_WATCH: path },
    async take(): Promise<ProcessFigures> {
      let text = '';
      for await (const piece of connect(path).setEncoding('utf8')) text += piece;
      return JSON.parse(text);
    },
  };
}
