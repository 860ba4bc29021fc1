import type { Request, Response } from 'express';
import { maxDropBodyBytes } from '../../shared/config/config.ts';
import type { Caller } from '../../shared/domain/account.ts';
import { DropError, suspended } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { challenge } from './answer-error.ts';
import type { BodyRules } from './body.ts';
import { createBodyReader } from './body.ts';
import { visitorOf } from './client-address.ts';
import { isFromForeignPage } from './form.ts';
import { HttpError } from './http-error.ts';

/** The ways in which requests are let in; `open`: anybody, without a limit. */
export type Access =
  | 'open'
  | 'starter'
  | 'owner'
  | 'self'
  | 'write'
  | 'change'
  | 'patch'
  | 'removal'
  | 'revocation';

export interface Handler {
  (req: Request, res: Response): Promise<void> | void;
  /** Absent: `open`. The published description says it too (openapi/access-rules.ts). */
  readonly access?: Access;
}
type OwnerHandler = (req: Request, res: Response, caller: Caller) => Promise<void> | void;

const tinyBodyBytes = 8 * 1024;
const smallBodyBytes = 256 * 1024;

/**
 * Who may call a handler, and what is counted and read before it runs. Always in this order: token, limit, body
 * (docs/decisions.md, Order of limits), so that nothing large is read for somebody who may not send it; and the token
 * again where the body came later.
 */
export function createAccess(services: Services, held: HeldBytes) {
  const { tokens, limits, parser, config } = services;
  const { origin } = new URL(config.BASE_URL);
  const tiny: BodyRules = { maxBytes: tinyBodyBytes, tooLarge: () => bodyTooLarge(tinyBodyBytes) };
  const small: BodyRules = { maxBytes: smallBodyBytes, tooLarge: () => bodyTooLarge(smallBodyBytes) };
  const document: BodyRules = { maxBytes: maxDropBodyBytes(config), tooLarge: () => htmlTooLarge(config) };
  // A PATCH may hold a whole html by mistake, and is to be told so.
  const patch: BodyRules = { ...document, tooLarge: () => bodyTooLarge(document.maxBytes) };

  const withBody = createBodyReader({ parser, held });

  function owner(handler: OwnerHandler): Handler {
    return async (req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      const caller = await tokens.authenticate(req.headers.authorization);
      res.locals.accountId = caller.accountId; // for the request's line in the log
      await handler(req, res, caller);
    };
  }

  function limited(
    take: (caller: Caller) => Promise<void>,
    rules: BodyRules | null,
    evenIfSuspended = false,
  ) {
    return (handler: OwnerHandler): Handler =>
      owner(async (req, res, caller) => {
        if (caller.token.isSuspended && !evenIfSuspended) throw suspended();
        const cameWhole = req.complete;
        await take(caller);
        if (rules === null) return handler(req, res, caller);
        return withBody(req, caller.accountId, rules, async (body) => {
          req.body = body;
          // A client takes as long as it likes to send a body, and may be suspended or lose its token meanwhile: so the
          // token is looked at again, with the whole request here. That is one indexed read more, and none where the
          // body was here when the first look was answered, as a small one is, which comes with its head.
          if (!cameWhole) await caller.confirm();
          return handler(req, res, caller);
        });
      });
  }

  return marked({
    /** Any program, so many times a minute from an address; a body that holds a label at most. */
    starter(handler: Handler): Handler {
      return async (req, res) => {
        res.setHeader('Cache-Control', 'no-store');
        // Before it is counted: a page that somebody reads could use up the sign-ins of their address.
        if (isFromForeignPage(req, origin)) {
          const message = `Web pages of other origins cannot start a sign-in: Origin must be absent or ${origin}.`;
          throw new DropError('forbidden', message);
        }
        const visitor = visitorOf(req.ip);
        await limits.takeSignInStart(visitor);
        await withBody(req, visitor.network, tiny, (body) => {
          req.body = body;
          return handler(req, res);
        });
      };
    },

    /** A bearer token. */
    owner,

    /** A token of which a bad one is `unauthorized` too, whatever is wrong with it (spec 7: GET /api/me). */
    self(handler: OwnerHandler): Handler {
      const inner = owner(handler);
      return async (req, res) => {
        try {
          await inner(req, res);
        } catch (error) {
          if (!(error instanceof DropError) || error.code !== 'invalid_token') throw error;
          throw new HttpError(401, 'unauthorized', error.message, undefined, {
            'WWW-Authenticate': challenge('invalid_token'),
          });
        }
      };
    },

    /** A token and one of the minute's writes; the body may be a document. */
    write: limited(limits.takeWrite, document),

    /** A token and one of the minute's changes; a small body. */
    change: limited(limits.takeChange, small),

    /** The same for a PATCH. */
    patch: limited(limits.takeChange, patch),

    /** The same where a body has no meaning and is not read. */
    removal: limited(limits.takeChange, null),

    /** The same for what a suspended account may do too: it can still give up a token that was leaked. */
    revocation: limited(limits.takeChange, null, true),
  });
}

type Ways = Readonly<Record<Exclude<Access, 'open'>, (handler: never) => Handler>>;

/** The same, with each handler saying by which way it was made. */
function marked<W extends Ways>(ways: W): W {
  const entries = Object.entries<Ways[keyof Ways]>(ways).map(([access, way]) => [
    access,
    (handler: never) => Object.assign(way(handler), { access }),
  ]);
  return Object.fromEntries(entries) as W; // proof: the same names, functions of the same types
}

function htmlTooLarge(config: { readonly HTML_MAX_BYTES: number }): DropError {
  const max = config.HTML_MAX_BYTES;
  return new DropError('html_too_large', `html must have at most ${max} bytes.`, {
    field: 'html',
    max_bytes: max,
  });
}

function bodyTooLarge(maxBytes: number): DropError {
  const message = `The body must have at most ${maxBytes} bytes.`;
  return new HttpError(413, 'invalid_arg', message, { field: 'body', max_bytes: maxBytes });
}
