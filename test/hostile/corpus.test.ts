import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import { expectError } from '../support/expect.ts';
import { noLimits } from '../support/no-limits.ts';
import { type Owner, useService } from '../support/service.ts';
import { exchange, openConnection } from '../support/socket.ts';
import { bodies } from './bodies.ts';
import { describeRight, type HostileCase, type Right } from './case.ts';
import { headers } from './headers.ts';
import { parameters } from './parameters.ts';
import { paths } from './paths.ts';
import { rawBytes } from './raw-bytes.ts';

const passcode = 'open-sesame';

describe('Each hostile request gets its one right answer, and the service keeps working', () => {
  const service = useService({
    ...noLimits,
    SIGN_IN_STARTS_PER_MINUTE: '1000000',
    PASSCODE_TRIES: '1000000',
    PASSCODE_TRIES_PER_DROP: '1000000',
  });
  let owner: Owner;
  let names: Readonly<Record<string, string>>;

  before(async () => {
    owner = await service.newOwner();
    const { slug } = await owner.create({ metadata: { a: 'b' } });
    const { slug: locked } = await owner.create({ passcode });
    names = { slug, locked, token: owner.token, base: service.url };
  });

  afterEach('others are served', async () => {
    const raw = await service.get(`/p/${names.slug}/raw`);
    expect(`${raw.status} ${raw.text}`).to.match(/^200 .*A page/);
    expect((await owner.get(`/api/drops/${names.slug}`)).body.latest_version).to.equal(1);
  });

  const fill = (text: string) =>
    text.replace(/\{(slug|locked|token|base)\}/g, (_, name) => names[name] ?? '');

  function expectRight(answer: Answer, right: Right): void {
    if (right.code === undefined) expect(answer.status, answer.text.slice(0, 300)).to.equal(right.status);
    else {
      const details = expectError(answer, right.status, right.code);
      if (right.field !== undefined) expect(details.field).to.equal(right.field);
      if (right.header !== undefined) expect(details.header).to.equal(right.header);
      expect(answer.headers['x-content-type-options']).to.equal('nosniff');
      expect(answer.headers['content-security-policy']).to.match(/^(sandbox|default-src 'none')/);
      expect(answer.headers['cache-control']).to.equal('private, no-store');
    }
    if (right.text !== undefined) expect(answer.text).to.include(fill(right.text));
  }

  for (const [kind, cases] of Object.entries({ bodies, parameters, paths, headers })) {
    describe(kind, () => {
      for (const one of cases) {
        it(`${one.name}: ${describeRight(one.answer)}`, async () => {
          expectRight(await exchange(service.url, requestOf(one, fill)), one.answer);
        });
      }
    });
  }

  describe('bytes', () => {
    for (const { name, text, answers, isEnded } of rawBytes) {
      it(`${name}: ${summaryOf(answers)}${isEnded ? ', and the connection ends' : ''}`, async () => {
        const connection = await openConnection(service.url);
        try {
          await connection.send(Buffer.from(fill(text), 'latin1'));
          for (const right of answers) expectRight(await connection.answer(), right);
          if (!isEnded) await connection.send(Buffer.from(fill('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')));
          const next = await connection.answer().then(
            ({ status }) => String(status),
            ({ message }) => message,
          );
          expect(next).to.match(isEnded ? /ended after 0 bytes/ : /^200$/);
        } finally {
          connection.close();
        }
      });
    }
  });
});

/** The bytes of the request. A header that the case names is not sent a second time. */
function requestOf(one: HostileCase, fill: (text: string) => string): Buffer {
  const { method = 'GET', path, headers: lines = [], isAnonymous = false } = one;
  const body = one.body === undefined ? null : Buffer.from(one.body());
  const own = new Set(lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase()));
  const usual = [
    'host: localhost',
    ...(isAnonymous ? [] : ['authorization: Bearer {token}']),
    ...(body === null ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
  ];
  const others = usual.filter((line) => !own.has(line.slice(0, line.indexOf(':'))));
  const head = [`${method} ${path} HTTP/1.1`, ...lines, ...others, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(fill(head), 'latin1'), body ?? Buffer.alloc(0)]);
}

function summaryOf(answers: readonly Right[]): string {
  return answers.length > 5 ? `${answers.length} answers` : answers.map(describeRight).join(', then ');
}
