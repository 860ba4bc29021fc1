import { readContentOrigin } from '../../shared/config/content-origin.ts';

/** A host that serves raw pages and nothing else. */
export interface ContentHost {
  /** The id of the drop whose host it is, or any other text, which is no drop's; null where it can be nobody's. */
  readonly label: string | null;
}

export interface ContentHosts {
  /**
   * What a request's Host header names; null for the service's own host, which every name is that is not below the
   * domain. Whatever stands below it is a content host, so that no odd spelling of one is served the service itself.
   */
  find(host: string | undefined): ContentHost | null;
  /** `https://<drop>.drops.example`; null where drops have no hosts of their own. */
  originOf(dropId: string): string | null;
}

/**
 * CONTENT_ORIGIN. A drop's label is its inner id: a slug is case-sensitive, which DNS is not, and is the secret that a
 * host name, which travels in the open, must not tell. The id opens nothing, and no other drop ever gets it.
 * @param setting as configured; '' for none
 */
export function createContentHosts(setting: string): ContentHosts {
  const content = readContentOrigin(setting);
  if (content === null) return { find: () => null, originOf: () => null };
  const { protocol, domain, port } = content;
  const below = `.${domain}`;
  const ownPort = port || (protocol === 'https:' ? ':443' : ':80');

  return {
    find(host) {
      if (host === undefined) return null;
      const [, name = '', sentPort = ''] = /^(.*?)(:\d*)?$/.exec(host.toLowerCase()) ?? [];
      if (name.endsWith(below) && (sentPort === port || sentPort === ownPort))
        return { label: name.slice(0, -below.length) };
      const bare = name.replace(/\.+$/, ''); // a dot at its end makes another origin of the same host
      return bare === domain || bare.endsWith(below) ? { label: null } : null;
    },
    originOf: (dropId) => `${protocol}//${dropId}${below}${port}`,
  };
}
