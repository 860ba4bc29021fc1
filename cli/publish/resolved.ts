import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { hasFields, isListOf, isText } from '../guards.ts';
import type { Api } from '../http.ts';

const isCommentPage = hasFields({ data: isListOf(hasFields({ id: isText })), next: isText });

const limit = '100';

/** Whether each is a resolved comment on the drop. false also of what is no comment: the service refuses a version for it. */
export async function areResolved(api: Api, slug: string, ids: readonly string[]): Promise<boolean> {
  const wanted = new Set(ids);
  let after: string | undefined;
  while (wanted.size > 0) {
    const query = { drop: slug, state: 'resolved', after, limit };
    const { data, next } = (await api.request('GET', '/api/comments', { query })).json(isCommentPage);
    if (data.length === 0) return false;
    for (const { id } of data) wanted.delete(id);
    after = next;
  }
  return true;
}

/** Replies to comments for which there is no version. @throws CliError; those that have the reply are named before */
export async function replyToEach(context: Context, ids: readonly string[], text: string): Promise<void> {
  const { api, output } = context;
  const done: string[] = [];
  for (const id of new Set(ids)) {
    const request = { json: { text }, headers: { 'Idempotency-Key': randomUUID() } };
    await api
      .request('POST', `/api/comments/${encodeURIComponent(id)}/replies`, request)
      .catch((error: unknown) => {
        if (error instanceof CliError && done.length > 0)
          output.warn(`the reply was added to ${done.join(', ')} alone`);
        throw error;
      });
    done.push(id);
  }
}
