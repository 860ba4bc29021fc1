import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { dropleaf, type RunningService, startDropleaf } from '../bin/command.ts';
import { type Client, createClient } from '../support/client.ts';
import { createLedger, createWriter, type Ledger, verify } from './ledger.ts';

const writers = 6;
const unlimited = '1000000';

const settings = {
  LOG_LEVEL: 'error',
  WRITES_PER_MINUTE: unlimited,
  WRITES_PER_DAY: unlimited,
  CHANGES_PER_MINUTE: unlimited,
  DROPS_PER_ACCOUNT: unlimited,
};

export interface RoundReport {
  /** Of this round. */
  readonly accepted: number;
  readonly unknown: number;
  /** Of all rounds until now. */
  readonly drops: number;
}

/**
 * Kills a running service (SIGKILL) in a stream of writes, starts it again, and compares; so many times. In the end the
 * day's quota is compared too.
 * @param dataDir an empty directory
 * @param report told of each round that held
 * @throws Error that says what was lost or wrong
 */
export async function runCrashRounds(
  dataDir: string,
  rounds: number,
  report: (round: RoundReport) => void = () => undefined,
): Promise<void> {
  const env = { ...settings, DATA_DIR: dataDir };
  const { stdout, stderr } = await dropleaf(['token', '--user', 'crash'], { DATA_DIR: dataDir });
  const token = stdout.trim();
  if (token === '') throw new Error(`no token was made: ${stderr}`);
  const ledger = createLedger();
  const startedOn = today();
  let next = 0;
  for (let round = 0; round < rounds; round++) {
    const before = { accepted: ledger.accepted, unknown: ledger.unknownWrites };
    await withService(env, (service, client) =>
      writeUntilKilled(service, client, token, ledger, () => next++, 200 + Math.random() * 500),
    );
    await withService(env, (_, client) => verify(client, token, ledger));
    checkIntegrity(dataDir);
    report({
      accepted: ledger.accepted - before.accepted,
      unknown: ledger.unknownWrites - before.unknown,
      drops: [...ledger.entries.values()].filter((entry) => !entry.isRemoved).length,
    });
  }
  if (startedOn === today()) await verifyQuota(env, token, ledger); // at midnight it begins anew
}

async function writeUntilKilled(
  service: RunningService,
  client: Client,
  token: string,
  ledger: Ledger,
  sequence: () => number,
  afterMs: number,
): Promise<void> {
  const acceptedBefore = ledger.accepted;
  const running = Promise.all(
    Array.from({ length: writers }, () => createWriter(client, token, ledger, sequence).run()),
  );
  const ended = running.finally(() => service.kill('SIGKILL')); // one that failed ends the round
  while (ledger.accepted < acceptedBefore + writers && service.output.stderr === '') await wait(10);
  await Promise.race([wait(afterMs), ended]);
  service.kill('SIGKILL');
  await service.ended();
  await ended;
}

/** The day's count is at least what was accepted, and at most that and what had no answer. */
async function verifyQuota(env: Record<string, string>, token: string, ledger: Ledger): Promise<void> {
  const mayWrite = async (limit: number) => {
    let status = 0;
    await withService({ ...env, WRITES_PER_DAY: String(limit) }, async (_, client) => {
      const body = { title: 'One more', html: 'x' };
      status = (await client.request('POST', '/api/drops', { token, body })).status;
    });
    return status === 201;
  };
  if (await mayWrite(ledger.accepted)) throw new Error('the day counts fewer writes than were accepted');
  if (!(await mayWrite(ledger.accepted + ledger.unknownWrites + 1))) {
    throw new Error('the day counts more writes than were sent');
  }
}

async function withService(
  env: Record<string, string>,
  use: (service: RunningService, client: Client) => Promise<void>,
): Promise<void> {
  const service = await startDropleaf(env);
  const client = createClient(service.url);
  try {
    await use(service, client);
  } finally {
    client.close();
    service.kill('SIGKILL');
    await service.ended();
  }
}

function checkIntegrity(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'dropleaf.sqlite'));
  try {
    const found = JSON.stringify(db.prepare('PRAGMA integrity_check').all());
    if (found !== '[{"integrity_check":"ok"}]') throw new Error(`integrity_check: ${found}`);
    const broken = JSON.stringify(db.prepare('PRAGMA foreign_key_check').all());
    if (broken !== '[]') throw new Error(`foreign_key_check: ${broken}`);
  } finally {
    db.close();
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
