import { renewToken, tokenField } from '../forms/token.ts';

export interface Published {
  readonly slug: string;
  readonly title: string;
  readonly url: string;
  /** Of a new version: its title stays, because the search for another one took too long. */
  readonly warnings?: readonly string[];
}

/** Why a document was not published: the words of the API. */
export interface Refusal {
  readonly message: string;
  /** The field of the form that is wrong. */
  readonly field?: string;
  readonly isSignedOut?: boolean;
  /** Whether the drop has changed since the page was opened. */
  readonly isConflict?: boolean;
  /** What the person must look at before, and the value of the field `anyway` if it is to be published in spite of that. */
  readonly risks?: readonly string[];
  readonly answer?: string;
}

/** What the service says of an error. */
interface Fault {
  readonly message?: string;
  readonly details?: Pick<Refusal, 'field' | 'risks' | 'answer'>;
}

type Outcome = { drop: Published } | { refusal: Refusal };

/** Publishes the form. If this page is of an earlier session, the form gets the token of the new one. @param progress gets 0 to 1 */
export async function upload(
  action: string,
  form: FormData,
  progress: (part: number) => void,
): Promise<Outcome> {
  const outcome = await send(action, form, progress);
  if ('drop' in outcome || outcome.refusal.field !== tokenField) return outcome;
  const renewal = await renewToken(form);
  if (renewal === 'renewed') return send(action, form, progress);
  return renewal === 'other' ? { refusal: { message: otherAccount } } : outcome;
}

const otherAccount =
  'Another account has signed in. Nothing was published: sign in as before in another tab, and publish again';

/** XMLHttpRequest, because `fetch` tells no progress of an upload. */
function send(action: string, form: FormData, progress: (part: number) => void): Promise<Outcome> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('POST', action);
    request.setRequestHeader('Accept', 'application/json');
    request.responseType = 'json';
    request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) progress(loaded / total);
    });
    request.addEventListener('loadend', () => {
      // An answer is the service's own JSON, or that of a proxy; null: there is none.
      const answer = (request.response ?? {}) as Partial<Published> & { error?: Fault };
      const { slug, title, url, warnings = [], error } = answer;
      const isDone = slug !== undefined && title !== undefined && url !== undefined;
      resolve(
        isDone ? { drop: { slug, title, url, warnings } } : { refusal: refusalOf(error, request.status) },
      );
    });
    request.send(form);
  });
}

const changed =
  'The drop was changed after you opened this page. What is live now is shown beside yours. Nothing was published: publish again to replace it';

function refusalOf({ message, details = {} }: Fault = {}, status: number): Refusal {
  if (status === 0) return { message: 'The connection was lost. Try again.' };
  if (message === undefined) return { message: `The service answered ${status}. Try again later.` };
  if (status === 412) return { message: changed, isConflict: true };
  if (status === 401) return { message: 'You are signed out: nothing was published.', isSignedOut: true };
  return { ...details, message };
}

/** The same form sent twice publishes once; a new key makes it another form. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
