import type { Services } from '../../shared/engines/open-services.ts';
import type { Assets } from '../html/assets.ts';
import type { Layout } from '../html/layout.ts';
import type { ApiDescription } from '../openapi/document.ts';
import type { ReadBody } from './body.ts';
import type { ReadForm } from './form.ts';
import type { SessionAccess } from './session.ts';

/** What the routes of a resource are made of. */
export interface RouteParts {
  readonly services: Services;
  readonly readBody: ReadBody;
  readonly assets: Assets;
  readonly layout: Layout;
  readonly readForm: ReadForm;
  readonly sessions: SessionAccess;
  /** To be called when a request comes, because it describes all routes. */
  readonly describe: () => ApiDescription;
}
