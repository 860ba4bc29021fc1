/** RFC 5321, section 4.5.3.1.3. */
const mostCharacters = 254;

/** Of RFC 5322, without quotes: what else an address may have would let it look like another entry of a list. */
const localPart = /^[!#-'*+\-./0-9=?A-Z^-~]+$/i;

/**
 * In lower case; null: not an address that can name somebody. ASCII alone, so that nobody is taken for another by letters that look
 * alike.
 */
export function readAddress(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > mostCharacters) return null;
  const [local = '', domain = '', ...rest] = text.split('@');
  return rest.length === 0 && localPart.test(local) && isDomain(domain) ? text.toLowerCase() : null;
}

export function isDomain(text: string): boolean {
  return (
    text.length < mostCharacters &&
    text.split('.').every((label) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(label))
  );
}
