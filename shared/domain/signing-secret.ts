/** What cookies and grants are sealed with, and codes hashed. One follows another, so that each can be replaced. */
export interface SigningSecret {
  readonly value: string;
  /** Unix ms: from then on it signs, until another does. Processes know it before, so that all accept what it signs. */
  readonly signsFrom: number;
}

/** Names under which signing secrets are kept, each of its own; the number is when it signs from. */
export const signingSecretNames = /^signing-secret(?:\.(\d{1,16}))?$/;

/** The name of the one that signs from then on (Unix ms). */
export function signingSecretName(signsFrom: number): string {
  return signsFrom === 0 ? 'signing-secret' : `signing-secret.${signsFrom}`;
}

/** When the secret of that name signs from (Unix ms); null: it is no name of one. */
export function signsFromOf(name: string): number | null {
  const match = signingSecretNames.exec(name);
  return match === null ? null : Number(match[1] ?? 0);
}

/** Processes may read a new secret late, and their clocks may differ. */
const slackMs = 3_600_000;

/**
 * Those that are good at that moment: first the one that signs, then those to come, then those that have signed what
 * may still be good.
 * @param secrets one at least
 * @param longestMs how long anything that is signed is good
 */
export function acceptedAt(
  secrets: readonly SigningSecret[],
  now: number,
  longestMs: number,
): SigningSecret[] {
  const inOrder = oldestFirst(secrets);
  const signing = Math.max(
    0,
    inOrder.findLastIndex(({ signsFrom }) => signsFrom <= now),
  );
  const retired = retiredAt(secrets, now, longestMs).length;
  const before = inOrder.slice(retired, signing).reverse();
  return [...inOrder.slice(signing), ...before];
}

/** Those of which nothing can be good any more at that moment; never the newest. Oldest first. */
export function retiredAt(
  secrets: readonly SigningSecret[],
  now: number,
  longestMs: number,
): SigningSecret[] {
  const inOrder = oldestFirst(secrets);
  return inOrder.filter((_, i) => {
    const next = inOrder[i + 1];
    return next !== undefined && next.signsFrom + longestMs + slackMs <= now;
  });
}

function oldestFirst(secrets: readonly SigningSecret[]): SigningSecret[] {
  return secrets.toSorted((a, b) => a.signsFrom - b.signsFrom);
}
