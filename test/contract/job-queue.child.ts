// A process of its own: opens the line of jobs that the first argument names, asks for a `drop.remove` of the drop
// named by the second, and hangs in its handler until it is killed. Says `entered` when it is there.
// The first argument is JSON: `{"path"}` of a SQLite database, or `{"url","prefix","lockMs","stallMs"}` for Redis.
import { openRedis } from '../../shared/adapters/redis/connection.ts';
import { createRedisJobQueue } from '../../shared/adapters/redis/job-queue.ts';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const [where = '', dropId = ''] = process.argv.slice(2);
// proof: `createHangingProcesses` writes it, and is given one of the two
const place = JSON.parse(where) as
  | { path: string }
  | { url: string; prefix: string; lockMs: number; stallMs: number };
const log = createRecordingLog();
const nothing = async () => undefined;

const queue =
  'path' in place
    ? createSqliteJobQueue({
        db: openDatabase(place.path),
        clock: { now: () => Date.now() },
        log,
        concurrency: 4,
      })
    : createRedisJobQueue({
        ...place,
        redis: await openRedis({ ...place, rejectUnauthorized: true, log }),
        log,
        concurrency: 4,
      });

queue.start({
  'version.render': nothing,
  'version.squeeze': nothing,
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
