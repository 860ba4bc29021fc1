import { count, limit, type OptionGroup } from './validators.ts';

// What clients may do, how often, and how large it may be. Defaults are those of the spec (section 8) for the limits that it has.

const kib = 1024;
const mib = 1024 * kib;

/** What the words of a limit end with that is counted by address and by network (limits/attempts.ts). */
export const tenfold = '; ten times as many per IPv6 /48';

export const writeLimits = {
  WRITES_PER_MINUTE: limit(60, 'POST and PUT requests for drops per account and clock minute'),
  WRITES_PER_DAY: limit(500, 'Accepted POST and PUT requests for drops per account and UTC day'),
  CHANGES_PER_MINUTE: limit(600, 'Other changes per account and clock minute'),
  COMMENTS_PER_MINUTE: limit(60, 'Comments, replies and edits per account and clock minute'),
  COMMENTS_PER_DAY: limit(2_000, 'Comments, replies and edits per account and UTC day'),
} as const satisfies OptionGroup;

/** How many, and how large. */
export const dropLimits = {
  DROPS_PER_ACCOUNT: limit(500, 'Drops per account'),
  VERSIONS_PER_DROP: limit(200, 'Versions per drop', 1, 10_000),
  HTML_MAX_BYTES: limit(2 * mib, 'Maximum size of a document in bytes (UTF-8)', 1, 16 * mib),
  CONTEXT_MAX_BYTES: limit(64 * kib, 'Maximum size of a context in bytes (UTF-8)', 1, mib),
} as const satisfies OptionGroup;

export const fieldLimits = {
  TITLE_MAX_CHARACTERS: limit(200, 'Maximum length of a title in characters (code points)'),
  DESCRIPTION_MAX_CHARACTERS: limit(500, 'Maximum length of a description'),
  LABEL_MAX_CHARACTERS: limit(100, 'Maximum length of a token label'),
  PASSCODE_MIN_CHARACTERS: limit(4, 'Minimum length of a passcode'),
  PASSCODE_MAX_CHARACTERS: limit(256, 'Maximum length of a passcode'),
  METADATA_MAX_KEYS: limit(10, 'Maximum metadata keys per drop', 1, 500),
  METADATA_KEY_MAX_CHARACTERS: limit(64, 'Maximum length of a metadata key'),
  METADATA_VALUE_MAX_CHARACTERS: limit(256, 'Maximum length of a metadata value'),
} as const satisfies OptionGroup;

export const listLimits = {
  PAGE_SIZE: limit(50, 'Default number of drops per page of a list'),
  PAGE_SIZE_MAX: limit(200, 'Maximum number of drops per page of a list'),
} as const satisfies OptionGroup;

export const signInLimits = {
  SIGN_IN_TTL_SECONDS: limit(600, 'Lifetime of a sign-in code and its poll token', 1, 86_400),
  SIGN_IN_KEEP_SECONDS: count(
    86_400,
    'Time for which polls answer the state of a finished sign-in; then `not_found`',
  ),
  SIGN_IN_STARTS_PER_MINUTE: limit(30, 'Sign-ins started per IPv4 address or IPv6 /48 and minute'),
  POLL_INTERVAL_SECONDS: limit(2, 'Polling interval that clients are asked to use', 1, 60),
  SIGN_INS_PER_ACCOUNT: limit(20, 'Sign-ins that an account may open for approval in 10 minutes'),
  TOKENS_PER_ACCOUNT: limit(200, 'Active tokens per account', 1, 10_000),
  NEW_TOKENS_PER_ACCOUNT: limit(20, 'New tokens per account in 10 minutes'),
  LOCAL_ACCOUNTS_MAX: count(
    10_000,
    'Accounts that people may create with the local sign-in key, with those that were deleted on the same UTC day',
  ),
  CODE_TRIES: limit(
    10,
    `Wrong sign-in codes per address in 10 minutes, and as many wrong sign-in keys; ten times as many codes per IPv6 /48`,
  ),
  PASSCODE_TRIES: limit(10, 'Wrong passcodes per drop and address in 10 minutes'),
  PASSCODE_TRIES_PER_ADDRESS: limit(100, `Wrong passcodes per address for all drops in 10 minutes${tenfold}`),
  PASSCODE_TRIES_PER_DROP: limit(
    100,
    'Wrong passcodes per drop from all addresses in 10 minutes; above it nobody can unlock the page; browsers that have unlocked it keep access',
  ),
  UNLOCK_SECONDS: count(86_400, 'Time for which a browser keeps a page unlocked'),
  GRANT_SECONDS: count(3_600, 'Time for which the link to the raw page of an unlocked page works'),
} as const satisfies OptionGroup;
