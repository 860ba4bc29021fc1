import type { Config } from '../../../shared/config.ts';
import { discoveryShape, presentDiscovery } from '../../presenters/discovery.ts';
import { healthShape } from '../../presenters/health.ts';
import { onboardingShape, presentOnboarding } from '../../presenters/onboarding.ts';
import { anything, text } from '../../presenters/shape.ts';
import { json, type Operation, page, type Reply } from '../operation.ts';
import { conditional } from './pages.ts';

/** What is the same for everybody while the process runs. */
const asset = ['Cache-Control', 'ETag', 'Vary'] as const;
const unchanged: Reply = { status: 304, description: 'The client has it.', headers: asset };

/** What the service says of itself. */
export function serviceOperations(config: Config) {
  return {
    home: {
      id: 'showHome',
      tag: 'Service',
      summary: 'The home page',
      description: 'Says to people what this is.',
      replies: [page('The page.')],
    },
    onboard: {
      id: 'onboard',
      tag: 'Onboarding',
      summary: 'The protocol in short',
      description: 'Everything that an agent needs to publish its first page.',
      parameters: [
        {
          name: 'Accept',
          in: 'header',
          description: '`application/json` for the text inside an object.',
          schema: { type: 'string' },
        },
      ],
      replies: [
        {
          status: 200,
          description: 'Markdown, or an object where JSON is preferred.',
          content: {
            'text/markdown': { shape: text('The protocol.'), example: '# Dropleaf: publish an HTML page' },
            'application/json': {
              shape: onboardingShape,
              example: presentOnboarding('# Dropleaf: publish an HTML page', config),
            },
          },
          headers: ['Vary'],
        },
      ],
    },
    discover: {
      id: 'discover',
      tag: 'Onboarding',
      summary: 'The discovery description',
      description: 'Where everything is, and the limits.',
      parameters: conditional,
      replies: [
        json('The description.', discoveryShape, presentDiscovery(config), {
          headers: [...asset, '?Content-Encoding'],
        }),
        unchanged,
      ],
    },
    describe: {
      id: 'readDescription',
      tag: 'Onboarding',
      summary: 'This description',
      description: 'OpenAPI 3.1, of the service as it is set.',
      parameters: conditional,
      replies: [
        json(
          'The description.',
          anything('An OpenAPI document.'),
          { openapi: '3.1.0' },
          { headers: [...asset, '?Content-Encoding'] },
        ),
        unchanged,
      ],
    },
    docs: {
      id: 'showDocs',
      tag: 'Onboarding',
      summary: 'The reference page',
      description: 'The same for people.',
      replies: [page('The page.', { headers: ['Cache-Control'] })],
    },
    docsScript: {
      id: 'readDocsScript',
      tag: 'Onboarding',
      summary: 'A script of the reference page',
      description: 'Its name changes with it.',
      parameters: [
        { name: 'file', in: 'path', description: 'From the page.', schema: { type: 'string' } },
        ...conditional,
      ],
      replies: [
        {
          status: 200,
          description: 'The script.',
          content: { 'text/javascript': { shape: text('The script.') } },
          headers: [...asset, '?Content-Encoding'],
        },
        unchanged,
      ],
      refusals: ['not_found'],
    },
    alive: {
      id: 'readHealth',
      tag: 'Service',
      summary: 'Whether the process runs',
      description: 'For watchdogs.',
      replies: [json('It runs.', healthShape, { status: 'ok' }, { headers: ['Cache-Control'] })],
    },
    ready: {
      id: 'readReadiness',
      tag: 'Service',
      summary: 'Whether it can do its work',
      description: 'For load balancers: 503 while a part is away.',
      replies: [json('It can.', healthShape, { status: 'ok' }, { headers: ['Cache-Control'] })],
    },
  } as const satisfies Record<string, Operation>;
}
