/** The sign-in pages. Every path is below `code`: on http that is the path of the sign-in cookie. */
export const signInPaths = {
  code: '/sign-in',
  callback: '/sign-in/github/callback',
  local: '/sign-in/local',
  approve: '/sign-in/approve',
  done: '/sign-in/done',
} as const;

/** The page with the code filled in. */
export function codePathWith(code: string): string {
  return `${signInPaths.code}?${new URLSearchParams({ code })}`;
}

/** The viewer page of a drop. */
export function pagePath(slug: string): string {
  return `/p/${slug}`;
}

/** The raw page of a drop, on the service's host and on the drop's own. */
export function rawPath(slug: string): string {
  return `${pagePath(slug)}/raw`;
}

export function pageUrl(baseUrl: string, slug: string): string {
  return baseUrl + pagePath(slug);
}

/** The form that reports a page to the operators. @param version null for the latest */
export function reportPath(slug: string, version: number | null): string {
  return version === null ? `/report/${slug}` : `/report/${slug}?v=${version}`;
}

/** RFC 9116, section 3. */
export const securityTxtPath = '/.well-known/security.txt';

/** What the service publishes for programs. */
export const servicePaths = {
  onboarding: '/api/onboard',
  openapi: '/openapi.json',
  discovery: '/.well-known/dropleaf.json',
  docs: '/docs',
  signInStart: '/api/auth/start',
  signInPoll: '/api/auth/poll',
} as const;
