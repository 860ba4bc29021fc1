import { setTimeout as pause } from 'node:timers/promises';
import { type Change, type History, itemAt } from './history.ts';
import type { Processes, Web } from './processes.ts';
import type { createReader } from './readers.ts';
import { areIndependent, documentOf, type KnownDrop, listSteps, pickByWeight, type Step } from './steps.ts';

const shareOfPairs = 0.15;
const goneKept = 8;

/** Creates drops and changes them, and enters each change in the history. */
export function createWriters(deps: {
  processes: Processes;
  history: History;
  reader: ReturnType<typeof createReader>;
}) {
  const { processes, history, reader } = deps;
  const { webs, operator, token } = processes;
  const drops = new Set<KnownDrop>();
  const gone: string[] = [];
  let lastName = 0;

  const request = (web: Web, method: string, path: string, body?: object) =>
    web.client.request(method, path, { token, ...(body && { body }) });

  async function create(web: Web): Promise<KnownDrop | null> {
    const name = ++lastName;
    const document = `m${name}`;
    const title = `t${name}`;
    const begun = performance.now();
    const body = { title: `Title ${title}`, html: documentOf(document) };
    const answer = await request(web, 'POST', '/api/drops', body).catch(() => null);
    if (answer?.status !== 201) return null; // if the drop exists, no reader has its slug
    const { slug } = answer.body;
    history.changes.push({
      slug,
      what: `POST ${document}`,
      through: web.name,
      begun,
      acknowledged: performance.now(),
      status: 201,
      sets: { removed: 'no', takenDown: 'no', locked: 'no', head: document, v1: document, title },
    });
    const versions = new Map([[1, document]]);
    const drop: KnownDrop = { slug, isRemoved: false, isLocked: false, isTakenDown: false, versions };
    drops.add(drop);
    return drop;
  }

  /** @returns the status */
  async function send(web: Web, slug: string, step: Step): Promise<number> {
    if (typeof step.request === 'string') return operator[step.request](slug).then(() => 200);
    const { method, path, body } = step.request;
    return (await request(web, method, path, body)).status;
  }

  /** Makes a change, and then requests the page of every process at once. @returns whether it was acknowledged */
  async function make({ slug }: KnownDrop, step: Step, web: Web, random: () => number): Promise<boolean> {
    const { what, sets, shows } = step;
    const through = typeof step.request === 'string' ? 'operator' : web.name;
    const unknown: Change = {
      slug,
      what,
      through,
      sets,
      begun: performance.now(),
      acknowledged: Number.POSITIVE_INFINITY,
      status: 0,
    };
    const index = history.changes.push(unknown) - 1;
    const status = await send(web, slug, step).catch(() => 0);
    const isDone = status >= 200 && status < 300;
    const acknowledged = isDone ? performance.now() : unknown.acknowledged;
    history.changes[index] = { ...unknown, acknowledged, status };
    if (isDone) step.apply();
    for (const each of webs) {
      reader.send(each, slug, 'raw', { isBrotli: random() < 0.5, isConditional: random() < 0.5 });
      if (shows !== undefined) reader.send(each, slug, shows, { isBrotli: false, isConditional: false });
    }
    return isDone;
  }

  /** One change, or two at once through two processes. */
  async function change(drop: KnownDrop, index: number, random: () => number): Promise<void> {
    const steps = listSteps(drop, ++lastName);
    const first = pickByWeight(steps, random);
    const second = pickByWeight(steps, random);
    const isPair = random() < shareOfPairs && areIndependent(first, second);
    const outcomes = await Promise.all(
      (isPair ? [first, second] : [first]).map((step, n) =>
        make(drop, step, itemAt(webs, index + n), random),
      ),
    );
    // What is not acknowledged has an unknown state from then on: nothing of it could be a violation.
    if (drop.isRemoved || outcomes.includes(false)) drops.delete(drop);
    if (drop.isRemoved) gone.splice(0, gone.length, drop.slug, ...gone.slice(0, goneKept - 1));
  }

  return {
    /** Those that readers may request. */
    drops: drops as ReadonlySet<KnownDrop>,
    /** The slugs of drops that were deleted last. */
    gone: gone as readonly string[],

    /** Creates a drop and changes it, and then the next, until `isOver`. @param index of the writer */
    async run(index: number, random: () => number, isOver: () => boolean): Promise<void> {
      let drop: KnownDrop | null = null;
      while (!isOver()) {
        if (drop === null || !drops.has(drop)) drop = await create(itemAt(webs, index));
        else await change(drop, index, random);
        await pause(50 + random() * 400);
      }
    },
  };
}
