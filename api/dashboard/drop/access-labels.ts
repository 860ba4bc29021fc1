import { type Access, accesses } from '../../../shared/drops/access.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import { groupPrefix } from '../../../shared/drops/people.ts';
import { type Html, html } from '../../html/html.ts';

/** In forms. */
export const accessNames: Readonly<Record<Access, string>> = {
  link: 'Anyone with the link',
  members: 'Members of this service',
  named: 'Only people whom you name',
};

type Restriction = Pick<Drop, 'access' | 'people'>;

/** `Members`, `3 people`, `Only you`; null: everybody who has the address. Behind a domain or a group are any number of people. */
export function accessText({ access, people }: Restriction): string | null {
  if (access === 'link') return null;
  if (access === 'members') return 'Members';
  const entries = people ?? [];
  if (entries.length === 0) return 'Only you';
  if (!entries.every(isOnePerson)) return `${entries.length} on the list`;
  return entries.length === 1 ? '1 person' : `${entries.length} people`;
}

function isOnePerson(entry: string): boolean {
  return !entry.startsWith('@') && !entry.startsWith(groupPrefix);
}

/** An entry of a list in words. */
export function entryText(entry: string): string {
  if (entry.startsWith(groupPrefix)) return `Group ${entry.slice(groupPrefix.length)}`;
  return entry.startsWith('@') ? `Everybody at ${entry.slice(1)}` : entry;
}

/** The options of a field. */
export function accessOptions(chosen: string): Html[] {
  return accesses.map(
    (access) =>
      html`<option value="${access}"${access === chosen && html` selected`}>${accessNames[access]}</option>`,
  );
}

/** Who may read the page, besides its owner. */
export function readersText({ access, people }: Restriction): string {
  if (access === 'link') return 'Everybody with the link';
  if (access === 'members') return 'Everybody who can sign in here';
  return (people ?? []).length === 0 ? 'Nobody but you' : 'The people on the list';
}
