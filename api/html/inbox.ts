import { inboxAtMost, newsOf, type WaitingCounts } from '../../shared/comments/inbox.ts';

/** `3`, or `99+`: counting ends there. */
export function cutNumber(count: number): string {
  return count < inboxAtMost ? String(count) : `${inboxAtMost - 1}+`;
}

/** What stands in the header and in the title. null: nothing waits, or nobody knows. */
export function inboxNumber(inbox: WaitingCounts | null): string | null {
  const waits = inbox === null ? 0 : inbox.asking + inbox.held + newsOf(inbox);
  return waits === 0 ? null : cutNumber(waits);
}
