import type { RequestListener, ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Clock } from '../../shared/domain/clock.ts';
import { isUnavailable } from '../../shared/domain/errors.ts';
import { newId } from '../../shared/domain/ids.ts';
import { edgeTag } from '../../shared/drops/drop.ts';
import type { EdgePurger } from '../../shared/edge/edge-purger.ts';
import { createTestClock } from '../support/clock.ts';
import { type SeenByEdge, secondsOf, useEdgeDoubles } from '../support/edge-double.ts';
import { inTimeMs } from '../support/in-time.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { inParallel, start } from './records.ts';

/** One kind of edge: its requests and its responses. */
export interface EdgeKind {
  /** @param url where the edge listens */
  createPurger(options: { url: string; token: string; timeoutMs: number; clock: Clock }): EdgePurger;
  tagsIn(request: SeenByEdge): readonly string[];
  /** The credential of the request. */
  tokenIn(request: SeenByEdge): string | undefined;
  /** The body of a 200 that confirms. */
  readonly confirmation: string;
  /** The body of a response that says why it does not. */
  refusal(why: string): string;
}

/** With characters that JSON may escape. */
const token = 's3cret/"=';
const secretPart = 's3cret';
/** For tests in which the edge answers. */
const plentyMs = inTimeMs;
const boundMs = 100;

const aTag = () => edgeTag(newId(start));

/** All texts of the error and of its causes. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const behind = error instanceof AggregateError ? error.errors : [];
  return [error.message, error.stack, ...[error.cause, ...behind].map(textOf)].join();
}

/** The behaviour of EdgePurger that all adapters share. */
export function describeEdgePurgerContract(name: string, kind: EdgeKind): void {
  describe(`EdgePurger (${name})`, () => {
    const { listen, closeAll } = useEdgeDoubles();

    const confirm = (_: unknown, response: ServerResponse) => response.writeHead(200).end(kind.confirmation);
    const refuse =
      (status: number, headers = {}): RequestListener =>
      (_, response) =>
        response.writeHead(status, headers).end(kind.refusal('because'));

    /** An edge that answers with `answer`, and a purger for it. */
    async function openScene(answer: RequestListener = confirm, timeoutMs = plentyMs) {
      const scene = { answer };
      const edge = await listen((request, response) => scene.answer(request, response));
      const clock = createTestClock(start);
      const purger = kind.createPurger({ url: edge.url, token, timeoutMs, clock });
      const purge = (tag = aTag()) => purger.purge(tag);
      return Object.assign(scene, { edge, clock, purge });
    }

    /** The message of a failed purge that names no time to wait. */
    async function failureOf(purge: Promise<void>): Promise<string> {
      const error = await rejectionOf(purge);
      expect(isUnavailable(error), 'unavailable').to.equal(false);
      expect(textOf(error)).to.not.contain(secretPart);
      return error.message;
    }

    /** The seconds to wait until the edge accepts purges. */
    async function waitOf(purge: Promise<void>): Promise<unknown> {
      const error = await rejectionOf(purge);
      expect(isUnavailable(error), String(error)).to.equal(true);
      expect(textOf(error)).to.not.contain(secretPart);
      return secondsOf(error);
    }

    it('sends the tag once for each purge that follows another, with the token', async () => {
      const { edge, purge } = await openScene();
      const tag = aTag();
      for (let i = 0; i < 3; i++) await purge(tag);
      expect(edge.seen.map(kind.tagsIn)).to.deep.equal([[tag], [tag], [tag]]);
      expect(edge.seen.map(kind.tokenIn)).to.deep.equal([token, token, token]);
    });

    it('waits for confirmation, and sends another request while one is under way', async () => {
      const held: ServerResponse[] = [];
      const { purge } = await openScene((_, response) => held.push(response));
      const received = (count: number) => until(() => held.length >= count, `the edge has ${count} requests`);
      let isOver = false;
      const tag = aTag();
      const first = purge(tag).finally(() => {
        isOver = true;
      });
      await received(1);
      const second = purge(tag);
      await received(2);
      expect(isOver).to.equal(false);
      for (const response of held) confirm(null, response);
      await Promise.all([first, second]);
    });

    it('confirms of 100 parallel purges exactly those that the edge confirmed', async () => {
      let requests = 0;
      const { edge, purge } = await openScene((request, response) => {
        requests += 1;
        const answer = requests % 2 === 1 ? confirm : refuse(500);
        answer(request, response);
      });
      const tags = Array.from({ length: 100 }, aTag);
      const outcomes = await Promise.allSettled(tags.map((tag) => purge(tag)));
      expect(edge.seen.flatMap(kind.tagsIn).sort()).to.deep.equal(tags.toSorted());
      const confirmed = edge.seen.filter((_, i) => i % 2 === 0).flatMap(kind.tagsIn);
      const fulfilled = tags.filter((_, i) => outcomes[i]?.status === 'fulfilled');
      expect(fulfilled.sort()).to.deep.equal(confirmed.sort());
    });

    for (const status of [302, 307, 400, 401, 403, 404, 500, 502, 503]) {
      it(`fails with the status if the edge answers ${status}, whatever the body says`, async () => {
        let isFirst = true; // a redirect that is followed would be confirmed
        const { edge, purge } = await openScene((_, response) => {
          response.writeHead(isFirst ? status : 200, { location: '/elsewhere' }).end(kind.confirmation);
          isFirst = false;
        });
        expect(await failureOf(purge())).to.contain(String(status));
        expect(edge.seen).to.have.length(1);
        await purge();
      });
    }

    for (const [what, fail] of [
      ['cuts the connection', (_, response) => response.destroy()],
      [
        'cuts the connection in the middle of its response',
        (_, response) => {
          const body = `${kind.confirmation} `;
          response
            .writeHead(200, { 'content-length': body.length + 10 })
            .write(body, () => response.destroy());
        },
      ],
      ['sends no HTTP', (_, response) => response.socket?.end(`200 ${token}\r\n\r\n`)],
      ['does not answer', () => undefined],
      ['does not end its response', (_, response) => response.writeHead(200).write(`${kind.confirmation} `)],
      [
        'sends an endless body',
        (_, response) => {
          const more = setInterval(() => response.write(' '), boundMs / 10);
          response.on('close', () => clearInterval(more));
        },
      ],
    ] satisfies [string, RequestListener][]) {
      it(`fails on an edge that ${what}, and works again afterwards`, async () => {
        const scene = await openScene(fail, boundMs);
        await failureOf(scene.purge());
        expect(scene.edge.seen).to.have.length.at.most(1);
        scene.answer = confirm;
        await until(
          () =>
            scene.purge().then(
              () => true,
              () => false,
            ),
          'a purge is confirmed',
        );
      });
    }

    it('fails if nothing listens', async () => {
      const { purge } = await openScene();
      await closeAll();
      await failureOf(purge());
    });

    for (const [how, spell] of [
      ['unchanged', (text) => text],
      ['with JSON escapes', (text) => text.replaceAll('s', '\\u0073').replaceAll('/', '\\/')],
    ] satisfies [string, (text: string) => string][]) {
      it(`hides a token that the edge repeats ${how}`, async () => {
        const said = spell(kind.refusal(`wrong: ${token}`));
        const { purge } = await openScene((_, response) => response.writeHead(403).end(said));
        await failureOf(purge());
      });
    }

    describe('an edge that limits purges', () => {
      const inSeconds = (seconds: number) => new Date(start + seconds * 1_000).toUTCString();

      for (const [what, status, headers, seconds] of [
        ['429 with Retry-After in seconds', 429, { 'retry-after': '7' }, 7],
        ['429 with Retry-After as a date', 429, { 'retry-after': inSeconds(20) }, 20],
        ['503 with Retry-After', 503, { 'retry-after': '3' }, 3],
        ['429 without a time', 429, {}, 10],
        ['429 with an invalid time', 429, { 'retry-after': 'soon' }, 10],
        ['429 with a time in the past', 429, { 'retry-after': inSeconds(-20) }, 1],
        ['429 for a day', 429, { 'retry-after': '86400' }, 3_600],
      ] as const) {
        it(`is unavailable for ${seconds} seconds after ${what}`, async () => {
          const { purge } = await openScene(refuse(status, headers));
          expect(await waitOf(purge())).to.equal(seconds);
        });
      }

      it('gets no request until then, and errors name the seconds left', async () => {
        const scene = await openScene(refuse(429, { 'retry-after': '10' }));
        await waitOf(scene.purge());
        scene.answer = confirm;
        scene.clock.advance(3_500);
        expect(await inParallel(40, () => waitOf(scene.purge()))).to.deep.equal(Array(40).fill(7));
        expect(scene.edge.seen).to.have.length(1);
        scene.clock.advance(6_500);
        await scene.purge();
        expect(scene.edge.seen).to.have.length(2);
      });

      it('gets requests again if the clock was set back', async () => {
        const scene = await openScene(refuse(429, { 'retry-after': '10' }));
        await waitOf(scene.purge());
        scene.answer = confirm;
        scene.clock.advance(-86_400_000);
        await scene.purge();
      });
    });
  });
}
