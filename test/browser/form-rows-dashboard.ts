import { withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import { addIdentity, openKnown } from '../support/known-people.ts';
import { byOwner, field, lockedDrop, type Scene } from './form-row.ts';

const newPage = { '#html': '<title>New</title><p>One' };
const label = field('#label', 'A label', 'x'.repeat(101));

/** The forms of drops and of the account. */
export const dashboardForms = [
  byOwner('/drops/new', 'Publish', '/drops/new', {
    fill: { ...newPage, '#title': 'A title that I write' },
    wrong: { '#tags': 'a tag' },
  }),
  byOwner('/drops/:slug/new-version', 'Publish version 2', ofDrop('/new-version'), { fill: newPage }),
  byOwner('/drops/:slug/edit', 'Save', ofDrop('/edit'), {
    fill: { '#title': 'After', '#description': 'A description that I write' },
    wrong: { '#description': 'x'.repeat(501) },
  }),
  byOwner(
    '/drops/:slug/passcode',
    'Set passcode',
    ofDrop('/passcode'),
    field('#passcode', 'a-passcode', 'x'),
  ),
  byOwner('/drops/:slug/passcode', 'Change passcode', lockedPath, field('#passcode', 'a-passcode', 'x')),
  byOwner('/drops/:slug/passcode', 'Remove passcode', lockedPath),
  byOwner(
    '/drops/:slug/context',
    'Publish version 2',
    ofDrop('/context'),
    field('#context', 'How it was made', 'x'.repeat(65 * 1024)),
  ),
  byOwner('/drops/:slug/share', 'Save', namedPath, field('#people', 'bob@example.org', 'nobody')),
  byOwner('/drops/:slug/share', 'Remove ada@example.org', namedPath),
  byOwner('/comments/requests', 'Allow', askedPath),
  byOwner('/comments/requests', 'Decline', askedPath),
  byOwner('/p/:slug/ask', 'Ask the owner', refusedPath),
  byOwner('/drops/:slug/delete', 'Delete the drop', ofDrop('/delete')),
  byOwner('/drops/delete', 'Delete this drop', ({ slug }) => `/drops/delete?drop=${slug}`),
  byOwner('/drops/:slug/v/:n/restore', 'Restore', ofFirstOfTwo('')),
  byOwner('/drops/:slug/v/:n/delete', 'Delete version 1', ofFirstOfTwo('/delete')),
  byOwner('/account/tokens', 'Create token', '/account', label),
  byOwner('/account/tokens/:id', 'Save', tokenPath, label),
  byOwner('/account/tokens/:id/revoke', 'Revoke token', tokenPath),
  byOwner('/account/sessions', 'Sign out of this browser', '/account'),
  byOwner('/account/ways', 'Add this name', withoutName, {
    fill: ({ service, slug }) => ({ '#name': `free-${slug}`, '#key': String(service.services.signInKey) }),
    wrong: { '#name': '?', '#key': 'any' },
  }),
  byOwner('/account/ways/:id/remove', 'Remove', removalPath),
  byOwner('/account/default-access', 'Save', '/account', { form: 'form[action="/account/default-access"]' }),
  byOwner('/account/export', 'Download everything', '/account', { isFile: true }),
  byOwner('/account/delete', 'Delete the account and all drops', '/account/delete', {
    fill: ({ owner }) => ({ '[name=confirm]': owner.owner.name }),
    wrong: { '[name=confirm]': 'not my name' },
  }),
];

function ofDrop(part: string) {
  return ({ slug }: Scene) => `/drops/${slug}${part}`;
}

async function lockedPath(scene: Scene): Promise<string> {
  return `/drops/${await lockedDrop(scene)}/passcode`;
}

/** The page of a drop for somebody who is named. */
async function namedPath({ owner, slug }: Scene): Promise<string> {
  const path = `/drops/${slug}/share`;
  await owner.submit(await owner.open(path), { access: 'named', people: 'ada@example.org' });
  return path;
}

/** The page of somebody else that the person may not read. */
async function refusedPath({ service, owner }: Scene): Promise<string> {
  const { slug, owner: other } = await service.newDrop();
  await other.request('PATCH', `/api/drops/${slug}`, { body: { access: 'named' } });
  await addIdentity(service, owner.owner.userId, { email: 'ada@example.org' });
  return `/p/${slug}`;
}

/** The inbox with somebody who asks. */
async function askedPath(scene: Scene): Promise<string> {
  await namedPath(scene);
  const asking = await openKnown(scene.service, { email: 'bob@example.org' });
  await asking.post(`/p/${scene.slug}/ask`, {});
  return '/comments';
}

function ofFirstOfTwo(part: string) {
  return async ({ owner, slug }: Scene) => {
    await owner.owner.put(slug, { html: '<p>Two' });
    return `/drops/${slug}/v/1${part}`;
  };
}

async function tokenPath({ service, owner }: Scene): Promise<string> {
  const { tokens } = await service.services.tokens.list({ accountId: owner.owner.userId }, 1);
  return `/account/tokens/${tokens[0]?.id}`;
}

/** The person has signed in at a provider, and has no local name. */
async function withoutName({ service, owner }: Scene): Promise<string> {
  const { accounts, identities } = service.services.engine;
  const { userId: accountId, name } = owner.owner;
  await accounts.setIdentity(accountId, { provider: 'github:https://git.example', subject: name, name });
  await identities.remove({ provider: 'local', subject: name, accountId });
  return '/account/ways';
}

async function removalPath({ service, owner }: Scene): Promise<string> {
  const { userId, name } = owner.owner;
  const identity = { provider: 'github:https://github.com', subject: name, name };
  await service.services.identities.link(userId, withoutClaims(identity));
  const { page } = await owner.open('/account');
  const link = page.all('a').find(({ attributes }) => attributes['aria-label'] === `Remove GitHub, ${name}`);
  return link?.attributes.href ?? '';
}
