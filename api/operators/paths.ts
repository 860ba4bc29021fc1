import { dashboardPaths } from '../http/paths.ts';

const { operators } = dashboardPaths;
const page = (slug: string) => `${operators}/pages/${slug}`;
const account = (id: string) => `${operators}/accounts/${id}`;

/** The pages for operators. The parts of a page or an account are below its path. */
export const operatorPaths = {
  reports: operators,
  find: `${operators}/find`,
  log: `${operators}/log`,
  page,
  inspect: (slug: string) => `${page(slug)}/inspect`,
  frame: (slug: string) => `${page(slug)}/frame`,
  source: (slug: string) => `${page(slug)}/source`,
  takedown: (slug: string) => `${page(slug)}/takedown`,
  restore: (slug: string) => `${page(slug)}/restore`,
  closeReports: (slug: string) => `${page(slug)}/close-reports`,
  closeReport: (id: string) => `${operators}/reports/${id}/close`,
  deleteComment: (id: string) => `${operators}/comments/${id}/delete`,
  account,
  suspend: (id: string) => `${account(id)}/suspend`,
  unsuspend: (id: string) => `${account(id)}/unsuspend`,
  revoke: (id: string) => `${account(id)}/revoke-tokens`,
} as const;
