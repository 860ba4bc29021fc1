import type { Connection } from 'mongoose';
import type { Drop } from '../../domain/drop.ts';
import type { ModerationStore } from '../../ports/moderation-store.ts';
import { answerMs } from './connection.ts';
import { createDropCommands } from './drop-commands.ts';
import { type DropRow, dropFields, toDrop } from './drop-documents.ts';
import { atSlug, takenDownAt } from './drop-queries.ts';
import { restoring, takingDown } from './drop-updates.ts';
import { withTimeLimit } from './errors.ts';

/** Each change is one conditional update. */
export function createMongoModerationStore(connection: Connection): ModerationStore {
  const drops = createDropCommands(connection);

  async function findDrop(slug: string): Promise<Drop | null> {
    return orNull(await drops.findOne<DropRow>({ filter: atSlug(slug), fields: dropFields }));
  }

  return withTimeLimit<ModerationStore>(answerMs(connection), {
    findDrop,

    async takeDown(slug, takedown, tasks) {
      return orNull(await drops.change(atSlug(slug), takingDown(takedown, tasks)));
    },

    async restore(slug, now, tasks) {
      const restored = await drops.change(takenDownAt(slug), restoring(now, tasks));
      return restored === null ? findDrop(slug) : toDrop(restored);
    },
  });
}

function orNull(row: DropRow | null): Drop | null {
  return row === null ? null : toDrop(row);
}
