import { DropError } from '../domain/errors.ts';
import type { StoredIdentity } from '../identities/identity-store.ts';

/** On the list of one drop. */
export const mostPeople = 100;

/** RFC 5321, section 4.5.3.1.3. */
const addressLength = 254;
/** As a provider may name a group (sign-ins/oidc-claims.ts). */
const groupLength = 256;
const groupPrefix = 'group:';

/**
 * One entry of a list of people: `ada@example.org`, `@example.org` for everybody of exactly that domain, `group:NAME`. Addresses in
 * lower case. ASCII alone, so that nobody is taken for another by letters that look alike. null: the text is none of these.
 */
export function readPerson(typed: string): string | null {
  const text = typed.trim();
  if (text.startsWith(groupPrefix)) {
    const name = text.slice(groupPrefix.length);
    return name !== '' && name.length <= groupLength && !/\p{Cc}/u.test(name) ? text : null;
  }
  if (text.length > addressLength) return null;
  const [local = '', domain = '', ...rest] = text.split('@');
  const isAddress = rest.length === 0 && /^[\x21-\x7e]*$/.test(local) && isDomain(domain);
  return isAddress && text.includes('@') ? text.toLowerCase() : null;
}

function isDomain(text: string): boolean {
  return text.split('.').every((label) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(label));
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
  const message = `people must have at most ${mostPeople} entries (got ${people.length}); a domain (@example.org) or a group names many at once`;
  throw new DropError('invalid_arg', message, { field: 'people', max_items: mostPeople });
}
