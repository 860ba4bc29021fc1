import type { Config } from '../../shared/config/config.ts';
import { limitsShape, presentLimits } from '../account/limits-presenter.ts';
import { servicePaths } from '../http/paths.ts';
import { address, exactly, fields, named, text, type Wire } from '../openapi/shape.ts';

/** Spec section 9: the discovery description carries schema version 1. */
export const discoveryShape = named(
  'Discovery',
  fields({
    schema_version: exactly('The version of this document. Within a version fields are only added.', 1),
    name: text('The name of the service.', { examples: ['Dropleaf'] }),
    base_url: address(
      'The address that every path follows, without a trailing slash.',
      'https://drops.example',
    ),
    onboarding: address('The protocol in short, for agents.', 'https://drops.example/api/onboard'),
    openapi: address('The OpenAPI description.', 'https://drops.example/openapi.json'),
    docs: address('The reference page, for people.', 'https://drops.example/docs'),
    sign_in: fields({
      start: address('POST here to start a sign-in.', 'https://drops.example/api/auth/start'),
      poll: address('GET here, with `token`, to poll it.', 'https://drops.example/api/auth/poll'),
    }),
    limits: limitsShape,
  }),
);

export function presentDiscovery(config: Config): Wire<typeof discoveryShape> {
  const base = config.BASE_URL;
  return {
    schema_version: 1,
    name: 'Dropleaf',
    base_url: base,
    onboarding: base + servicePaths.onboarding,
    openapi: base + servicePaths.openapi,
    docs: base + servicePaths.docs,
    sign_in: { start: base + servicePaths.signInStart, poll: base + servicePaths.signInPoll },
    limits: presentLimits(config),
  };
}
