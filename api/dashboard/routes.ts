import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { accountPageRoutes } from './account/page.ts';
import { dashboardCommentRoutes } from './comments/page.ts';
import { contextRoutes } from './drop/context.ts';
import { editRoutes } from './drop/edit.ts';
import { ownedDropRoutes } from './drop/page.ts';
import { passcodeRoutes } from './drop/passcode.ts';
import { shareRoutes } from './drop/share.ts';
import { changeRoutes } from './history/changes.ts';
import { compareRoutes } from './history/compare.ts';
import { historyRoutes } from './history/versions.ts';
import { listRoutes } from './list/page.ts';
import { newDropRoutes } from './new/drop.ts';
import { newVersionRoutes } from './new/version.ts';
import { sharedRoutes } from './shared/page.ts';

/** The pages for owners. */
export function dashboardRoutes(parts: RouteParts): readonly Route[] {
  return [
    // Before the pages of one drop, whose paths match these, too.
    ...listRoutes(parts),
    ...newDropRoutes(parts),
    ...ownedDropRoutes(parts),
    ...editRoutes(parts),
    ...shareRoutes(parts),
    ...passcodeRoutes(parts),
    ...contextRoutes(parts),
    ...newVersionRoutes(parts),
    ...compareRoutes(parts),
    ...historyRoutes(parts),
    ...changeRoutes(parts),
    ...sharedRoutes(parts),
    ...dashboardCommentRoutes(parts),
    ...accountPageRoutes(parts),
  ];
}
