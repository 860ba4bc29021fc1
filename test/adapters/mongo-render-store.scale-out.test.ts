import { expect } from 'chai';
import { MongoRenders } from '../../shared/renders/mongo.ts';
import type { Artefact } from '../../shared/renders/render-store.ts';
import { anArtefact } from '../contract/records.ts';
import { useEach } from '../support/between.ts';
import { openTestMongo } from '../support/mongo.ts';

/** More than a record holds. */
const large = 'large '.repeat(20_000);

function aLargeArtefact(renderer = 1): Artefact {
  return anArtefact('any', renderer, large);
}

describe('Chunks of artefacts in MongoDB', () => {
  const test = useEach(openTestMongo);
  const renders = useEach(() => new MongoRenders(test.mongo.connection));
  const chunks = () => test.mongo.connection.collection<{ _id: string }>('artefact_chunks');

  /** The ids of the chunks that a put under way has written. */
  async function beginPut(versionId: string, renderer: string): Promise<string> {
    const _id = `${versionId}/${renderer}/uuid/000000`;
    await chunks().insertOne({ _id });
    return _id;
  }

  it('of a put that was not the first are removed', async () => {
    for (let i = 0; i < 2; i++) await renders.put('v1', aLargeArtefact());
    expect(await chunks().countDocuments()).to.equal(1);
  });

  it('of an interrupted put are listed and deleted with their version', async () => {
    await beginPut('v1', '000001');
    expect(await renders.listIds('', 'z', 10)).to.deep.equal(['v1']);
    await renders.delete(['v1']);
    expect(await chunks().countDocuments()).to.equal(0);
  });

  it('of a put under way stay when older artefacts are deleted', async () => {
    await renders.put('v1', aLargeArtefact(1));
    const begun = await beginPut('v1', '000002');
    expect(await renders.deleteOlder('v1', 3)).to.equal(true);
    expect((await chunks().find().toArray()).map(({ _id }) => _id)).to.deep.equal([begun]);
  });

  it('are read without the record: a head takes one command, and a part one', async () => {
    const commands = await commandsOf(async () => {
      await renders.put('v1', aLargeArtefact());
      await readContext('v1', large);
    });
    expect(commands).to.deep.equal(['insert', 'insert', 'find', 'find']);
  });

  it('are not needed for an ordinary page, which is stored and read with one command', async () => {
    const commands = await commandsOf(async () => {
      await renders.put('v1', anArtefact('small', 1, 'why'));
      await readContext('v1', 'why');
      await renders.put('v1', anArtefact('small', 2, 'why'));
      await renders.deleteOlder('v1', 2);
    });
    expect(commands).to.deep.equal(['insert', 'find', 'find', 'insert', 'find', 'delete']);
    expect(await chunks().countDocuments()).to.equal(0);
  });

  async function readContext(versionId: string, expected: string): Promise<void> {
    const head = await renders.findHead(versionId, 1);
    const bytes = head && (await renders.findPart(versionId, head, 'context'));
    expect(Buffer.from(bytes ?? []).toString()).to.equal(expected);
  }

  async function commandsOf(work: () => Promise<void>): Promise<string[]> {
    const commands: string[] = [];
    const note = ({ commandName }: { commandName: string }) => commands.push(commandName);
    const client = test.mongo.connection.getClient();
    client.on('commandStarted', note);
    await work().finally(() => client.off('commandStarted', note));
    return commands;
  }
});
