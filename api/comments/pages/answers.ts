import type { Request, Response } from 'express';
import type { Author } from '../../../shared/comments/comment.ts';
import { isUnavailable } from '../../../shared/domain/errors.ts';
import type { Page } from '../../../shared/drops/drop.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import { visitorOf } from '../../http/client-address.ts';
import { cookieName, readCookies, setCookie } from '../../http/cookies.ts';
import { guestRules } from './reader.ts';

/** The cookie with the number of replies to the reader's own threads that this browser has shown. */
const answersCookie = 'dropleaf_answers';

type Parts = Pick<Services, 'comments' | 'config'>;

/**
 * How many replies the reader's own threads have got since this browser has shown the comments of the page. Only readers who have
 * written here are asked about, and never the owner, who has /comments. Without an answer in turn it is 0.
 */
export async function countNewAnswers(
  parts: Parts,
  req: Request,
  page: Page,
  reader: Author | null,
): Promise<number> {
  const seen = readSeen(parts, req, page);
  if (reader === null || reader.role === 'owner' || (seen === null && reader.guest === null)) return 0;
  try {
    return Math.max(0, (await countAnswers(parts, req, page, reader)) - (seen ?? 0));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return 0;
  }
}

/** The browser shows the comments of the page now. @param hasWritten whether the reader began one of the threads */
export async function noteAnswers(
  parts: Parts,
  req: Request,
  res: Response,
  page: Page,
  reader: Author,
  hasWritten: boolean,
): Promise<void> {
  const seen = readSeen(parts, req, page);
  if (reader.role === 'owner' || !(hasWritten || seen !== null)) return;
  const answers = await countAnswers(parts, req, page, reader);
  if (answers !== seen) setCookie(res, answersCookie, String(answers), guestRules(parts.config, page));
}

async function countAnswers(
  { comments }: Pick<Parts, 'comments'>,
  req: Request,
  page: Page,
  reader: Author,
): Promise<number> {
  const { threads } = await comments.listOfPage(
    page,
    reader,
    { filter: 'mine', before: null },
    visitorOf(req.ip),
  );
  return threads.reduce((sum, { replyCount }) => sum + replyCount, 0);
}

/** null: nothing was noted. */
function readSeen({ config }: Pick<Parts, 'config'>, req: Request, page: Page): number | null {
  const name = cookieName(answersCookie, guestRules(config, page));
  const noted = readCookies(req.headers.cookie, name).find((value) => /^\d{1,9}$/.test(value));
  return noted === undefined ? null : Number(noted);
}
