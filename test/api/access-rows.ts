import { navigation } from '../support/person.ts';

/** What a path does with a page that is not for everybody. */
export interface Row {
  readonly method?: 'GET' | 'POST';
  /** @param id of version 1, as the frame's address has it */
  readonly path: (slug: string, id: string) => string;
  /** The route of the table; unset: server/listener.ts answers the path itself. */
  readonly route?: string;
  /**
   * `read`: for those who may read it. `right`: the passcode is not asked for. `nobody`: nothing of a restricted page.
   * `alike`: the same for every slug.
   */
  readonly opens: 'read' | 'right' | 'nobody' | 'alike';
  /** Whether a bearer token counts. */
  readonly takesToken?: true;
  /** What a person without right gets: a page with status 403, or a redirect to the viewer page, which is one. */
  readonly refusal?: 403 | 303;
  /** What a person gets who may read it, but has not entered the passcode. */
  readonly locked?: 200 | 303 | 403;
  readonly form?: string;
}

export const rows: readonly Row[] = [
  {
    path: (slug) => `/p/${slug}`,
    route: 'GET /p/:slug',
    opens: 'read',
    takesToken: true,
    refusal: 403,
    locked: 200,
  },
  { path: (slug) => `/p/${slug}?v=1`, opens: 'read', takesToken: true, refusal: 403, locked: 200 },
  {
    method: 'POST',
    path: (slug) => `/p/${slug}`,
    route: 'POST /p/:slug',
    opens: 'right',
    refusal: 403,
    form: 'passcode=wrong',
  },
  { path: (slug) => `/p/${slug}/latest`, route: 'GET /p/:slug/latest', opens: 'read', refusal: 403 },
  {
    path: (slug) => `/p/${slug}/versions`,
    route: 'GET /p/:slug/versions',
    opens: 'read',
    refusal: 303,
    locked: 303,
  },
  {
    path: (slug) => `/p/${slug}/download`,
    route: 'GET /p/:slug/download',
    opens: 'read',
    takesToken: true,
    refusal: 303,
    locked: 303,
  },
  { path: (slug) => `/p/${slug}/download?v=1`, opens: 'read', takesToken: true, refusal: 303, locked: 303 },
  {
    path: (slug) => `/p/${slug}/print`,
    route: 'GET /p/:slug/print',
    opens: 'read',
    refusal: 303,
    locked: 303,
  },
  { path: (slug) => `/p/${slug}/qr.svg`, route: 'GET /p/:slug/qr.svg', opens: 'alike' },
  { path: (slug) => `/p/${slug}/card.png`, route: 'GET /p/:slug/card.png', opens: 'nobody' },
  { path: (slug) => `/p/${slug}/card.png?v=0123456789`, opens: 'nobody' },
  { path: (slug) => `/p/${slug}/comments`, route: 'GET /p/:slug/comments', opens: 'read', refusal: 303 },
  { path: (slug) => `/p/${slug}/comments?v=1&filter=mine`, opens: 'read', refusal: 303 },
  {
    method: 'POST',
    path: (slug) => `/p/${slug}/comments`,
    route: 'POST /p/:slug/comments',
    opens: 'read',
    refusal: 403,
    form: 'act=none',
  },
  {
    method: 'POST',
    path: (slug) => `/p/${slug}/ask`,
    route: 'POST /p/:slug/ask',
    opens: 'alike',
    form: 'x=1',
  },
  { path: (slug) => `/oembed?url=BASE/p/${slug}`, route: 'GET /oembed', opens: 'nobody' },
  { path: (slug) => `/oembed?url=BASE/p/${slug}/raw&format=xml`, opens: 'nobody' },
  { path: (slug) => `/report/${slug}`, route: 'GET /report/:slug', opens: 'right', refusal: 303 },
  { path: (slug) => `/report/${slug}?v=1`, opens: 'right', refusal: 303 },
  {
    method: 'POST',
    path: (slug) => `/report/${slug}`,
    route: 'POST /report/:slug',
    opens: 'right',
    refusal: 403,
    form: 'reason=x',
  },
  { path: (slug) => `/p/${slug}/raw`, opens: 'read', takesToken: true, refusal: 403 },
  { path: (slug) => `/p/${slug}/raw?v=1`, opens: 'read', takesToken: true, refusal: 403 },
  { path: (slug) => `/p/${slug}/raw?framed=1`, opens: 'read', takesToken: true, refusal: 403 },
  { path: (slug, id) => `/p/${slug}/raw?v=1&id=${id}`, opens: 'read', takesToken: true, refusal: 403 },
  {
    path: (slug, id) => `/p/${slug}/raw?framed=1&v=1&id=${id}`,
    opens: 'read',
    takesToken: true,
    refusal: 403,
  },
  {
    path: (slug, id) => `/p/${slug}/raw?v=1&id=${id}&g=x.y.z`,
    opens: 'read',
    takesToken: true,
    refusal: 403,
  },
  { path: (slug) => `/p/${slug}/review`, opens: 'read', takesToken: true, refusal: 403 },
  { path: (slug) => `/p/${slug}/`, opens: 'alike' },
  { path: (slug) => `/p/${slug}/raw/`, opens: 'alike' },
  { method: 'POST', path: (slug) => `/p/${slug}/raw`, opens: 'alike', form: 'x=1' },
];

/** Routes with a slug that show nothing of other accounts' drops, with or without access: `test/api/every-call`, `every-page`. */
export const ofOwners = /^\/(api|drops|operators)\//;

/** As long as a slug. */
export const unknown = 'nosuchslug00';

export type Name =
  | 'nobody'
  | 'owner'
  | 'member'
  | 'by address'
  | 'by domain'
  | 'by group'
  | 'operator'
  | 'suspended';

export interface Who {
  readonly name: Name;
  readonly token: string | undefined;
  readonly cookie: string;
}

export interface Target {
  readonly slug: string;
  /** Of version 1. */
  readonly id: string;
  readonly access: 'link' | 'members' | 'named';
  readonly isLocked: boolean;
}

/** A person who opens the address, a script of ours, a page of another site, a program. */
export const modes = ['navigation', 'script', 'other site', 'program'] as const;
export type Mode = (typeof modes)[number];

export const headersOf: Readonly<Record<Mode, Readonly<Record<string, string>>>> = {
  navigation: { ...navigation, 'sec-fetch-site': 'none' },
  script: { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' },
  'other site': { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'cross-site' },
  program: {},
};

/** Whether the request shows an account that may read the page. */
export function hasRight({ takesToken }: Row, { name }: Who, { access }: Target, mode: Mode): boolean {
  if (access === 'link') return true;
  const isShown = mode === 'program' ? takesToken === true : mode !== 'other site';
  const isNamed = ['owner', 'by address', 'by domain', 'by group'].includes(name);
  const isMember = isNamed || name === 'member' || name === 'operator';
  return isShown && (access === 'named' ? isNamed : isMember);
}

/** The owner enters no passcode; a program's token counts at a restricted page only. */
export function needsPasscode(
  { opens, takesToken }: Row,
  { name }: Who,
  target: Target,
  mode: Mode,
): boolean {
  if (!target.isLocked || opens !== 'read') return false;
  const byToken = takesToken === true && target.access !== 'link';
  const isShown = mode === 'program' ? byToken : mode !== 'other site';
  return !(name === 'owner' && isShown);
}
