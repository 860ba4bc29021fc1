import type { Accounts } from '../shared/accounts/accounts.ts';
import type { Resolutions } from '../shared/comments/resolutions.ts';
import type { Config } from '../shared/config/config.ts';
import type { Clock } from '../shared/domain/clock.ts';
import type { EdgePurger } from '../shared/edge/edge-purger.ts';
import type { Stores } from '../shared/engines/engine.ts';
import type { FindQuotes } from '../shared/html/quotes.ts';
import type { AccessEnd } from '../shared/identities/access-end.ts';
import type { JobMonitor, JobProducer } from '../shared/jobs/job-queue.ts';
import type { Log } from '../shared/log/log.ts';
import type { Rendering } from '../shared/renders/rendering.ts';
import type { Sealer } from '../shared/secrets/sealer.ts';
import type { RefreshingProvider } from '../shared/sign-ins/identity-provider.ts';

/** What the jobs use. */
export interface WorkerDeps {
  readonly engine: Stores;
  readonly jobs: JobProducer & Pick<JobMonitor, 'listFailed'>;
  /** null: there is no edge cache. */
  readonly purger: EdgePurger | null;
  readonly accounts: Pick<Accounts, 'finishRemoval'>;
  /** null: nobody signs in at an OpenID provider. */
  readonly oidc: RefreshingProvider | null;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly accessEnd: Pick<AccessEnd, 'end'>;
  readonly rendering: Pick<Rendering, 'renderForJob'>;
  readonly resolutions: Pick<Resolutions, 'settle'>;
  readonly findQuotes: FindQuotes;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Pick<
    Config,
    | 'OIDC_ALLOWED_GROUPS'
    | 'OIDC_SCOPES'
    | 'SIGN_IN_KEEP_SECONDS'
    | 'EDGE_PURGE_AGAIN_SECONDS'
    | 'REPORTS_KEEP_DAYS'
    | 'AUDIT_KEEP_DAYS'
  >;
}
