/** What an act on a page, an account, a report or a comment is called and does: the same on the pages for operators and in commands. */
export interface ActWords {
  readonly target: 'page' | 'account' | 'report' | 'comment';
  /** Asked on a page before the act. */
  readonly question: string;
  readonly button: string;
  readonly isDangerous: boolean;
  /** What the act does, as sentences. */
  readonly effect: string;
  /** What is true after the act: follows the name of the target. */
  readonly done: string;
  /** The same if there was nothing to do. */
  readonly unchanged: string;
  readonly reason: ReasonRule;
}

/** Pages always ask for a reason. */
interface ReasonRule {
  readonly readers: string;
  /** Whether a command needs one. */
  readonly isRequired: boolean;
}

const forOwner: ReasonRule = { readers: 'the owner and the log', isRequired: true };
const forLog: ReasonRule = { readers: 'the log', isRequired: false };

/** By the names of act.ts. What the log says of an outcome is written by the services: moderation.ts, reports/reports.ts. */
export const actWords = {
  takedown: {
    target: 'page',
    question: 'Take this page down?',
    button: 'Take down',
    isDangerous: true,
    effect:
      'Viewers get 410 at once, for the page and all its versions. The owner still sees it in the dashboard and the API, reads the reason, and can download or delete it. It can be restored later.',
    done: 'is offline: viewers get 410, and the owner sees the reason',
    unchanged: 'is offline already',
    reason: forOwner,
  },
  restore: {
    target: 'page',
    question: 'Put this page online again?',
    button: 'Restore',
    isDangerous: false,
    effect: 'Viewers see the page again.',
    done: 'is online again',
    unchanged: 'is not offline',
    reason: forLog,
  },
  'close-report': {
    target: 'report',
    question: 'Close this report?',
    button: 'Close report',
    isDangerous: false,
    effect: 'The page itself does not change.',
    done: 'is closed',
    unchanged: 'is closed already',
    reason: forLog,
  },
  'close-reports': {
    target: 'page',
    question: 'Close all open reports of this page?',
    button: 'Close all',
    isDangerous: false,
    effect: 'The page itself does not change.',
    done: 'has no open reports any more',
    unchanged: 'has no open reports',
    reason: forLog,
  },
  'delete-comment': {
    target: 'comment',
    question: 'Delete this comment and its replies?',
    button: 'Delete',
    isDangerous: true,
    effect: 'This cannot be undone. The page itself does not change.',
    done: 'is deleted; reports about it stay open until they are closed',
    unchanged: 'was deleted already',
    reason: forLog,
  },
  suspend: {
    target: 'account',
    question: 'Suspend this account?',
    button: 'Suspend',
    isDangerous: true,
    effect:
      'The account becomes read-only: with all its tokens and sessions, existing or new, it can read, revoke tokens and end sessions, and nothing else. Its pages stay online; take them down one by one.',
    done: 'is read-only now; its pages stay online',
    unchanged: 'is suspended already',
    reason: forLog,
  },
  unsuspend: {
    target: 'account',
    question: 'End the suspension of this account?',
    button: 'End the suspension',
    isDangerous: false,
    effect: 'The account is no longer read-only.',
    done: 'can write again',
    unchanged: 'is not suspended',
    reason: forLog,
  },
  'revoke-tokens': {
    target: 'account',
    question: 'Revoke all tokens and end all sessions?',
    button: 'Revoke and end all',
    isDangerous: true,
    effect:
      'All tokens of the account are revoked, and its sessions and approved sign-ins end: its programs and browsers are signed out at once, for good. Its owner can sign in again: to prevent changes, suspend the account.',
    done: 'is signed out everywhere: its tokens are revoked, and its sessions have ended',
    unchanged: 'has no tokens and sessions',
    reason: forLog,
  },
} as const satisfies Readonly<Record<string, ActWords>>;

export type ActWithReason = keyof typeof actWords;
