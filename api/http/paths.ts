/** The sign-in pages. Every path is below `code`: on http that is the path of the sign-in cookie. */
export const signInPaths = {
  code: '/sign-in',
  browser: '/sign-in/browser',
  /** Where a sign-in ends that began in a tab of its own. */
  ready: '/sign-in/ready',
  local: '/sign-in/local',
  approve: '/sign-in/approve',
  done: '/sign-in/done',
  /** After a sign-out. */
  out: '/sign-in/out',
} as const;

/** The query of a page of the sign-in: the person wants another account than the one that they would have. */
export const otherField = 'other';

export function withOther(path: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${otherField}=1`;
}

export function codePathWith(code: string): string {
  return `${signInPaths.code}?${new URLSearchParams({ code })}`;
}

/** The page where a person signs in. @param next the page to open then; '' for the first of the dashboard */
export function browserSignInPath(next: string): string {
  return next === '' ? signInPaths.browser : `${signInPaths.browser}?${new URLSearchParams({ next })}`;
}

export const dashboardPaths = {
  drops: '/drops',
  shared: '/shared',
  comments: '/comments',
  account: '/account',
  operators: '/operators',
  signOut: '/sign-out',
} as const;

/** The answers to people who ask for access, on the page of comments. */
export const requestsPath = `${dashboardPaths.comments}/requests`;

/** Adds ways to sign in; below it are the pages that remove them. */
export const waysPath = '/account/ways';

/** Whether the page is only for a session that has just begun. */
export function isFreshPath(path: string): boolean {
  return path === waysPath || path.startsWith(`${waysPath}/`);
}

export function isOperatorPath(path: string): boolean {
  return /^\/operators(?![^/?])/.test(path);
}

export const newDropPath = '/drops/new';

/** The frame that shows a document before it is published. */
export const previewPath = '/preview';

/** The viewer page of a drop. */
export function pagePath(slug: string): string {
  return `/p/${slug}`;
}

/** A PNG. @param digest of what it shows: other websites cache pictures by address. The service ignores it */
export function cardPath(slug: string, digest: string | null = null): string {
  return `${pagePath(slug)}/card.png${digest === null ? '' : `?v=${digest}`}`;
}

export const oembedPath = '/oembed';

export function rawPath(slug: string): string {
  return `${pagePath(slug)}/raw`;
}

/** What the scripts and menus of a viewer page ask for. */
export type PagePart = 'latest' | 'versions' | 'download' | 'print' | 'qr.svg' | 'comments' | 'ask';

/** @param version null for the latest */
export function pagePartPath(slug: string, part: PagePart, version: number | null = null): string {
  return `${pagePath(slug)}/${part}${version === null ? '' : `?v=${version}`}`;
}

export function pageUrl(baseUrl: string, slug: string): string {
  return baseUrl + pagePath(slug);
}

/** The page of a drop for its owner. */
export function ownerPath(slug: string): string {
  return `/drops/${slug}`;
}

export function newVersionPath(slug: string): string {
  return `${ownerPath(slug)}/new-version`;
}

/** The form that reports a page, or a comment on it, to the operators. @param version null for the latest */
export function reportPath(slug: string, version: number | null, comment: string | null = null): string {
  const query = new URLSearchParams({ ...(version && { v: `${version}` }), ...(comment && { comment }) });
  return query.size === 0 ? `/report/${slug}` : `/report/${slug}?${query}`;
}

/** The page of help for people. */
export const helpPath = '/help';

/** RFC 9116, section 3. */
export const securityTxtPath = '/.well-known/security.txt';

/** Its folder is the skill's name. */
export const skillPath = '/.well-known/agent-skills/dropleaf/SKILL.md';

/** What the service publishes for programs. */
export const servicePaths = {
  onboarding: '/api/onboard',
  openapi: '/openapi.json',
  discovery: '/.well-known/dropleaf.json',
  docs: '/docs',
  mcp: '/mcp',
  llms: '/llms.txt',
  skills: '/.well-known/agent-skills/index.json',
  client: '/cli.mjs',
  signInStart: '/api/auth/start',
  signInPoll: '/api/auth/poll',
} as const;

/** Gets the client and publishes a file with the local files that it names. */
export function clientCommand(baseUrl: string): string {
  return `curl -fsSO ${baseUrl}${servicePaths.client} && node cli.mjs publish page.html`;
}
