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
  const note = (changes: Partial<KnownDrop>) => () => Object.assign(drop, changes);
  const remove: Step = {
    ...step(1, 'DELETE', { method: 'DELETE', path }, { removed: 'yes' }),
    apply: note({ isRemoved: true }),
  };
  if (isTakenDown) {
    const restore = step(9, 'restore', 'restore', { takenDown: 'no' });
    return [remove, { ...restore, apply: note({ isTakenDown: false }) }]; // all else is forbidden
  }
  const passcode = {
    method: 'POST',
    path: `${path}/passcode`,
    body: { passcode: isLocked ? '' : 'open-sesame' },
  };
  const lock = isLocked
    ? step(12, 'unlock', passcode, { locked: 'no' })
    : step(2, 'lock', passcode, { locked: 'yes' });
  const patch = { method: 'PATCH', path, body: { title: `Title t${name}` } };
  return [
    remove,
    { ...step(2, 'takedown', 'takedown', { takenDown: 'yes' }), apply: note({ isTakenDown: true }) },
    { ...lock, shows: 'viewer', apply: note({ isLocked: !isLocked }) },
    { ...step(2, `PATCH t${name}`, patch, { title: `t${name}` }), shows: 'viewer', apply: note({}) },
    putOf(path, versions, `m${name}`),
    ...copiesOf(path, versions),
    ...removalsOf(path, versions),
  ];
}

function step(weight: number, what: string, request: Step['request'], sets: Facts): Omit<Step, 'apply'> {
  return { weight, what, request, sets };
}

function putOf(path: string, versions: KnownDrop['versions'], document: string): Step {
  const number = Math.max(...versions.keys()) + 1;
  const request = { method: 'PUT', path, body: { html: documentOf(document) } };
  const sets = { head: document, [`v${number}`]: document };
  const weight = versions.size < mostVersions ? 4 : 0;
  return { ...step(weight, `PUT ${document}`, request, sets), apply: () => versions.set(number, document) };
}

/** Restores of versions: each becomes the latest once more. */
function copiesOf(path: string, versions: KnownDrop['versions']): Step[] {
  const latest = Math.max(...versions.keys());
  return [...versions].map(([number, document]) => {
    const request = { method: 'POST', path: `${path}/v/${number}/restore` };
    const sets = { head: document, [`v${latest + 1}`]: document };
    const weight = number < latest && versions.size < mostVersions ? 1 : 0;
    const apply = () => versions.set(latest + 1, document);
    return { ...step(weight, `POST v/${number}`, request, sets), apply };
  });
}

/** One version has to stay. The latest is removed more often, because the one before is shown then. */
function removalsOf(path: string, versions: KnownDrop['versions']): Step[] {
  if (versions.size === 1) return [];
  const [latest, before] = [...versions.keys()].sort((a, b) => b - a);
  return [...versions.keys()].map((number) => {
    const request = { method: 'DELETE', path: `${path}/v/${number}` };
    const head = number === latest && { head: versions.get(before ?? 0) ?? '' };
    const removal = step(number === latest ? 4 : 1, `DELETE v/${number}`, request, {
      [`v${number}`]: 'absent',
      ...head,
    });
    return { ...removal, shows: number, apply: () => versions.delete(number) };
  });
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
