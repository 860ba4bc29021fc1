import { dashboardPaths } from '../../http/paths.ts';

const { account } = dashboardPaths;

/** The pages and forms about the account. */
export const accountPaths = {
  account,
  tokens: `${account}/tokens`,
  token: (id: string) => `${account}/tokens/${id}`,
  revoke: (id: string) => `${account}/tokens/${id}/revoke`,
  export: `${account}/export`,
  remove: `${account}/delete`,
} as const;
