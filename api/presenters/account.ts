import type { Account, Caller } from '../../shared/domain/account.ts';
import type { Token } from '../../shared/domain/token.ts';

/** A token's record, in listings and in caller info. Never the token, nor its whole hash. */
export function presentToken(token: Token) {
  return {
    id: token.id,
    label: token.label,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
  };
}

/** Caller info (spec section 2). */
export function presentCaller(caller: Caller, account: Account | null, dropCount: number) {
  return {
    user_id: caller.accountId,
    created_at: account?.createdAt ?? null,
    drop_count: dropCount,
    token: presentToken(caller.token),
  };
}
