import { expect } from 'chai';
import { createMongoRenderStore } from '../../shared/adapters/mongo/render-store.ts';
import type { Artefact, RenderStore } from '../../shared/ports/render-store.ts';
import { openTestMongo, type TestMongo } from '../support/mongo.ts';

const bytes = Buffer.from('bytes');
const facts = { byteLength: bytes.length, digest: 'digest' };

function anArtefact(renderer = 1): Artefact {
  const plan = { renderer, insertAt: 0, insertion: '' };
  const head = { plan, facts: { identity: facts, br: facts, gzip: facts }, contextLength: null };
  return { head, br: bytes, gzip: bytes, context: null };
}

describe('Chunks of artefacts in MongoDB', () => {
  let test: TestMongo;
  let renders: RenderStore;
  const chunks = () => test.mongo.connection.collection<{ _id: string }>('artefact_chunks');

  beforeEach(async () => {
    test = await openTestMongo();
    renders = createMongoRenderStore(test.mongo.connection);
  });
  afterEach(() => test.giveBack());

  /** The ids of the chunks that a put under way has written. */
  async function beginPut(versionId: string, renderer: string): Promise<string> {
    const _id = `${versionId}/${renderer}/uuid/000000`;
    await chunks().insertOne({ _id });
    return _id;
  }

  it('of a put that was not the first are removed', async () => {
    for (let i = 0; i < 2; i++) await renders.put('v1', anArtefact());
    expect(await chunks().countDocuments()).to.equal(1);
  });

  it('of an interrupted put are listed and deleted with their version', async () => {
    await beginPut('v1', '000001');
    expect(await renders.listIds('', 'z', 10)).to.deep.equal(['v1']);
    await renders.delete(['v1']);
    expect(await chunks().countDocuments()).to.equal(0);
  });

  it('of a put under way stay when older artefacts are deleted', async () => {
    await renders.put('v1', anArtefact(1));
    const begun = await beginPut('v1', '000002');
    expect(await renders.deleteOlder('v1', 3)).to.equal(true);
    expect((await chunks().find().toArray()).map(({ _id }) => _id)).to.deep.equal([begun]);
  });

  it('are read without the record: a head takes one command, and a part one', async () => {
    await renders.put('v1', anArtefact());
    const commands: string[] = [];
    const note = ({ commandName }: { commandName: string }) => commands.push(commandName);
    const client = test.mongo.connection.getClient();
    client.on('commandStarted', note);
    const head = await renders.findHead('v1', 1);
    expect(head && (await renders.findPart('v1', head, 'gzip'))).to.deep.equal(new Uint8Array(bytes));
    await renders.put('v2', anArtefact());
    client.off('commandStarted', note);
    expect(commands).to.deep.equal(['find', 'find', 'insert', 'insert']);
  });
});
