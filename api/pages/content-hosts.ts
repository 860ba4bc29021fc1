import { type ContentOrigin, readContentOrigin } from '../../shared/config/content-origin.ts';
import { trimEndOf } from '../../shared/util/trim.ts';

/** A host that serves raw pages and nothing else. */
export interface ContentHost {
  /** The id of the drop that owns the host, or another text, which matches no drop; null for an invalid host. */
  readonly label: string | null;
}

/**
 * Each drop has an origin below CONTENT_ORIGIN, named by its internal id: slugs are case-sensitive and secret, host names are
 * not.
 */
export class ContentHosts {
  readonly #content: ContentOrigin;

  private constructor(content: ContentOrigin) {
    this.#content = content;
  }

  /** @param setting CONTENT_ORIGIN @returns null if it is '' */
  static from(setting: string): ContentHosts | null {
    const content = readContentOrigin(setting);
    return content && new ContentHosts(content);
  }

  /**
   * null: the service's own host, which is every name that is not below CONTENT_ORIGIN's domain. All below are content hosts,
   * so no unusual spelling of one reaches the service. @param host the Host header
   */
  find(host: string | undefined): ContentHost | null {
    if (host === undefined) return null;
    const { protocol, domain, port } = this.#content;
    const below = `.${domain}`;
    const ownPort = port || (protocol === 'https:' ? ':443' : ':80');
    const [, name = '', sentPort = ''] = /^(.*?)(:\d*)?$/.exec(host.toLowerCase()) ?? [];
    if (name.endsWith(below) && (sentPort === port || sentPort === ownPort))
      return { label: name.slice(0, -below.length) };
    const bare = trimEndOf(name, '.'); // browsers treat `name.` as another origin of the same host
    return bare === domain || bare.endsWith(below) ? { label: null } : null;
  }

  /** `https://<drop id>.drops.example` */
  originOf(dropId: string): string {
    const { protocol, domain, port } = this.#content;
    return `${protocol}//${dropId}.${domain}${port}`;
  }
}
