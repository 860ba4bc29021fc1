import type { Config } from '../../shared/config/config.ts';
import { fields, integer, named, type Shape, type Wire } from '../openapi/shape.ts';

const limit = (description: string): Shape<number> => integer(description, 0);

/** Every limit that a client can meet (spec section 8). */
export const limitsShape = named(
  'Limits',
  fields({
    html_max_bytes: limit('UTF-8 bytes of a document.'),
    context_max_bytes: limit('UTF-8 bytes of a context.'),
    title_max_characters: limit('Characters (code points) of a title.'),
    description_max_characters: limit('Characters of a description.'),
    label_max_characters: limit('Characters of the label of a token.'),
    passcode_min_characters: limit('Characters of a passcode, at least.'),
    passcode_max_characters: limit('Characters of a passcode, at most.'),
    metadata_max_keys: limit('Keys of a metadata map.'),
    metadata_key_max_characters: limit('Characters of a metadata key.'),
    metadata_value_max_characters: limit('Characters of a metadata value.'),
    versions_per_drop: limit('Versions of a drop.'),
    drops_per_account: limit('Drops of an account.'),
    writes_per_minute: limit('POST and PUT of drops in a minute of the clock, for each account.'),
    writes_per_day: limit('Accepted POST and PUT of drops in a UTC day, for each account.'),
    changes_per_minute: limit('Other changes in a minute of the clock, for each account.'),
    page_size: limit('Drops on a page of the list, by default.'),
    page_size_max: limit('Drops on a page of the list, at most.'),
    sign_in_seconds: limit('Seconds for which a code and its poll token are valid.'),
    poll_interval_seconds: limit('Seconds to wait between two polls.'),
    sign_in_starts_per_minute: limit(
      'Sign-ins started in a minute of the clock, from each address; ten times as many from each IPv6 /48.',
    ),
    code_tries: limit(
      'Wrong codes or sign-in keys in ten minutes, from each address; ten times as many codes from each IPv6 /48.',
    ),
    passcode_tries: limit('Wrong passcodes in ten minutes, for each drop and address.'),
    passcode_tries_per_address: limit(
      'Wrong passcodes at all drops in ten minutes, from each address; ten times as many from each IPv6 /48.',
    ),
    passcode_tries_per_drop: limit('Wrong passcodes of a drop in ten minutes, from all addresses together.'),
    sign_ins_per_account: limit('Sign-ins that an account may decide on in ten minutes.'),
    reports_per_hour: limit(
      'Reports of pages in an hour of the clock, from each address; ten times as many from each IPv6 /48.',
    ),
    reports_per_drop_per_hour: limit('Reports of a drop in an hour of the clock, from all addresses.'),
    reports_open_per_drop: limit('Open reports of a drop that are kept.'),
    report_max_characters: limit('Characters of the text of a report.'),
  }),
);

export type Limits = Wire<typeof limitsShape>;
export type LimitName = keyof Limits;

export function presentLimits(config: Config): Limits {
  return {
    html_max_bytes: config.HTML_MAX_BYTES,
    context_max_bytes: config.CONTEXT_MAX_BYTES,
    title_max_characters: config.TITLE_MAX_CHARACTERS,
    description_max_characters: config.DESCRIPTION_MAX_CHARACTERS,
    label_max_characters: config.LABEL_MAX_CHARACTERS,
    passcode_min_characters: config.PASSCODE_MIN_CHARACTERS,
    passcode_max_characters: config.PASSCODE_MAX_CHARACTERS,
    metadata_max_keys: config.METADATA_MAX_KEYS,
    metadata_key_max_characters: config.METADATA_KEY_MAX_CHARACTERS,
    metadata_value_max_characters: config.METADATA_VALUE_MAX_CHARACTERS,
    versions_per_drop: config.VERSIONS_PER_DROP,
    drops_per_account: config.DROPS_PER_ACCOUNT,
    writes_per_minute: config.WRITES_PER_MINUTE,
    writes_per_day: config.WRITES_PER_DAY,
    changes_per_minute: config.CHANGES_PER_MINUTE,
    page_size: config.PAGE_SIZE,
    page_size_max: config.PAGE_SIZE_MAX,
    sign_in_seconds: config.SIGN_IN_TTL_SECONDS,
    poll_interval_seconds: config.POLL_INTERVAL_SECONDS,
    sign_in_starts_per_minute: config.SIGN_IN_STARTS_PER_MINUTE,
    code_tries: config.CODE_TRIES,
    passcode_tries: config.PASSCODE_TRIES,
    passcode_tries_per_address: config.PASSCODE_TRIES_PER_ADDRESS,
    passcode_tries_per_drop: config.PASSCODE_TRIES_PER_DROP,
    sign_ins_per_account: config.SIGN_INS_PER_ACCOUNT,
    reports_per_hour: config.REPORTS_PER_HOUR,
    reports_per_drop_per_hour: config.REPORTS_PER_DROP_PER_HOUR,
    reports_open_per_drop: config.REPORTS_OPEN_PER_DROP,
    report_max_characters: config.REPORT_MAX_CHARACTERS,
  };
}
