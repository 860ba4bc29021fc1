import { readContentOrigin } from '../../shared/config/content-origin.ts';

/** A host that serves raw pages and nothing else. */
export interface ContentHost {
  /** The id of the drop that owns the host, or another text, which matches no drop; null for an invalid host. */
  readonly label: string | null;
}

export interface ContentHosts {
  /**
   * @param host the Host header
   * @returns null for the service's own host: every name that is not below the domain of CONTENT_ORIGIN. Every name
   *   below it is a content host, so that no unusual spelling of one reaches the service itself.
   */
  find(host: string | undefined): ContentHost | null;
  /** `https://<drop id>.drops.example` */
  originOf(dropId: string): string;
}

/**
 * Gives each drop an origin below CONTENT_ORIGIN: its internal id, because a slug is case-sensitive and a secret, while host
 * names are case-insensitive and visible to the network.
 * @returns null if CONTENT_ORIGIN is ''
 */
export function createContentHosts(setting: string): ContentHosts | null {
  const content = readContentOrigin(setting);
  if (content === null) return null;
  const { protocol, domain, port } = content;
  const below = `.${domain}`;
  const ownPort = port || (protocol === 'https:' ? ':443' : ':80');

  return {
    find(host) {
      if (host === undefined) return null;
      const [, name = '', sentPort = ''] = /^(.*?)(:\d*)?$/.exec(host.toLowerCase()) ?? [];
      if (name.endsWith(below) && (sentPort === port || sentPort === ownPort))
        return { label: name.slice(0, -below.length) };
      const bare = name.replace(/\.+$/, ''); // browsers treat `name.` as another origin of the same host
      return bare === domain || bare.endsWith(below) ? { label: null } : null;
    },
    originOf: (dropId) => `${protocol}//${dropId}${below}${port}`,
  };
}
