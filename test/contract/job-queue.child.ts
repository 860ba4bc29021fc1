// A process of its own: opens the database named by the first argument, asks for a `drop.remove` of the drop named
// by the second, and hangs in its handler until it is killed. Says `entered` when it is there.
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const [path = '', dropId = ''] = process.argv.slice(2);
const clock = { now: () => Date.now() };
const queue = createSqliteJobQueue({
  db: openDatabase(path),
  clock,
  log: createRecordingLog(),
  concurrency: 4,
});
const nothing = async () => undefined;

queue.start({
  'version.render': nothing,
  'edge.purge': nothing,
  'drop.remove': () => {
    process.stdout.write('entered\n');
    return new Promise(() => undefined);
  },
  'sign-in.expire': nothing,
  'views.aggregate': nothing,
  'store.reconcile': nothing,
});
await queue.enqueue('drop.remove', { dropId });
