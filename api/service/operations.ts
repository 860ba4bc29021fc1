import type { Config } from '../../shared/config/config.ts';
import { json, type Operation, type Reply } from '../openapi/operation.ts';
import { anything, text } from '../openapi/shape.ts';
import { discoveryShape, presentDiscovery } from './discovery.ts';
import { healthShape } from './health-presenter.ts';
import { onboardingShape, presentOnboarding } from './onboarding-presenter.ts';

const readable = { headers: ['ETag', 'Access-Control-Allow-Origin'] } as const;
const unchanged: Reply = { status: 304, description: 'The client has this.', ...readable };

/** What the service says of itself. */
export function serviceOperations(config: Config) {
  const onboarding = '# Dropleaf: publish an HTML page';
  return {
    onboard: {
      id: 'onboard',
      tag: 'Onboarding',
      summary: 'The protocol in short',
      description:
        'Everything that an agent needs to publish its first page: Markdown, or an object where `Accept` prefers JSON.',
      replies: [
        {
          status: 200,
          description: 'The protocol.',
          content: {
            'text/markdown': { shape: text('The protocol.'), example: onboarding },
            'application/json': { shape: onboardingShape, example: presentOnboarding(onboarding, config) },
          },
          headers: ['Access-Control-Allow-Origin'],
        },
      ],
    },
    discover: {
      id: 'discover',
      tag: 'Onboarding',
      summary: 'The discovery document',
      description: 'The addresses of the service and its limits.',
      replies: [json('The document.', discoveryShape, presentDiscovery(config), readable), unchanged],
    },
    describe: {
      id: 'readDescription',
      tag: 'Onboarding',
      summary: 'This description',
      description: 'OpenAPI 3.1, with the limits of this service. `/docs` shows it to people.',
      replies: [
        json('The description.', anything('An OpenAPI document.'), { openapi: '3.1.0' }, readable),
        unchanged,
      ],
    },
    alive: {
      id: 'readHealth',
      tag: 'Health',
      summary: 'Whether the process runs',
      description: 'For watchdogs.',
      replies: [json('It runs.', healthShape, { status: 'ok' })],
    },
    ready: {
      id: 'readReadiness',
      tag: 'Health',
      summary: 'Whether the service can do its work',
      description: 'For load balancers: 503 while a part of the service is away.',
      replies: [json('It can.', healthShape, { status: 'ok' })],
    },
  } as const satisfies Record<string, Operation>;
}
