import type { DropStore } from '../../shared/drops/drop-store.ts';
import type { DropTarget } from '../../shared/drops/revision.ts';
import { aVersion, later } from './records.ts';

/** @param number of an existing version */
type ChangeOfOwner = (drops: DropStore, target: DropTarget, number?: number) => Promise<unknown>;

/** Every change that a takedown forbids. */
export const changesOfOwner: readonly (readonly [name: string, change: ChangeOfOwner])[] = [
  [
    'addVersion',
    (drops, target) =>
      drops.addVersion(target, aVersion({ createdAt: later }), { title: 'New' }, 200, ['render']),
  ],
  [
    'changeDetails',
    (drops, target) => {
      const changes = { title: 'New', description: 'new', metadata: new Map([['c', 'd']]) };
      return drops.changeDetails(target, changes, later, ['purge']);
    },
  ],
  ['setLock', (drops, target) => drops.setLock(target, { id: 'l', hash: 'h' }, later, ['purge'])],
  ['removeVersion', (drops, target, number = 1) => drops.removeVersion(target, number, later, ['purge'])],
];

/** Every change of a drop. */
export const everyChange: typeof changesOfOwner = [
  ...changesOfOwner,
  ['remove', (drops, target) => drops.remove(target, later)],
];
