import { DropError } from '../domain/errors.ts';
import type { DetailChanges, Drop } from './drop.ts';
import { joinPeople } from './people.ts';

/** Changes of a drop as they are asked for: what is added to its list of people, and removed from it, depends on the stored list. */
export type DropChanges = DetailChanges & {
  readonly peopleAdd?: readonly string[];
  readonly peopleRemove?: readonly string[];
};

export type SharingChanges = Pick<DropChanges, 'access' | 'people' | 'peopleAdd' | 'peopleRemove'>;

/**
 * What the changes make of a drop: a drop that leaves access `named` loses its list.
 * @throws DropError `invalid_arg`: people who are named without access `named`, or too many
 */
export function applySharing(
  { peopleAdd, peopleRemove, ...changes }: DropChanges,
  drop: Pick<Drop, 'access' | 'people'>,
): DetailChanges {
  const namesPeople = [changes.people, peopleAdd, peopleRemove].some((list) => list != null);
  if ((changes.access ?? drop.access) !== 'named') {
    if (namesPeople) throw notNamed();
    return changes.access === undefined ? changes : { ...changes, people: null };
  }
  if (!namesPeople) return changes;
  const removed = new Set(peopleRemove);
  const stays = (person: string) => !removed.has(person);
  const listed = changes.people === undefined ? drop.people : changes.people;
  const people = joinPeople((listed ?? []).filter(stays), (peopleAdd ?? []).filter(stays));
  return { ...changes, people: people.length === 0 ? null : people };
}

/** Stands for a drop on which the changes do not depend. */
export const anyDrop = { access: 'link', people: null } as const;

/** Whether `applySharing` needs the drop itself. */
export function dependsOnDrop({ access, people, peopleAdd, peopleRemove }: DropChanges): boolean {
  return (access === undefined && people != null) || peopleAdd !== undefined || peopleRemove !== undefined;
}

function notNamed(): DropError {
  const message = 'people is for access named: send access: "named", too';
  return new DropError('invalid_arg', message, {
    field: 'people',
    fields: [{ field: 'people', code: 'invalid_arg', message }],
  });
}
