import type { EdgePurger } from '../../ports/edge-purger.ts';

/**
 * A generic hook: each purge is a POST of `{"tag": …}` as JSON, and any 2xx confirms it. Redirects are not
 * followed: after one, nobody would have been told.
 * @param token sent as a bearer token; '' for none
 * @param timeoutMs for the whole exchange
 */
export function createHttpPurger(options: { url: string; token: string; timeoutMs: number }): EdgePurger {
  const { url, token, timeoutMs } = options;
  const headers = {
    'content-type': 'application/json',
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  };

  return {
    async purge(tag) {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ tag }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await drain(response);
      if (!response.ok) throw new Error(`The edge answered a purge of ${tag} with ${response.status}`);
    },
  };
}

/** Reads and drops the body, so that its connection can be used again. */
async function drain(response: Response): Promise<void> {
  if (response.body === null) return;
  for await (const _ of response.body);
}
