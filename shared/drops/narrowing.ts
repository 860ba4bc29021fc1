import type { Caller } from '../accounts/account.ts';
import { requireScope } from '../credentials/scopes.ts';
import { isWider } from './access.ts';
import type { DetailChanges, Drop } from './drop.ts';

/** Whether a token with the scope `publish` may make the change only in some states of the drop. */
export function changesWhatIsGuarded({ access, people, expiresAt }: DetailChanges): boolean {
  return access !== undefined || people !== undefined || expiresAt !== undefined;
}

/** @throws DropError `forbidden`: the token may not show the drop to more people, or decide when it is deleted */
export function requireScopeFor(caller: Caller, drop: Drop, changes: DetailChanges): void {
  const { access = drop.access, people = drop.people, expiresAt = drop.expiresAt } = changes;
  if (isWider(drop, { access, people })) requireScope(caller, 'all', 'Show a drop to more people');
  if (expiresAt !== drop.expiresAt) requireScope(caller, 'all', 'Change when a drop is deleted');
}

/** @param passcode '' removes it @throws DropError `forbidden`: the token may not remove or change the passcode of a drop */
export function requireScopeForPasscode(caller: Caller, { locked }: Drop, passcode: string): void {
  if (locked || passcode === '') requireScope(caller, 'all', 'Remove or change a passcode');
}
