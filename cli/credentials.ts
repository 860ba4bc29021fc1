import { isAbsolute, join } from 'node:path';
import {
  type Guard,
  type Guarded,
  hasFields,
  isAbsentOr,
  isCount,
  isText,
  isTime,
  isToken,
  isWebAddress,
} from './guards.ts';
import type { CliIo } from './io.ts';
import { createOriginFile, type OriginFile } from './origin-file.ts';

/** A sign-in to one service. */
const isCredential = hasFields({ token: isToken, user_id: isText });
export type Credential = Guarded<typeof isCredential>;

/** A sign-in that the user has not approved yet. The next `login` continues it. */
const isPendingSignIn = hasFields({
  code: isText,
  verification_url: isWebAddress,
  poll_token: isText,
  /** Seconds between polls. */
  poll_interval: isCount,
  /** Unix ms, by this machine's clock. */
  expires_at: isTime,
  label: isText,
  /** What the token may do; absent: everything. */
  scope: isAbsentOr(isText),
});
export type PendingSignIn = Guarded<typeof isPendingSignIn>;

/** To send the token over http; since when in Unix ms. */
const isConsent = hasFields({ since: isTime });

type Home = Pick<CliIo, 'env' | 'platform' | 'homeDir'>;

export const createCredentials = (io: Home) => openFile(io, 'credentials.json', isCredential);
export const createPendingSignIns = (io: Home) => openFile(io, 'pending-sign-ins.json', isPendingSignIn);
/** Services over http that the user allowed with `--insecure-http`. */
export const createInsecureServices = (io: Home) => openFile(io, 'insecure-services.json', isConsent);

function openFile<T>(io: Home, name: string, shape: Guard<T>): OriginFile<T> {
  return createOriginFile(join(configDir(io), 'dropleaf', name), shape);
}

/** XDG_CONFIG_HOME where it is set; otherwise the folder that the system has for settings. */
export function configDir({ env, platform, homeDir }: Home): string {
  const { XDG_CONFIG_HOME, APPDATA } = env;
  if (XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return XDG_CONFIG_HOME;
  if (platform === 'win32') return APPDATA || join(homeDir, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support');
  return join(homeDir, '.config');
}
