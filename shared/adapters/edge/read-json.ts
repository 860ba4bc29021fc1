/**
 * The fields of a JSON object; none where the text is anything else.
 * @param token taken out of all strings, as an edge may tell what it was shown; '' for none
 */
export function readJson(text: string, token: string): Record<string, unknown> {
  const hide = (_: string, value: unknown) =>
    typeof value === 'string' && token !== '' ? value.replaceAll(token, '…') : value;
  try {
    const value: unknown = JSON.parse(text, hide);
    // proof: an object, whose fields are looked at one by one
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // a page of a proxy in between, or nothing
  }
}
