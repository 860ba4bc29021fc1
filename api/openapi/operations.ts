import type { Config } from '../../shared/config.ts';
import { describeRequests } from '../requests/describe.ts';
import { accountOperations } from './operations/account.ts';
import { dropOperations } from './operations/drops.ts';
import { pageOperations } from './operations/pages.ts';
import { serviceOperations } from './operations/service.ts';

/** What the published description says of the endpoints that programs call; routes.ts puts each beside its handler. */
export function createOperations(config: Config) {
  const requests = describeRequests(config);
  return {
    account: accountOperations(config, requests),
    drops: dropOperations(config, requests),
    pages: pageOperations(requests),
    service: serviceOperations(config),
  };
}
