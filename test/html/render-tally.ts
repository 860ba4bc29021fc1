import { planRender } from '../../shared/html/plan.ts';
import { findBest, isRendered, judge, judgeWithoutScripts } from './render-oracle.ts';

export interface Tally {
  /** What must never be. */
  readonly faults: readonly { readonly html: string; readonly fault: string }[];
  readonly counts: Readonly<Record<keyof ReturnType<typeof noCounts>, number>>;
}

/** Plans documents, and has each page judged by full parses. */
export function tally(documents: Iterable<string>): Tally {
  const faults: { html: string; fault: string }[] = [];
  const counts = noCounts();
  for (const html of documents) {
    const bytes = Buffer.from(html);
    const { outcome, fault, changesWithoutScripts } = examine(bytes);
    counts[outcome] += 1;
    if (changesWithoutScripts) counts['other without scripts'] += 1;
    if (fault !== null) faults.push({ html, fault });
  }
  return { faults, counts };
}

const noCounts = () => ({
  'style last in head': 0,
  'style in head, and no place is later': 0,
  'rendered before': 0,
  'no place in it': 0,
  'other without scripts': 0,
});

const anyInsertion = planRender(new Uint8Array()).insertion;

function examine(html: Uint8Array) {
  const plan = planRender(html);
  const { difference, style, page } = judge(html, plan);
  const changesWithoutScripts = judgeWithoutScripts(html, plan) !== null;
  const outcome = (of: keyof ReturnType<typeof noCounts>, fault: string | null) => ({
    outcome: of,
    fault,
    changesWithoutScripts,
  });

  if (plan.insertion === '') {
    if (isRendered(html)) return outcome('rendered before', difference);
    const best = findBest(html, { ...plan, insertion: anyInsertion });
    return outcome('no place in it', best === 'absent' ? difference : `a place is ${best}`);
  }
  const again = planRender(Buffer.from(page)).insertion;
  const fault =
    difference ??
    (again === '' ? null : 'it is not idempotent') ??
    (plan.isWhole ? null : 'it was not read to the end of head');
  if (style === 'last') return outcome('style last in head', fault);
  const isBest = findBest(html, plan) !== 'last';
  return outcome('style in head, and no place is later', fault ?? (isBest ? null : 'another place is last'));
}
