import helmet from 'helmet';

/**
 * For everything but raw pages. Nothing is allowed unless a page says what it needs (see pages/).
 * @param isSecure whether the public address is an https one
 */
export function securityHeaders({ isSecure }: { isSecure: boolean }) {
  return helmet({
    // Whoever runs other services below this name decides for those.
    strictTransportSecurity: isSecure && { includeSubDomains: false },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'same-origin' },
    // For browsers and plug-ins that are gone.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}
