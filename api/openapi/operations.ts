import type { Config } from '../../shared/config.ts';
import { describeRequests } from '../requests/describe.ts';
import { accountOperations } from './operations/account.ts';
import { dropOperations } from './operations/drops.ts';
import { pageOperations } from './operations/pages.ts';
import { publicOperations } from './operations/public.ts';
import { serviceOperations } from './operations/service.ts';
import { signInPageOperations } from './operations/sign-in-pages.ts';

/** What the published description says of every endpoint; routes.ts puts each beside its handler. */
export function createOperations(config: Config) {
  const requests = describeRequests(config);
  return {
    account: accountOperations(config, requests),
    drops: dropOperations(config, requests),
    pages: pageOperations(requests),
    publics: publicOperations(config, requests),
    service: serviceOperations(config),
    signInPages: signInPageOperations,
  };
}
