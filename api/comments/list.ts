import type { Caller } from '../../shared/accounts/account.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { type ServiceResponse, startWaiting } from '../http/send.ts';
import { presentCommentList } from './presenter.ts';
import { readCommentQuery } from './requests.ts';

/** What a program lists, or waits for with `wait`. @throws DropError `invalid_arg`, `not_found` */
export async function listComments(
  { comments, config }: Pick<Services, 'comments' | 'config'>,
  caller: Caller,
  query: unknown,
  res: ServiceResponse,
) {
  const { filter, waitMs } = readCommentQuery(query);
  const found =
    waitMs === null
      ? await comments.list(caller, filter)
      : await comments.listOrWait(caller, filter, waitMs, startWaiting(res, waitMs));
  return presentCommentList(found, config.BASE_URL);
}
