import type { Config } from '../../shared/config/config.ts';
import { servicePaths } from '../http/paths.ts';
import { anyOrigin, type Handler, openCall, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson, sendText } from '../http/send.ts';
import type { Operation } from '../openapi/operation.ts';
import { addressShape, fields, named, textShape, type Wire } from '../openapi/shape.ts';
import { readServedText } from './served-text.ts';

const onboardingShape = named(
  'Onboarding',
  fields({
    instructions: textShape('The agent protocol, as Markdown.'),
    public_url: addressShape(
      'The base address of every path, without a trailing slash.',
      'https://drops.example',
    ),
  }),
);

function present(instructions: string, config: Config): Wire<typeof onboardingShape> {
  return { instructions, public_url: config.BASE_URL };
}

const onboardingOperation: Operation = {
  id: 'onboard',
  tag: 'Onboarding',
  summary: 'Read the agent protocol',
  description:
    'Everything that an agent needs to publish its first page: Markdown, or an object if `Accept` prefers JSON.',
  replies: [
    {
      status: 200,
      description: 'The agent protocol.',
      content: {
        'text/markdown': {
          shape: textShape('The agent protocol.'),
          example: '# Dropleaf: publish an HTML page',
        },
        'application/json': { shape: onboardingShape },
      },
      headers: ['Access-Control-Allow-Origin'],
    },
  ],
};

/** Spec 4.1 */
export function onboardingRoutes({ services: { config } }: RouteParts): readonly Route[] {
  const instructions = readServedText('onboarding.md', config);
  const read: Handler = (req, res) => {
    res.vary('Accept');
    if (req.accepts(['text/markdown', 'application/json']) === 'application/json') {
      sendJson(res, present(instructions, config));
    } else {
      sendText(res, 200, 'text/markdown', instructions);
    }
  };
  return [openCall('GET', servicePaths.onboarding, onboardingOperation, anyOrigin(read))];
}
