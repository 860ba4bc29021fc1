import { type Config, splitList } from '../config/config.ts';

/** Whether a person with these groups at the OpenID provider may use the service. */
export function isAllowed(
  { groups }: { readonly groups: readonly string[] },
  { OIDC_ALLOWED_GROUPS }: Pick<Config, 'OIDC_ALLOWED_GROUPS'>,
): boolean {
  const allowed = splitList(OIDC_ALLOWED_GROUPS);
  return allowed.length === 0 || groups.some((group) => allowed.includes(group));
}
