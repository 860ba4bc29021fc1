import { type Mongo, openMongo } from '../../shared/mongo/connection.ts';
import { collectionsOf, migrate } from '../../shared/mongo/migrate.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { newMongoUri, withLongTimeouts } from './mongo-uri.ts';
import { atRunEnd } from './run-end.ts';

export { newMongoUri } from './mongo-uri.ts';

/** A database with all collections and indexes and nothing in them. */
export interface TestMongo {
  /** Its client emits `commandStarted` for each command. */
  readonly mongo: Mongo;
  /** For whole services, which open connections of their own. Has options already. */
  readonly uri: string;
  /** Empties it for another test. */
  close(): Promise<void>;
}

const made: TestMongo[] = [];
const free: TestMongo[] = [];

// A database takes longer to make than to empty, so the tests of a process share some.
atRunEnd(async () => {
  free.length = 0;
  for (const { mongo } of made.splice(0)) {
    await mongo.connection.dropDatabase();
    await mongo.close();
  }
});

/** One that no other test has until it is given back. Dropped after the last test of the process. */
export async function openTestMongo(): Promise<TestMongo> {
  return free.pop() ?? (await makeTestMongo());
}

/** One that nobody has had: what the server knows of an emptied one's sizes is of no use to the planner of queries. */
export async function makeTestMongo(): Promise<TestMongo> {
  const uri = withLongTimeouts(newMongoUri());
  const log = createRecordingLog();
  const mongo = await openMongo({ uri: `${uri}&monitorCommands=true`, maxConnections: 20, log });
  await migrate(mongo, log);
  const fresh: TestMongo = {
    mongo,
    uri,
    async close() {
      await empty(mongo);
      free.push(fresh);
    },
  };
  made.push(fresh);
  return fresh;
}

/** Most collections have nothing in them, and one question for all takes less time than 20 deletions. */
async function empty({ connection }: Mongo): Promise<void> {
  const names = collectionsOf(connection).map(({ name }) => name);
  const oneOf = (name: string) => [{ $limit: 1 }, { $project: { _id: 0, name: { $literal: name } } }];
  const [first = '', ...others] = names;
  const found = await connection
    .collection(first)
    .aggregate<{ name: string }>([
      ...oneOf(first),
      ...others.map((name) => ({ $unionWith: { coll: name, pipeline: oneOf(name) } })),
    ])
    .toArray();
  await Promise.all(found.map(({ name }) => connection.collection(name).deleteMany({})));
}
