import { isDomain, readAddress } from '../domain/email.ts';
import { DropError } from '../domain/errors.ts';
import type { StoredIdentity } from '../identities/identity-store.ts';

/** On the list of one drop. */
export const mostPeople = 100;

/** As a provider may name a group (sign-ins/oidc-claims.ts). */
const groupLength = 256;
export const groupPrefix = 'group:';

/**
 * One entry of a list of people: `ada@example.org`, `@example.org` for everybody of exactly that domain, `group:NAME`. Addresses in
 * lower case (`readAddress`). null: the text is none of these.
 */
export function readPerson(typed: string): string | null {
  const text = typed.trim();
  if (text.startsWith(groupPrefix)) {
    const name = text.slice(groupPrefix.length);
    return name !== '' && name.length <= groupLength && !/\p{Cc}/u.test(name) ? text : null;
  }
  if (!text.startsWith('@')) return readAddress(text);
  return isDomain(text.slice(1)) ? text.toLowerCase() : null;
}

/** The entries that name a person with these identities. An address counts only if its provider has verified it. */
export function entriesOf(identities: readonly Pick<StoredIdentity, 'email' | 'groups'>[]): Set<string> {
  const entries = new Set<string>();
  for (const { email, groups } of identities) {
    for (const group of groups) entries.add(groupPrefix + group);
    if (email === null) continue;
    entries.add(email);
    entries.add(email.slice(email.lastIndexOf('@')));
  }
  return entries;
}

/** Each once, in the order in which they were added. @throws DropError `invalid_arg`: more than a list may have */
export function joinPeople(listed: readonly string[], added: readonly string[]): string[] {
  const people = [...new Set([...listed, ...added])];
  if (people.length <= mostPeople) return people;
  throw new DropError('invalid_arg', tooManyPeople('people', people.length), {
    field: 'people',
    max_items: mostPeople,
  });
}

export function tooManyPeople(field: string, count: number): string {
  return `${field} must have at most ${mostPeople} entries (got ${count}); a domain (@example.org) or a group names many at once`;
}
