import { userInfo } from 'node:os';
import { slugPattern } from '../../../shared/domain/ids.ts';
import type { OperatorServices } from '../../../shared/open-operator-services.ts';
import type { Operator } from '../../../shared/services/moderation.ts';
import type { Env } from '../../env.ts';
import { harmless } from '../../harmless.ts';
import { UsageError } from '../../usage-error.ts';
import { readDataConfig, withServices } from '../../with-services.ts';

/** What the commands of `dropleaf admin` may be told of who acts and why. */
export interface OperatorOptions {
  readonly by?: string;
  readonly reason?: string;
}

/** What tells the edge of changes: the service's own settings, where the command is given them. */
const edgeSettings = [
  'EDGE_PURGER',
  'EDGE_PURGE_URL',
  'EDGE_PURGE_TOKEN',
  'EDGE_FASTLY_SERVICE_ID',
  'EDGE_CLOUDFLARE_ZONE_ID',
] as const;

/** Opens the data beside a service that runs or does not, and closes it after use. */
export async function withAdmin(env: Env, use: (services: OperatorServices) => Promise<void>): Promise<void> {
  await withServices(readDataConfig(env, edgeSettings), use);
}

/** Who acts, as the log will name them, and why. */
export function readOperator({ by, reason }: OperatorOptions): Operator {
  return { by: by ?? systemUser(), reason: reason ?? null };
}

/** A container's user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** null: it is no address of a page. */
export function slugInAddress(text: string): string | null {
  return /\/p\/([^/?#]+)/.exec(text)?.[1] ?? null;
}

/** The slug of a page, given as it is or as an address. @throws UsageError where it can be neither */
export function readSlug(page: string): string {
  const slug = slugInAddress(page) ?? page;
  if (slugPattern.test(slug)) return slug;
  const fault = `"${page}" is no slug and no address of a page, such as https://drops.example/p/abc123`;
  throw new UsageError(harmless(fault));
}
