// What an account with more tokens than it may have now, of an earlier release, does to others.
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../shared/config/config.ts';
import { hashToken, newToken, tokenIdOf } from '../shared/credentials/token.ts';
import { openStores, systemClock } from '../shared/engines/open-stores.ts';
import { createPlainClient } from '../test/support/client.ts';
import { createRecordingLog } from '../test/worker/recording-log.ts';
import { type Attack, asking, repeating } from './attacks.ts';
import { type Place, type Served, serveAt, signIn } from './served.ts';

const name = (what: string) => `300,000 tokens: ${what}`;
const tokensOfAccount = 300_000;
const tokensPerWrite = 10_000;

const names = {
  list: name('2 clients with GET /api/tokens'),
  page: name('2 clients with GET /account'),
  operators: name('2 clients with GET /operators/accounts/{id}'),
  remove: name('the account is deleted'),
};

interface Hoarder {
  readonly id: string;
  readonly token: string;
}

export interface HoardedTokens {
  /** What the service needs beside its other settings. */
  readonly settings: Readonly<Record<string, string>>;
  readonly kept: Hoarder;
  readonly deleted: Hoarder;
}

/** Whether an attack of this file has that part of a name. */
export function areTokenAttacks(part: string): boolean {
  return Object.values(names).some((each) => each.includes(part));
}

/** Gives two accounts their tokens, directly in the store, while no service runs. */
export async function hoardTokens(place: Place): Promise<HoardedTokens> {
  const service = await serveAt(place);
  const [operator, kept, deleted] = await Promise.all(
    ['operator', 'hoarder', 'deleted-hoarder'].map((user) => makeAccount(service, user)),
  );
  await service.close();
  if (operator === undefined || kept === undefined || deleted === undefined)
    throw new Error('three accounts');
  const config = readConfig(place.env);
  const stores = await openStores(config, { log: createRecordingLog(), role: 'service', clock: systemClock });
  for (const { id } of [kept, deleted]) {
    for (let made = 0; made < tokensOfAccount; made += tokensPerWrite)
      await stores.archive.write(
        'tokens',
        Array.from({ length: tokensPerWrite }, () => tokenOf(id)),
      );
  }
  await stores.close();
  return { settings: { OPERATORS: operator.id }, kept, deleted };
}

async function makeAccount(service: Served, user: string): Promise<Hoarder> {
  const token = await service.makeToken(user);
  const client = createPlainClient(service.url);
  const { body } = await client.get('/api/me', { token });
  client.close();
  return { id: String(body.user_id), token };
}

function tokenOf(accountId: string) {
  const hash = hashToken(newToken());
  const times = { createdAt: Date.now(), lastUsedAt: null, expiresAt: null, scope: 'all' as const };
  return { id: tokenIdOf(hash), hash, accountId, label: 'x'.repeat(100), ...times };
}

/** The deletion comes last, because it can be done once. */
export async function tokenAttacks(
  service: Served,
  { kept, deleted }: HoardedTokens,
): Promise<readonly (readonly [name: string, attack: Attack])[]> {
  const own = await signIn(service, 'hoarder');
  const operator = await signIn(service, 'operator');
  const withCookie = (path: string, cookie: string) =>
    asking(2, () => ['GET', path, { headers: { cookie } }]);
  return [
    [names.list, asking(2, () => ['GET', '/api/tokens', { token: kept.token }])],
    [names.page, withCookie('/account', own)],
    [names.operators, withCookie(`/operators/accounts/${kept.id}`, operator)],
    [names.remove, removing(deleted)],
  ];
}

function removing({ id, token }: Hoarder): Attack {
  let isAsked = false;
  return repeating(1, async (client) => {
    if (isAsked) {
      await pause(50);
      return;
    }
    isAsked = true;
    const begun = performance.now();
    const { status } = await client.request('DELETE', `/api/me?confirm=${id}`, { token });
    const ms = (performance.now() - begun).toFixed(0);
    process.stderr.write(`DELETE /api/me was answered ${status} after ${ms} ms\n`);
  });
}
