import type { Config } from '../../shared/config/config.ts';
import { address, fields, named, text, type Wire } from '../openapi/shape.ts';

export const onboardingShape = named(
  'Onboarding',
  fields({
    instructions: text('The protocol, as Markdown.'),
    public_url: address(
      'The address that every path follows, without a trailing slash.',
      'https://drops.example',
    ),
  }),
);

/** Spec 4.1. */
export function presentOnboarding(
  instructions: string,
  { BASE_URL }: Pick<Config, 'BASE_URL'>,
): Wire<typeof onboardingShape> {
  return { instructions, public_url: BASE_URL };
}
