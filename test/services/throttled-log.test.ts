import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { throttleFailures } from '../../shared/log/throttled-log.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const away = () =>
  unavailable('The database is unavailable.', 1, { cause: new Error('connect ECONNREFUSED 10.0.0.1:27017') });

function openScene() {
  const clock = createTestClock();
  const lines = createRecordingLog();
  const log = throttleFailures(lines, clock.now);
  const shown = () => lines.lines.filter(({ level }) => level !== 'debug');
  return { clock, lines, log, shown };
}

describe('A failure that repeats', () => {
  it('is logged at once, then at most once a minute with the number of failures since the line before', () => {
    const { clock, log, shown } = openScene();
    for (let second = 0; second < 125; second++) {
      for (let n = 0; n < 10; n++) log.warn({ second }, 'it is away');
      clock.advance(1_000);
    }
    expect(shown()).to.deep.equal([
      { level: 'warn', message: 'it is away', fields: { second: 0 } },
      { level: 'warn', message: 'it is away', fields: { second: 60, count: 600 } },
      { level: 'warn', message: 'it is away', fields: { second: 120, count: 600 } },
    ]);
  });

  it('that stops has the rest counted when its minute is over, or when the process stops', () => {
    const { clock, log, shown } = openScene();
    for (let n = 0; n < 8; n++) log.error({ n }, 'it failed');
    log.report();
    expect(shown()).to.have.length(1);
    clock.advance(60_000);
    log.report();
    expect(shown().slice(1)).to.deep.equal([
      { level: 'error', message: 'it failed', fields: { n: 7, count: 7 } },
    ]);
    for (let n = 0; n < 3; n++) log.error({ n }, 'it failed');
    log.report({ all: true });
    expect(shown().at(-1)?.fields).to.deep.equal({ n: 2, count: 3 });
    clock.advance(60_000);
    log.report();
    log.report();
    expect(shown(), 'nothing is left to count').to.have.length(3);
    log.error({ n: 9 }, 'it failed');
    expect(shown().at(-1)?.fields, 'after a minute without it').to.deep.equal({ n: 9 });
  });

  it('of a part that is unavailable has its causes as text, and its stack at debug, there each time', () => {
    const { lines, log, shown } = openScene();
    for (const id of ['a', 'b']) log.warn({ id, err: away() }, 'a request was answered 503');
    expect(shown()).to.deep.equal([
      {
        level: 'warn',
        message: 'a request was answered 503',
        fields: { id: 'a', cause: 'The database is unavailable: connect ECONNREFUSED 10.0.0.1:27017' },
      },
    ]);
    const stacks = lines.lines.filter(
      ({ level, fields }) => level === 'debug' && fields.err instanceof Error,
    );
    expect(stacks.map(({ fields }) => fields.id)).to.deep.equal(['a', 'b']);
  });

  it('counts by message and cause: of two parts that are away, each has a line', () => {
    const { log, shown } = openScene();
    for (let n = 0; n < 5; n++) {
      log.warn({ err: away() }, 'a request was answered 503');
      log.warn({ err: unavailable('The job queue is unavailable.') }, 'a request was answered 503');
      log.warn({ err: away() }, 'jobs wait');
    }
    expect(shown()).to.have.length(3);
  });

  it('that nobody knows keeps its stack, and does not hide another one', () => {
    const { log, shown } = openScene();
    const broken = new TypeError('x is not a function');
    for (let n = 0; n < 5; n++) log.error({ err: broken }, 'a request failed');
    log.error({ err: new TypeError('y is not a function') }, 'a request failed');
    log.error({ err: new TypeError('x is not a function') }, 'a request failed'); // thrown elsewhere
    expect(shown()).to.have.length(3);
    expect(shown()[0]?.fields.err).to.equal(broken);
  });

  it('with another text each time does not fill the memory: the oldest is forgotten once its count is written', () => {
    const { log, shown } = openScene();
    for (let n = 0; n < 3; n++) log.error({ n }, 'the oldest');
    for (let n = 0; n < 1_000; n++) log.error({ err: new Error(`failure ${n}`) }, 'a request failed');
    const oldest = () => shown().filter(({ message }) => message === 'the oldest');
    expect(oldest().map(({ fields }) => fields)).to.deep.equal([{ n: 0 }, { n: 2, count: 2 }]);
    log.error({ n: 9 }, 'the oldest');
    expect(oldest()).to.have.length(3);
    expect(shown()).to.have.length(1_003);
  });

  it('is not silenced by a clock that is set back', () => {
    const { clock, log, shown } = openScene();
    log.warn({}, 'it is away');
    clock.advance(-3_600_000);
    log.warn({}, 'it is away');
    expect(shown()).to.have.length(2);
  });

  it('does not delay what is no failure', () => {
    const { log, shown } = openScene();
    for (let n = 0; n < 3; n++) log.info({ n }, 'request');
    expect(shown()).to.have.length(3);
  });
});
