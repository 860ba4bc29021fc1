import Mocha from 'mocha';
import { skipReasonOf } from './programs.ts';
import type { Failure, TestEvent } from './test-events.ts';

const { EVENT_RUN_BEGIN, EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } =
  Mocha.Runner.constants;

/** What of the stack is shown: where the test failed, and its callers. */
const maxFrames = 5;

let counted: NodeJS.CpuUsage = { user: 0, system: 0 };

/** The CPU time of this process that was not reported yet, in milliseconds. */
export function takeCpuMs(): number {
  const { user, system } = process.cpuUsage(counted);
  counted = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Sends each outcome to the runner at once. After a timeout the rest of the file is not run: what the test still does would
 * fail its neighbours. The hooks that close the file's services are.
 */
export default class Reporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    let startedAt = 0;
    let settled = 0;
    let timedOut = false;
    runner.once(EVENT_RUN_BEGIN, () => {
      startedAt = performance.now();
    });
    runner.on(EVENT_TEST_PASS, (test: Mocha.Test) => {
      settled += 1;
      send({ kind: 'passed', title: test.fullTitle(), ms: test.duration ?? 0 });
    });
    runner.on(EVENT_TEST_PENDING, (test: Mocha.Test) => {
      settled += 1;
      send({ kind: 'skipped', title: test.fullTitle(), reason: skipReasonOf(test) });
    });
    runner.on(EVENT_TEST_FAIL, (test: Mocha.Runnable, error: Error & { code?: string }) => {
      if (!isHook(test)) settled += 1;
      send({ kind: 'failed', ...describeFailure(test, error) });
      if (error.code !== 'ERR_MOCHA_TIMEOUT') return;
      timedOut = true;
      runner.abort();
    });
    runner.once(EVENT_RUN_END, () => {
      const ms = performance.now() - startedAt;
      const notRun = Math.max(0, runner.total - settled);
      send({ kind: 'ended', ms, cpuMs: takeCpuMs(), notRun, timedOut });
    });
  }
}

function send(event: TestEvent): void {
  process.send?.(event);
}

function isHook(runnable: Mocha.Runnable): boolean {
  return 'type' in runnable && runnable.type === 'hook';
}

function describeFailure(test: Mocha.Runnable, error: Error): Failure {
  const selected = isHook(test) ? (test.parent?.fullTitle() ?? '') : test.fullTitle();
  return {
    title: test.fullTitle(),
    text: describeError(error),
    pattern: selected === '' ? null : selected.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  };
}

/** An assertion names long arrays and objects by their kind alone, so the values, which mocha has as text, follow it. */
export function describeError(error: Error & { actual?: unknown; expected?: unknown }): string {
  const { message, actual, expected, stack = '' } = error;
  const values = Object.entries({ got: actual, expected }).flatMap(([name, value]) =>
    typeof value === 'string' && !message.includes(value)
      ? [`${name} ${value.replaceAll(/\s+/g, ' ').slice(0, 2_000)}`]
      : [],
  );
  const value = values.length > 0 ? ` (${values.join('; ')})` : '';
  const frames = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/node_modules|node:internal/.test(line))
    .slice(0, maxFrames);
  return [`${message.slice(0, 1_000)}${value}`, ...frames.map((frame) => frame.trim())].join('\n');
}
