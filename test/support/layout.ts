import { type Assets, loadAssets } from '../../api/html/assets.ts';
import { createLayout, type Layout, type PageParts } from '../../api/html/layout.ts';

/** People have no addresses. */
export const ways = { SIGN_IN: '', GITHUB_CLIENT_ID: '', OIDC_ISSUER: '', SHARING: 'link' } as const;

/** What routes and views need to make pages outside of a service. */
export function createTestPages(BASE_URL = 'https://drops.example'): { assets: Assets; layout: Layout } {
  const assets = loadAssets();
  return { assets, layout: createLayout({ assets, config: { BASE_URL, ...ways } }) };
}

const { layout } = createTestPages();

/** The complete page in the narrow layout. */
export const pageOf = (parts: PageParts) => layout.page(parts);
/** The complete page in the layout of its own. */
export const barePageOf = (parts: PageParts) => layout.bare(parts);
