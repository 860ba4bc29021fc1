// A child process: enqueues a `drop.remove` job for the drop of the second argument, prints `entered` in its handler
// and hangs there until it is killed. The first argument is JSON: `{"path"}` of a SQLite database, or `{"url","prefix","stallMs"}`.

import { RedisJobQueue } from '../../shared/jobs/redis.ts';
import { SqliteJobQueue } from '../../shared/jobs/sqlite.ts';
import { openRedis } from '../../shared/redis/connection.ts';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { recordingHandlers } from './job-fixture.ts';

const [where = '', dropId = ''] = process.argv.slice(2);
const place = JSON.parse(where) as { path: string } | { url: string; prefix: string; stallMs: number }; // proof: see above
const options = { log: createRecordingLog(), concurrency: 4 };

const queue =
  'path' in place
    ? new SqliteJobQueue({ ...options, db: openDatabase(place.path), clock: { now: () => Date.now() } })
    : new RedisJobQueue({
        ...options,
        stallMs: place.stallMs,
        redis: await openRedis({ ...place, rejectUnauthorized: true, log: options.log }),
      });

function hang(): Promise<never> {
  process.stdout.write('entered\n');
  return new Promise(() => undefined);
}

queue.start(recordingHandlers([], { 'drop.remove': hang }));
await queue.enqueue('drop.remove', { dropId });
