import type { Caller } from '../accounts/account.ts';
import { requireScope } from '../credentials/scopes.ts';
import { type Access, isWider } from './access.ts';
import type { DetailChanges, Drop } from './drop.ts';
import { applySharing } from './sharing.ts';

/** Who may read a new drop; absent: as its account and the service have it, and nobody is named. */
export type NewSharing = Pick<DetailChanges, 'access' | 'people'>;

/**
 * Who may read a new drop: as the request says, else the account, else the service.
 * @throws DropError `invalid_arg` as `applySharing`; `forbidden`: the token may not publish for more people than the account does
 */
export function sharingOfNew(
  caller: Caller,
  sharing: NewSharing,
  { DEFAULT_ACCESS }: { readonly DEFAULT_ACCESS: Access },
): Pick<Drop, keyof NewSharing> {
  const usual = caller.defaultAccess ?? DEFAULT_ACCESS;
  const { access = usual, people } = sharing;
  if (isWider({ access: usual, people: null }, { access, people: null }))
    requireScope(caller, 'all', 'Publish for more people than the account usually does');
  const applied = applySharing(people === undefined ? {} : { people }, { access, people: null });
  return { access, people: applied.people ?? null };
}
