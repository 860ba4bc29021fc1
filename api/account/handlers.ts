import type { Request, Response } from 'express';
import type { Caller } from '../../shared/domain/account.ts';
import type { Services } from '../../shared/open-services.ts';
import { readTokenId } from '../http/parameters.ts';
import { sendJson } from '../http/send.ts';
import { presentCaller, presentToken } from './presenter.ts';

/** Spec 4.3: who is calling, and with which tokens. */
export function accountHandlers({ accounts, tokens }: Services) {
  return {
    async me(_req: Request, res: Response, caller: Caller): Promise<void> {
      const { account, dropCount } = await accounts.describe(caller);
      sendJson(res, presentCaller(caller, account, dropCount));
    },

    async listTokens(_req: Request, res: Response, caller: Caller): Promise<void> {
      sendJson(res, (await tokens.list(caller)).map(presentToken));
    },

    async revokeToken(req: Request, res: Response, caller: Caller): Promise<void> {
      await tokens.revoke(caller, readTokenId(req));
      res.status(204).end();
    },
  };
}
