import type { Config } from '../../shared/config/config.ts';
import { accountOperations } from '../account/operations.ts';
import { dropOperations } from '../drops/operations.ts';
import { pageOperations } from '../pages/operations.ts';
import { serviceOperations } from '../service/operations.ts';
import { describeRequests } from './requests.ts';

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
