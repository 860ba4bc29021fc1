/** Where the pages of the sign-in are. The first is also what their cookie is for. */
export const signInPaths = {
  code: '/sign-in',
  callback: '/sign-in/github/callback',
  local: '/sign-in/local',
  approve: '/sign-in/approve',
  done: '/sign-in/done',
} as const;

/** The code's page with the code filled in. */
export function codePathWith(code: string): string {
  return `${signInPaths.code}?${new URLSearchParams({ code })}`;
}

/** Where people open a drop. */
export function pagePath(slug: string): string {
  return `/p/${slug}`;
}

/** Where its raw page is, on the service's own host and on the drop's. */
export function rawPath(slug: string): string {
  return `${pagePath(slug)}/raw`;
}

/** The same as a whole address. */
export function pageUrl(baseUrl: string, slug: string): string {
  return baseUrl + pagePath(slug);
}
