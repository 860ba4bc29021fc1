import { readPage } from '../shared/read-page.ts';

export const tokenField = 'form_token';

/** `other`: of another account than the one whose page has the form; `ended`: there is none. */
export type Renewal = 'renewed' | 'other' | 'ended';

/**
 * Gives a form, and all others of this page, the token of the session that the browser has now: the person has signed in again, in
 * another tab.
 */
export async function renewToken(data: FormData): Promise<Renewal> {
  const page = await readPage('/drops/new'); // which everybody who is signed in may open
  const token = page === null ? undefined : inputsOf(page)[0]?.value;
  if (token === undefined) return 'ended';
  if (accountOf(token) !== accountOf(String(data.get(tokenField)))) return 'other';
  data.set(tokenField, token);
  for (const input of inputsOf(document)) input.value = token;
  return 'renewed';
}

function inputsOf(page: Document): NodeListOf<HTMLInputElement> {
  return page.querySelectorAll<HTMLInputElement>(`input[name="${tokenField}"]`);
}

/** What stands before the dot (api/http/form-tokens.ts). */
function accountOf(token: string): string {
  return token.slice(0, token.indexOf('.'));
}
