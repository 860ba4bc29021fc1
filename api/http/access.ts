import type { Request, Response } from 'express';
import { maxDropBodyBytes } from '../../shared/config/config.ts';
import type { Caller } from '../../shared/domain/account.ts';
import { DropError, suspended } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { challenge } from './answer-error.ts';
import { type BodyRules, createJsonReader } from './body.ts';
import { visitorOf } from './client-address.ts';
import { HttpError } from './http-error.ts';

/**
 * What a request must pass before its handler runs, in this order: token, limit, body (docs/decisions.md, Order of
 * limits). So no large body is read for a client that may not send it. The API description lists what each policy implies.
 */
export interface Policy {
  /**
   * `required`: a bad token is answered `invalid_token`. `checked`: it is answered `unauthorized`, as spec 7 demands of
   * GET /api/me. Absent: no token is needed.
   */
  readonly token?: 'required' | 'checked';
  readonly limit?: 'sign_in_starts_per_minute' | 'writes_per_minute' | 'changes_per_minute';
  /** Absent: a body is ignored. */
  readonly body?: 'tiny' | 'small' | 'document';
  /** Whether a suspended account may change something: it can always revoke a leaked token. */
  readonly allowsSuspended?: true;
}

export const policies = {
  open: {},
  signInStart: { limit: 'sign_in_starts_per_minute', body: 'tiny' },
  withToken: { token: 'required' },
  tokenCheck: { token: 'checked' },
  write: { token: 'required', limit: 'writes_per_minute', body: 'document' },
  smallChange: { token: 'required', limit: 'changes_per_minute', body: 'small' },
  // A PATCH may contain a whole document by mistake, and is answered `metadata_only_on_patch`.
  documentChange: { token: 'required', limit: 'changes_per_minute', body: 'document' },
  changeWithoutBody: { token: 'required', limit: 'changes_per_minute' },
  changeEvenIfSuspended: { token: 'required', limit: 'changes_per_minute', allowsSuspended: true },
} as const satisfies Record<string, Policy>;

export type Access = keyof typeof policies;

export interface Handler {
  (req: Request, res: Response): Promise<void> | void;
  /** Absent: `open`. */
  readonly access?: Access;
}
type CallerHandler = (req: Request, res: Response, caller: Caller) => Promise<void> | void;

const bodyBytes = { tiny: 8 * 1024, small: 256 * 1024 } as const;

/** For each policy a function that wraps a handler, so that a request passes the policy first. */
export function createAccess(services: Services, held: HeldBytes) {
  const { tokens, limits, parser, config } = services;
  const { origin } = new URL(config.BASE_URL);
  const readJson = createJsonReader({ parser, held });

  function rulesFor({ body = 'tiny', limit }: Policy): BodyRules {
    const maxBytes = body === 'document' ? maxDropBodyBytes(config) : bodyBytes[body];
    // Larger than any valid write: answered `html_too_large`, although html was not read (docs/decisions.md).
    const isWrite = limit === 'writes_per_minute';
    return {
      maxBytes,
      tooLarge: () => (isWrite ? htmlTooLarge(config.HTML_MAX_BYTES) : bodyTooLarge(maxBytes)),
    };
  }

  function authenticated(access: Access, handler: CallerHandler): Handler {
    const policy: Policy = policies[access];
    const authenticate = async (req: Request): Promise<Caller> => {
      try {
        return await tokens.authenticate(req.headers.authorization);
      } catch (error) {
        if (policy.token === 'checked' && error instanceof DropError && error.code === 'invalid_token')
          throw unauthorized(error);
        throw error;
      }
    };
    const guarded = async (req: Request, res: Response): Promise<void> => {
      res.setHeader('Cache-Control', 'no-store');
      const caller = await authenticate(req);
      res.locals.accountId = caller.accountId; // for the log and the count of unread answers (server/listener.ts)
      await handler(req, res, caller);
    };
    return Object.assign(guarded, { access });
  }

  function limited(access: Access) {
    const policy: Policy = policies[access];
    const take = policy.limit === 'writes_per_minute' ? limits.takeWrite : limits.takeChange;
    const rules = policy.body ? rulesFor(policy) : null;
    return (handler: CallerHandler): Handler =>
      authenticated(access, async (req, res, caller) => {
        if (caller.isSuspended && !policy.allowsSuspended) throw suspended();
        const hadArrived = req.complete;
        await take(caller);
        if (rules === null) return handler(req, res, caller);
        return readJson(req, caller.accountId, rules, async (body) => {
          req.body = body;
          // The token may have been revoked while the body arrived. Most small bodies arrive with the headers.
          if (!hadArrived) await caller.confirm();
          return handler(req, res, caller);
        });
      });
  }

  return {
    signInStart(handler: Handler): Handler {
      const rules = rulesFor(policies.signInStart);
      const guarded = async (req: Request, res: Response): Promise<void> => {
        res.setHeader('Cache-Control', 'no-store');
        // Checked before the limit, so that a web page cannot use up the sign-ins of its reader's address. Browsers add
        // Origin to every POST; other programs send none.
        if (req.headers.origin !== undefined && req.headers.origin !== origin) throw foreignOrigin(origin);
        const visitor = visitorOf(req.ip);
        await limits.takeSignInStart(visitor);
        await readJson(req, visitor.network, rules, (body) => {
          req.body = body;
          return handler(req, res);
        });
      };
      return Object.assign(guarded, { access: 'signInStart' as const });
    },
    withToken: (handler: CallerHandler) => authenticated('withToken', handler),
    tokenCheck: (handler: CallerHandler) => authenticated('tokenCheck', handler),
    write: limited('write'),
    smallChange: limited('smallChange'),
    documentChange: limited('documentChange'),
    changeWithoutBody: limited('changeWithoutBody'),
    changeEvenIfSuspended: limited('changeEvenIfSuspended'),
  };
}

function unauthorized({ message }: DropError): HttpError {
  const headers = { 'WWW-Authenticate': challenge('invalid_token') };
  return new HttpError(401, 'unauthorized', message, undefined, headers);
}

function foreignOrigin(origin: string): DropError {
  return new DropError(
    'forbidden',
    `A sign-in cannot be started from a web page: Origin must be absent or ${origin}`,
  );
}

function htmlTooLarge(maxBytes: number): DropError {
  const message = `html must be at most ${maxBytes} bytes`;
  return new DropError('html_too_large', message, { field: 'html', max_bytes: maxBytes });
}

function bodyTooLarge(maxBytes: number): DropError {
  const message = `The request body must be at most ${maxBytes} bytes`;
  return new HttpError(413, 'invalid_arg', message, { field: 'body', max_bytes: maxBytes });
}
