import type { Exchange } from './traffic.ts';

export type Server = 'MongoDB' | 'Redis';

/** What a fault did to those who used the service from its beginning until all was well again. */
export interface FaultReport {
  readonly requests: number;
  /** As if nothing were wrong. */
  readonly answered: number;
  /** Of these, writes and views. */
  readonly writes: number;
  readonly views: number;
  /** With an honest 503. */
  readonly unavailable: number;
  /** Of these, writes. */
  readonly unavailableWrites: number;
  readonly slowestMs: number;
  /** Of raw pages, while the fault lasted. */
  readonly rawP50Ms: number;
  readonly rawP99Ms: number;
  /** The slowest of the answers that need neither server: what the machine itself takes. */
  readonly idleMs: number;
  /** From the fault's end until the last answer that was a 503 or later than is usual. */
  readonly backAfterMs: number;
  /** What no answer may be. */
  readonly wrong: readonly string[];
}

/** Slower than this, than twice the slowest before the fault, and than twice the slowest that needs no server is not usual. */
export const usualMs = process.env.CI ? 2_000 : 500; // machines of CI run other tests beside these

/** Raw pages wait for neither server; what would wait for one waits for a second or more. */
const rawMs = process.env.CI ? 750 : 150;

/** The promises that the report breaks. @param server in trouble @param forgivenMs added to the bounds of time, for busy machines */
export function findBroken(report: FaultReport, server: Server, forgivenMs: number): string[] {
  const { slowestMs, rawP99Ms, backAfterMs, unavailable, wrong } = report;
  const rawBoundMs = rawMs + forgivenMs;
  const broken = [
    [slowestMs > 5_000 + forgivenMs, `an answer took ${slowestMs.toFixed(0)} ms`],
    [
      server === 'Redis' && rawP99Ms > rawBoundMs,
      `raw p99 is ${rawP99Ms.toFixed(0)} ms, at most ${rawBoundMs.toFixed(0)}`,
    ],
    [backAfterMs > 10_000 + forgivenMs, `back to normal after ${backAfterMs.toFixed(0)} ms`],
    [server === 'Redis' && unavailable > 0, `${unavailable} answers of 503 while only Redis was in trouble`],
    [wrong.length > 0, `${wrong.length} answers that must not be, such as ${wrong[0]}`],
  ] as const;
  return broken.flatMap(([isBroken, what]) => (isBroken ? [what] : []));
}

/** What an answer is like when nothing is wrong, by those before the fault. */
export function usualOf(exchanges: readonly Exchange[], beganAt: number): (exchange: Exchange) => boolean {
  const before = exchanges.filter((exchange) => exchange.endedAt < beganAt);
  const idle = exchanges.filter(({ kind }) => kind === 'idle');
  const boundMs = Math.max(usualMs, 2 * slowest(before), 2 * slowest(idle));
  return (exchange) => isAnswered(exchange) && tookMs(exchange) <= boundMs;
}

export function reportOf(all: readonly Exchange[], beganAt: number, endedAt: number): FaultReport {
  const exchanges = all.filter((exchange) => exchange.endedAt >= beganAt);
  const isUsual = usualOf(all, beganAt);
  const late = exchanges.filter((exchange) => exchange.endedAt > endedAt && !isUsual(exchange));
  const unavailable = exchanges.filter(({ status, fault }) => status === 503 && fault === null);
  const raw = exchanges.filter(({ kind, sentAt }) => kind === 'raw' && sentAt < endedAt).map(tookMs);
  const answered = exchanges.filter(isAnswered);
  return {
    requests: exchanges.length,
    answered: answered.length,
    writes: answered.filter(({ kind }) => kind === 'write').length,
    views: answered.filter(({ kind }) => kind === 'view').length,
    unavailable: unavailable.length,
    unavailableWrites: unavailable.filter(({ kind }) => kind === 'write').length,
    slowestMs: slowest(exchanges),
    rawP50Ms: quantile(raw, 0.5),
    rawP99Ms: quantile(raw, 0.99),
    idleMs: slowest(exchanges.filter(({ kind }) => kind === 'idle')),
    backAfterMs: Math.max(0, ...late.map((exchange) => exchange.endedAt - endedAt)),
    wrong: exchanges.flatMap(({ fault }) => fault ?? []),
  };
}

function isAnswered({ status }: Exchange): boolean {
  return status >= 200 && status < 400;
}

function tookMs({ sentAt, endedAt }: Exchange): number {
  return endedAt - sentAt;
}

function slowest(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((most, exchange) => Math.max(most, tookMs(exchange)), 0);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}
