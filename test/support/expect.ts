import { expect } from 'chai';
import type { Answer } from './client.ts';
import { parsePage } from './html.ts';
import type { WireDrop, WireError } from './wire.ts';

/** Asserts the status and the envelope of spec section 7, and returns the details. */
export function expectError(answer: Answer<unknown>, status: number, code: string): WireError['details'] {
  expect(
    answer.headers['content-type'],
    `content type of ${answer.status}: ${answer.text.slice(0, 200)}`,
  ).to.match(/^application\/json\b/);
  return expectEnvelope(answer.body, status, code, answer.status);
}

/** The same for an envelope found elsewhere, such as in a page's script tag. */
function expectEnvelope(body: unknown, status: number, code: string, found = status): WireError['details'] {
  expect(body, 'the answer').to.be.an('object').with.all.keys('error');
  const { error } = body as { error: WireError }; // proof: the line above
  expect(`${found} ${error.code}`, error.message).to.equal(`${status} ${code}`);
  expect(error.message).to.be.a('string').and.not.equal('');
  if (error.details !== undefined) expect(error.details).to.be.an('object');
  return error.details ?? {};
}

/** The same for a page that carries the envelope, as a person's navigation gets it. */
export function expectErrorPage(answer: Answer<unknown>, status: number, code: string): WireError['details'] {
  expect(answer.headers['content-type']).to.equal('text/html; charset=utf-8');
  const script = parsePage(answer.text).find('script', { type: 'application/json' });
  return expectEnvelope(JSON.parse(script?.text ?? 'null'), status, code, answer.status);
}

/** A refusal by a limit: 429, the code, and the same seconds in `Retry-After` and in the details. */
export function expectTooMany(
  answer: Answer<unknown>,
  code: string,
  seconds?: number,
): Readonly<Record<string, unknown>> {
  const isPage = answer.headers['content-type']?.startsWith('text/html');
  const details = isPage ? expectErrorPage(answer, 429, code) : expectError(answer, 429, code);
  expect(details.retry_after_seconds).to.be.a('number').that.satisfies(Number.isInteger).and.at.least(1);
  expect(answer.headers['retry-after']).to.equal(String(details.retry_after_seconds));
  if (seconds !== undefined) expect(details.retry_after_seconds).to.equal(seconds);
  return details;
}

const always = [
  'slug',
  'title',
  'url',
  'raw_url',
  'locked',
  'latest_version',
  'view_count',
  'metadata',
  'created_at',
  'updated_at',
];

/** Asserts that the value has a drop's fields (spec section 2), every one and no other. */
export function expectDrop(value: unknown): asserts value is WireDrop {
  const isThere = (name: string) => value !== null && typeof value === 'object' && name in value;
  const present = ['description', 'expires_at', 'taken_down'].filter(isThere);
  expect(value)
    .to.be.an('object')
    .with.all.keys([...always, ...present]);
}

const tagOpen = '<'.charCodeAt(0);

/** What serving added to the document, which must be there byte for byte around it. */
export function insertionIn(document: string | Buffer, served: Buffer): string {
  const original = Buffer.from(document);
  const added = served.length - original.length;
  expect(added, 'the served page is shorter than the document').to.be.at.least(0);
  let start = 0;
  while (start < original.length && original[start] === served[start]) start++;
  // What follows may begin as what was added does: `<` of an end tag. What was added begins with a tag.
  while (start > 0 && served[start] !== tagOpen && served[start - 1] === served[start + added - 1]) start--;
  const rest = original.subarray(start);
  expect(
    served.subarray(served.length - rest.length).equals(rest),
    'the document is there, byte for byte',
  ).to.equal(true);
  return served.subarray(start, start + added).toString('utf8');
}
