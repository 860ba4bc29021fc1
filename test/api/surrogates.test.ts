import { expect } from 'chai';
import { findIllFormed } from '../../shared/domain/json.ts';
import type { Answer } from '../support/client.ts';
import { cpuMsOf, longestTurnOf } from '../support/cpu.ts';
import { expectError } from '../support/expect.ts';
import { connectMcp } from '../support/mcp.ts';
import { useOwner, useService } from '../support/service.ts';

const html = '<!doctype html><p>Hi';

/** As Python's surrogateescape leaves a byte of Latin-1, each half alone, the halves in the wrong order, and one after a pair. */
const halves = ['\udce9', 'a\ud83d', '\ude00\ud83d', '😀\udfff'];

describe('Half of a surrogate pair in JSON', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000', CHANGES_PER_MINUTE: '1000' });
  const owner = useOwner(service);

  function expectNamed(answer: Answer, field: string) {
    const details = expectError(answer, 400, 'invalid_arg');
    expect(details.field, answer.text).to.equal(field);
    expect(answer.body.error.message).to.match(/surrogate/);
  }

  const post = (path: string, body: object) => owner.request('POST', path, { body });

  it('400 invalid_arg with the field in each text of a new drop and of a change; nothing is stored', async () => {
    const { slug } = await owner.create();
    for (const half of halves) {
      for (const [field, value] of [
        ['html', `<p>${half}`],
        ['title', half],
        ['description', half],
        ['context', half],
        ['passcode', `abcd${half}`],
      ] as const) {
        expectNamed(await post('/api/drops', { title: 't', html, [field]: value }), field);
        expectNamed(
          await owner.request('PUT', `/api/drops/${slug}`, { body: { html, [field]: value } }),
          field,
        );
      }
      for (const field of ['title', 'description'])
        expectNamed(await owner.request('PATCH', `/api/drops/${slug}`, { body: { [field]: half } }), field);
    }
    const { data } = (await owner.get('/api/drops')).body;
    expect(data).to.have.length(1);
    expect((await owner.get(`/api/drops/${slug}`)).body.latest_version).to.equal(1);
  });

  it('in values and names of metadata, and in a field that is ignored', async () => {
    const metadata = (map: object) => post('/api/drops', { title: 't', html, metadata: map });
    expectNamed(await metadata({ team: 'a', unit: '\udce9' }), 'metadata.unit');
    expectNamed(await metadata({ 'a\udce9': 'x' }), 'metadata.a\ufffd');
    expectNamed(
      await post('/api/drops', { title: 't', html, other: [{ a: ['x', '\udce9'] }] }),
      'other[0].a[1]',
    );
    expectNamed(await post('/api/drops', { title: 't', html, '\udce9': 1 }), '\ufffd');
  });

  it('in comments with their anchors, replies, passcodes, labels, uploads and a context', async () => {
    const { slug } = await owner.create();
    const path = `/api/drops/${slug}`;
    const { body: comment } = await post(`${path}/comments`, { text: 'Hi' });
    const half = 'a\udce9';
    for (const [where, body, field] of [
      [`${path}/comments`, { text: half }, 'text'],
      [`${path}/comments`, { text: 'Hi', anchor: { quote: half } }, 'anchor.quote'],
      [`${path}/comments`, { text: 'Hi', anchor: { quote: 'Hi', prefix: half } }, 'anchor.prefix'],
      [`/api/comments/${comment.id}/replies`, { text: half }, 'text'],
      [`${path}/passcode`, { passcode: `abcd${half}` }, 'passcode'],
      ['/api/auth/start', { label: half }, 'label'],
      ['/api/uploads', { title: half }, 'title'],
      ['/api/uploads', { context: half }, 'context'],
    ] as const)
      expectNamed(await post(where, body), field);
    const replacing = { html, resolves: [comment.id], resolves_reply: half };
    expectNamed(await owner.request('PUT', path, { body: replacing }), 'resolves_reply');
    expectNamed(await owner.request('PUT', path, { body: { html, resolves: [half] } }), 'resolves[0]');
  });

  it('a body that is only such a text names the body', async () => {
    expectNamed(await owner.request('POST', '/api/drops', { raw: '"\\udce9"' }), 'body');
  });

  it('pairs stay, escaped or not', async () => {
    const raw = '{"title":"\\ud83d\\ude00 😀","html":"<p>\\uD83D\\uDE00"}';
    const { status, body } = await owner.request('POST', '/api/drops', { raw });
    expect([status, body.title]).to.deep.equal([201, '😀 😀']);
    expect((await owner.get(`/api/drops/${body.slug}/html`)).text).to.equal('<p>😀');
  });

  it('in an argument of an MCP tool: an error of the tool that names it', async () => {
    const mcp = await connectMcp(service, owner, '2025-11-25');
    for (const [tool, args, field] of [
      ['publish_drop', { title: 't', html: '<p>\udce9' }, 'html'],
      ['publish_drop', { title: '\udce9', html }, 'title'],
      ['publish_drop', { title: 't', html, metadata: { a: '\udce9' } }, 'metadata.a'],
      ['publish_drop', { title: 't', html, '\udce9': 'x' }, '\ufffd'],
      ['list_drops', { q: '\udce9' }, 'q'],
      ['get_drop', { slug: '\udce9' }, 'slug'],
    ] as const) {
      const { error } = await mcp.call(tool, args);
      expect([error?.code, error?.details?.field], tool).to.deep.equal(['invalid_arg', field]);
    }
    await mcp.sdk.close();
    expect((await owner.get('/api/drops')).body.data).to.have.length(0);
  });

  it('a large body is looked at in the thread that parses it', async () => {
    const raw = `{"title":"t","html":"${'漢'.repeat(650_000)}\\udce9"}`;
    const send = async () => expectNamed(await owner.request('POST', '/api/drops', { raw }), 'html');
    expect(await longestTurnOf(send, 60)).to.be.below(60);
  });

  it('two million characters, or a thousand members, take milliseconds', () => {
    const text = JSON.parse(`"${'漢'.repeat(2_000_000)}"`);
    const members = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [`${n}漢`.repeat(500), '漢'.repeat(500)]),
    );
    for (const value of [text, members]) {
      expect(findIllFormed(value)).to.equal(null);
      expect(cpuMsOf(() => findIllFormed(value), 30)).to.be.below(30);
    }
  });
});
