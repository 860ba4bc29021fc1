import type { ServerResponse } from 'node:http';
import { type Comment, commentIdPattern } from '../../shared/comments/comment.ts';
import { type ApiRequest, queryOf, readParam, readSlug } from '../http/parameters.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson, sendNothing } from '../http/send.ts';
import { validate } from '../http/validate.ts';
import { listComments } from './list.ts';
import { commentOperations } from './operations.ts';
import { presentComment } from './presenter.ts';
import { commentIdRule, readCommentChange, readNewComment, readReply, replyQuery } from './requests.ts';

/** @throws DropError `invalid_arg` */
function readCommentId(req: ApiRequest): string {
  return readParam(req, 'comment', commentIdPattern, `The id of a comment ${commentIdRule}`);
}

/** docs/decisions/comments.md: those of an owner's programs. */
export function commentRoutes({ services }: RouteParts): readonly Route[] {
  const { comments, drops, idempotency, config } = services;
  const docs = commentOperations;
  const ofDrop = '/api/drops/:slug/comments';
  const path = '/api/comments/:comment';

  function sendWritten(
    res: ServerResponse,
    { written, isReplayed }: { readonly written: Comment; readonly isReplayed: boolean },
  ): void {
    if (isReplayed) res.setHeader('Idempotency-Replayed', 'true');
    sendJson(res, presentComment(written, config.BASE_URL), 201);
  }

  return [
    call('GET', '/api/comments', 'withToken', docs.list, async (req, res, caller) =>
      sendJson(res, await listComments(services, caller, queryOf(req), res)),
    ),

    call('POST', ofDrop, 'keyedChange', docs.create, async (req, res, caller, content) => {
      const slug = readSlug(req);
      const { version: number, ...input } = readNewComment(content.json);
      const add = async (id?: string) => {
        const { id: dropId, ownerId } = await drops.check(caller, { slug, revs: null });
        const { version } = await drops.findVersion(caller, slug, number);
        const author = await comments.authorOf(caller);
        return comments.add({ dropId, ownerId, slug, version }, author, input, id);
      };
      const find = (id: string) => comments.find(caller, id);
      sendWritten(res, await idempotency.onceById(caller, content.idempotentRequest, add, find));
    }),

    call('POST', `${path}/replies`, 'keyedChange', docs.reply, async (req, res, caller, content) => {
      const id = readCommentId(req);
      const { text, state } = readReply(content.json);
      const reply = async (replyId?: string) =>
        comments.reply(caller, id, await comments.authorOf(caller), text, state, replyId);
      const find = () => comments.find(caller, id);
      sendWritten(res, await idempotency.onceById(caller, content.idempotentRequest, reply, find));
    }),

    call('PATCH', path, 'smallChange', docs.change, async (req, res, caller, { json }) => {
      const id = readCommentId(req);
      const { text, state, reply } = readCommentChange(json);
      const author = await comments.authorOf(caller);
      const change = () => {
        if (text !== null) return comments.edit(caller, id, author, { text, replyId: reply, state });
        return state === null ? comments.find(caller, id) : comments.setState(caller, id, author, state);
      };
      sendJson(res, presentComment(await change(), config.BASE_URL));
    }),

    call('DELETE', path, 'changeWithoutBody', docs.remove, async (req, res, caller) => {
      const id = readCommentId(req);
      const { reply = null } = validate(replyQuery, queryOf(req), 'query');
      await comments.remove(caller, id, await comments.authorOf(caller), reply);
      sendNothing(res);
    }),
  ];
}
