import { dashboardPaths, newVersionPath, ownerPath, waysPath } from '../http/paths.ts';

/** The pages of one drop for its owner. */
export function dropPaths(slug: string) {
  const drop = ownerPath(slug);
  const version = (number: number | ':n') => `${drop}/v/${number}`;
  return {
    drop,
    edit: `${drop}/edit`,
    share: `${drop}/share`,
    passcode: `${drop}/passcode`,
    context: `${drop}/context`,
    newVersion: newVersionPath(slug),
    download: `${drop}/download`,
    remove: `${drop}/delete`,
    history: `${drop}/history`,
    compare: `${drop}/compare`,
    /** The whole difference as a file. */
    diff: `${drop}/compare/diff`,
    version,
    html: (number: number | ':n') => `${version(number)}/html`,
    restore: (number: number | ':n') => `${version(number)}/restore`,
    removeVersion: (number: number | ':n') => `${version(number)}/delete`,
  };
}

const { account } = dashboardPaths;

/** The pages and forms about the account. */
export const accountPaths = {
  account,
  tokens: `${account}/tokens`,
  token: (id: string) => `${account}/tokens/${id}`,
  /** Shows a token that was just created. */
  newToken: (id: string) => `${account}/tokens/${id}/new`,
  revoke: (id: string) => `${account}/tokens/${id}/revoke`,
  sessions: `${account}/sessions`,
  ways: waysPath,
  removeWay: (id: string) => `${waysPath}/${id}/remove`,
  defaultAccess: `${account}/default-access`,
  export: `${account}/export`,
  remove: `${account}/delete`,
} as const;
