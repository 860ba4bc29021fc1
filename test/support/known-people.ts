import type { Dashboard } from './dashboard.ts';
import { openDashboard } from './dashboard.ts';
import type { TestService } from './service.ts';

/** What a provider says of somebody. */
export interface Claims {
  /** Verified; null: none. */
  readonly email?: string | null;
  readonly groups?: readonly string[];
}

let people = 0;

/** Settings under which people who sign in have addresses. */
export const withNames = {
  GITHUB_CLIENT_ID: 'id',
  GITHUB_CLIENT_SECRET: 'secret',
  SHARING: 'named',
} as const;

/** Gives an account another identity of this kind. */
export async function addIdentity(service: TestService, accountId: string, claims: Claims): Promise<void> {
  const { email = null, groups = [] } = claims;
  const now = service.clock.now();
  await service.services.engine.identities.claim({
    provider: 'oidc:https://login.example',
    subject: `person-${++people}`,
    accountId,
    name: 'A name',
    email,
    groups: [...groups],
    refreshToken: null,
    checkedAt: now,
    createdAt: now,
  });
}

/** Somebody new who is signed in, and of whom the provider says this. */
export async function openKnown(service: TestService, claims: Claims): Promise<Dashboard> {
  const person = await openDashboard(service);
  await addIdentity(service, person.owner.userId, claims);
  return person;
}
