/** Where the pages of the sign-in are, all below the first. */
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

/** Where people tell those who run the service of a page. @param version the one that they see; null: the latest */
export function reportPath(slug: string, version: number | null): string {
  return version === null ? `/report/${slug}` : `/report/${slug}?v=${version}`;
}

/** RFC 9116, section 3. */
export const securityTxtPath = '/.well-known/security.txt';

/** Where the service describes itself, and what that names. */
export const servicePaths = {
  onboarding: '/api/onboard',
  openapi: '/openapi.json',
  discovery: '/.well-known/dropleaf.json',
  docs: '/docs',
  signInStart: '/api/auth/start',
  signInPoll: '/api/auth/poll',
} as const;
