import { addedLater, listOfTexts, oneOf, orAbsent } from '../domain/record.ts';

/** The passcode of a drop. Cookies name its `id`, so they open nothing once it was changed. */
export interface Lock {
  readonly id: string;
  /** argon2id, encoded. */
  readonly hash: string;
}

/** Who may read a drop, besides its owner: everybody who has its address, every account, those on its list. The widest first. */
export const accesses = ['link', 'members', 'named'] as const;

export type Access = (typeof accesses)[number];

export const accessField = addedLater(oneOf(accesses), 'link');

/** Of a `named` drop: `ada@example.org`, `@example.org`, `group:NAME`, each once. null: nobody is named. */
export const peopleField = addedLater(orAbsent(listOfTexts()), null);

/**
 * The lock that is stored with a restricted drop without a passcode. Processes and imports of earlier releases know nothing of
 * access, and keep the drop closed by it: its hash is random, so that no passcode opens it.
 */
export const accessLock: Lock = {
  id: 'acce5500000000000000000000000000',
  hash: '$argon2id$v=19$m=8,t=1,p=1$soD8sLkiSw4pEpXcAAUdVw$iE8NVy8qp4tbNHDwR3LHVcw/EqC+4YUOea+H3O8aUVk',
};

/** Who may read a drop. */
interface Readers {
  readonly access: Access;
  readonly people: readonly string[] | null;
}

/** Whether the second lets somebody read the drop whom the first does not name: also a person of a domain that it names. */
export function isWider(from: Readers, to: Readers): boolean {
  if (from.access !== to.access) return accesses.indexOf(to.access) < accesses.indexOf(from.access);
  return (to.people ?? []).some((person) => from.people?.includes(person) !== true);
}

export function isRestricted({ access }: { readonly access: Access }): boolean {
  return access !== 'link';
}

/** Whether everybody who has the address may read the page: only then a cache may keep it, and only then it has an ETag. */
export function isPublic({ lock, access }: { readonly lock: Lock | null; readonly access: Access }): boolean {
  return lock === null && access === 'link';
}

/** What is stored. @param lock null: no passcode */
export function storedLock(lock: Lock | null, access: Access): Lock | null {
  return lock ?? (access === 'link' ? null : accessLock);
}

/**
 * Who may read a stored drop. An earlier release that exports or copies a restricted drop keeps its lock and loses its access: then
 * the owner alone reads it, until they say who else may.
 */
export function accessWith(stored: Lock | null, access: Access): Access {
  return access === 'link' && stored?.id === accessLock.id ? 'named' : access;
}

/** null: no passcode. @param stored by this release or an earlier one */
export function passcodeLock(stored: Lock | null): Lock | null {
  return stored?.id === accessLock.id ? null : stored;
}
