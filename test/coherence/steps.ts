import { type Facts, pick } from './history.ts';
import type { Asked } from './readers.ts';

/** A drop as its writer knows it. */
export interface KnownDrop {
  readonly slug: string;
  isRemoved: boolean;
  isLocked: boolean;
  isTakenDown: boolean;
  /** The documents by version number. */
  readonly versions: Map<number, string>;
}

/** A change that a writer may make. */
export interface Step {
  /** How often it is made, compared with the others. */
  readonly weight: number;
  readonly what: string;
  /** Of the API; for the operator `takedown` or `restore`. */
  readonly request: Request | 'takedown' | 'restore';
  readonly sets: Facts;
  /** What to request after it, apart from the raw page. */
  readonly shows?: Asked;
  /** Call it when the change was acknowledged. */
  apply(): unknown;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const mostVersions = 8;
/** Long enough for a rendered page to be worth compressing. */
const filler = 'A page of a report. '.repeat(50);

export function documentOf(name: string): string {
  return `<!doctype html><html><head></head><body><p>Document ${name}</p><p>${filler}</p></body></html>`;
}

/** What may be done to the drop now. @param name a new number, for a document or title */
export function listSteps(drop: KnownDrop, name: number): Step[] {
  const { slug, isLocked, isTakenDown, versions } = drop;
  const path = `/api/drops/${slug}`;
  const remove: Step = {
    ...{ weight: 1, what: 'DELETE', sets: { removed: 'yes' }, request: { method: 'DELETE', path } },
    apply: () => Object.assign(drop, { isRemoved: true }),
  };
  if (isTakenDown) {
    const restore: Step = {
      ...{ weight: 9, what: 'restore', request: 'restore', sets: { takenDown: 'no' } },
      apply: () => Object.assign(drop, { isTakenDown: false }),
    };
    return [remove, restore]; // all else is forbidden
  }
  const takedown: Step = {
    ...{ weight: 2, what: 'takedown', request: 'takedown', sets: { takenDown: 'yes' } },
    apply: () => Object.assign(drop, { isTakenDown: true }),
  };
  const lock: Step = {
    weight: isLocked ? 12 : 2,
    what: isLocked ? 'unlock' : 'lock',
    request: { method: 'POST', path: `${path}/passcode`, body: { passcode: isLocked ? '' : 'open-sesame' } },
    sets: { locked: isLocked ? 'no' : 'yes' },
    shows: 'viewer',
    apply: () => Object.assign(drop, { isLocked: !isLocked }),
  };
  const patch: Step = {
    ...{ weight: 2, what: `PATCH t${name}`, sets: { title: `t${name}` }, shows: 'viewer' },
    request: { method: 'PATCH', path, body: { title: `Title t${name}` } },
    apply: () => undefined,
  };
  const put = putOf(path, versions, `m${name}`);
  return [remove, takedown, lock, patch, put, ...copiesOf(path, versions), ...removalsOf(path, versions)];
}

function putOf(path: string, versions: KnownDrop['versions'], document: string): Step {
  const number = Math.max(...versions.keys()) + 1;
  return {
    ...{ weight: versions.size < mostVersions ? 4 : 0, what: `PUT ${document}` },
    request: { method: 'PUT', path, body: { html: documentOf(document) } },
    sets: { head: document, [`v${number}`]: document },
    apply: () => versions.set(number, document),
  };
}

/** Restores of versions: each becomes the latest once more. */
function copiesOf(path: string, versions: KnownDrop['versions']): Step[] {
  const latest = Math.max(...versions.keys());
  return [...versions].map(([number, document]) => ({
    ...{ weight: number < latest && versions.size < mostVersions ? 1 : 0, what: `POST v/${number}` },
    request: { method: 'POST', path: `${path}/v/${number}/restore` },
    sets: { head: document, [`v${latest + 1}`]: document },
    apply: () => versions.set(latest + 1, document),
  }));
}

/** Of the versions: one has to stay. The latest is removed more often, because the one before is shown then. */
function removalsOf(path: string, versions: KnownDrop['versions']): Step[] {
  if (versions.size === 1) return [];
  const [latest, before] = [...versions.keys()].sort((a, b) => b - a);
  return [...versions.keys()].map((number) => ({
    weight: number === latest ? 4 : 1,
    what: `DELETE v/${number}`,
    request: { method: 'DELETE', path: `${path}/v/${number}` },
    sets: { [`v${number}`]: 'absent', ...(number === latest && { head: versions.get(before ?? 0) ?? '' }) },
    shows: number,
    apply: () => versions.delete(number),
  }));
}

/** Two removals of versions are not: the second decides which version the first leaves as the latest. */
export function areIndependent(first: Step, second: Step): boolean {
  if ([first, second].every(({ what }) => what.startsWith('DELETE v'))) return false;
  return Object.keys(first.sets).every((property) => !(property in second.sets));
}

export function pickByWeight(steps: readonly Step[], random: () => number): Step {
  return pick(
    steps.flatMap((step) => Array<Step>(step.weight).fill(step)),
    random,
  );
}
