import { string } from 'yup';
import { count, type Option } from './kinds.ts';

/** Contacts of RFC 9116, section 2.5.3: a bare mail address is the usual mistake. */
const contact = /^(mailto:|https:\/\/|tel:)[\x21-\x7e]+$/;

/** Each in a line of its own in security.txt, so none may hold a line's end. */
function listOf(pattern: RegExp, fault: string, about: string): Option<string> {
  const areAll = (value: string) => value === '' || splitList(value).every((part) => pattern.test(part));
  return { schema: string().defined().test('list', fault, areAll), fallback: '', about };
}

/** None of ''. */
export function splitList(value: string): string[] {
  return value === '' ? [] : value.split(',').map((part) => part.trim());
}

/** What people tell of pages, and whom they tell of holes in the service. */
export const abuseOptions = {
  REPORTS_PER_HOUR: count(
    10,
    'Reports of pages, for each address and hour; ten times as many for each IPv6 /48',
  ),
  REPORTS_PER_DROP_PER_HOUR: count(20, 'Reports of a drop, from all addresses, for each hour'),
  REPORTS_OPEN_PER_DROP: count(20, 'Open reports of a drop that are kept; further ones are not', 1, 1_000),
  REPORTS_KEEP_DAYS: count(90, 'How long a report is kept once it is closed', 1, 3_650),
  REPORT_MAX_CHARACTERS: count(2_000, "Characters of a report's text", 1, 20_000),
  SECURITY_CONTACT: listOf(
    contact,
    'must be mailto:, https: or tel: addresses, separated by commas, such as mailto:security@drops.example',
    'Whom to tell of holes, in `/.well-known/security.txt`, which there is with this alone; the best one first, separated by commas',
  ),
  SECURITY_POLICY: listOf(
    /^https:\/\/[\x21-\x7e]+$/,
    'must be an https address',
    'Where it says there how holes are dealt with',
  ),
  SECURITY_LANGUAGES: listOf(
    /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/,
    'must be language tags, separated by commas, such as en, de',
    'Languages that the contact reads',
  ),
} as const satisfies Record<string, Option<unknown>>;
