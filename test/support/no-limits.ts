const unlimited = '1000000000';

/** Settings under which no account meets a limit. */
export const noLimits = {
  WRITES_PER_MINUTE: unlimited,
  WRITES_PER_DAY: unlimited,
  CHANGES_PER_MINUTE: unlimited,
  COMMENTS_PER_MINUTE: unlimited,
  COMMENTS_PER_DAY: unlimited,
  DROPS_PER_ACCOUNT: unlimited,
} as const;
