import { type Config, type OptionName, optionEntries, type options } from '../../shared/config/config.ts';
import { fields, integer, named, type Shape } from './shape.ts';

type LimitOption = {
  [K in OptionName]: (typeof options)[K] extends { isLimit: true } ? K : never;
}[OptionName];

/** The name of a limit in the API: that of its setting in lower case, and `sign_in_seconds`. */
export type LimitName = Lowercase<Exclude<LimitOption, 'SIGN_IN_TTL_SECONDS'>> | 'sign_in_seconds';
type Limits = Readonly<Record<LimitName, number>>;

// SIGN_IN_TTL_SECONDS is `sign_in_seconds` in the API.
const limits = optionEntries().flatMap(([option, { isLimit, about }]) =>
  isLimit ? [{ option, about, name: option.toLowerCase().replace('_ttl', '') }] : [],
);

/** Every limit that a client can meet (spec section 8). */
export const limitsShape = named(
  'Limits',
  fields(Object.fromEntries(limits.map(({ name, about }) => [name, integer(`${about}.`, null)]))),
) as Shape<Limits>; // proof: a number for each option that is a limit

export function presentLimits(config: Config): Limits {
  // proof: as above
  return Object.fromEntries(limits.map(({ option, name }) => [name, config[option]])) as Limits;
}
