import { expect } from 'chai';
import { readMessage } from '../../api/mcp/message.ts';
import { parseJson } from '../../shared/domain/json.ts';

describe('readMessage', () => {
  /** @returns what became of the arguments, and how many bytes were parsed in the thread */
  async function read(args: unknown) {
    let parsedAside = 0;
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', arguments: args } };
    const given = await readMessage(message, async (bytes) => {
      parsedAside += bytes.length;
      return parseJson(bytes);
    });
    return { given, parsedAside };
  }

  it('parses a text of arguments above 256 KB away from the event loop', async () => {
    for (const [length, isAside] of [
      [100_000, false],
      [270_000, true],
    ] as const) {
      const args = { html: '\u00e9'.repeat(length / 2) };
      const { given, parsedAside } = await read(JSON.stringify(args));
      expect(given).to.have.deep.nested.property('params.arguments', args);
      expect(parsedAside > 0, `${length} bytes`).to.equal(isAside);
    }
  });

  it('takes __proto__ as the name of a member like any other', async () => {
    const { given } = await read('{"__proto__":{"title":"x"}}');
    const { params } = given as { params: { arguments: object } };
    expect(Object.keys(params.arguments)).to.deep.equal(['__proto__']);
    expect(params.arguments).to.not.have.property('title');
  });
});
