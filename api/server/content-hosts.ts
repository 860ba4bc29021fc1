import { readContentOrigin } from '../../shared/config/content-origin.ts';
import { trimEndOf } from '../../shared/util/trim.ts';

/** A host that serves raw pages and nothing else. */
export interface ContentHost {
  /** The id of the drop that owns the host, or another text, which matches no drop; null for an invalid host. */
  readonly label: string | null;
}

export interface ContentHosts {
  /**
   * null: the service's own host, which is every name that is not below CONTENT_ORIGIN's domain. All below are content hosts,
   * so no unusual spelling of one reaches the service. @param host the Host header
   */
  find(host: string | undefined): ContentHost | null;
  /** `https://<drop id>.drops.example` */
  originOf(dropId: string): string;
}

/**
 * Each drop has an origin below CONTENT_ORIGIN, named by its internal id: slugs are case-sensitive and secret, host names are
 * not. @returns null if CONTENT_ORIGIN is ''
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
      const bare = trimEndOf(name, '.'); // browsers treat `name.` as another origin of the same host
      return bare === domain || bare.endsWith(below) ? { label: null } : null;
    },
    originOf: (dropId) => `${protocol}//${dropId}${below}${port}`,
  };
}
