/** Where the pages of the sign-in are, also below a BASE_URL that has a path of its own. */
export interface SignInPaths {
  /** Of the service's public address, as browsers send it. */
  readonly origin: string;
  readonly isSecure: boolean;
  /** The code's page, and what the cookie is for. */
  readonly start: string;
  readonly local: string;
  readonly approve: string;
  readonly done: string;
  /** The whole address to which the identity provider returns people. */
  readonly callbackUrl: string;
}

/** @param baseUrl without a trailing slash */
export function signInPaths(baseUrl: string): SignInPaths {
  const { origin, protocol, pathname } = new URL(baseUrl);
  const start = `${pathname.replace(/\/$/, '')}/sign-in`;
  return {
    origin,
    isSecure: protocol === 'https:',
    start,
    local: `${start}/local`,
    approve: `${start}/approve`,
    done: `${start}/done`,
    callbackUrl: `${baseUrl}/sign-in/github/callback`,
  };
}

/** The code's page with the code filled in. */
export function startWith(paths: SignInPaths, code: string): string {
  return `${paths.start}?${new URLSearchParams({ code })}`;
}
