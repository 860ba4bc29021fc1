import type { Config } from '../../shared/config/config.ts';
import { createAssetSender } from '../http/content-encoding.ts';
import { servicePaths } from '../http/paths.ts';
import { anyOrigin, open, openCall, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendPage } from '../http/send.ts';
import {
  json,
  limitsShape,
  type Operation,
  type OperationReply,
  presentLimits,
} from '../openapi/operation.ts';
import { addressShape, anyShape, exactShape, fields, named, textShape, type Wire } from '../openapi/shape.ts';
import { withoutRepetitions } from '../openapi/without-repetitions.ts';
import { createReference } from './docs-page.ts';

/** Spec section 9: the discovery description carries schema version 1. */
const discoveryShape = named(
  'Discovery',
  fields({
    schema_version: exactShape('The version of this document. New fields do not change it.', 1),
    name: textShape('The name of the service.', { examples: ['Dropleaf'] }),
    base_url: addressShape('The base address of every path, without a trailing slash.'),
    onboarding: addressShape('The agent protocol.'),
    openapi: addressShape('The OpenAPI description.'),
    docs: addressShape('The API reference, for people.'),
    client: addressShape('The client, one file for Node.'),
    mcp: addressShape('Model Context Protocol over Streamable HTTP.'),
    skills: addressShape('The index of Agent Skills.'),
    llms: addressShape('Links to all of these, for language models.'),
    sign_in: fields({
      start: addressShape('POST here to start a sign-in.'),
      poll: addressShape('GET here, with `token`, to poll it.'),
    }),
    limits: limitsShape,
  }),
);

function presentDiscovery(config: Config): Wire<typeof discoveryShape> {
  const base = config.BASE_URL;
  return {
    schema_version: 1,
    name: 'Dropleaf',
    base_url: base,
    onboarding: base + servicePaths.onboarding,
    openapi: base + servicePaths.openapi,
    docs: base + servicePaths.docs,
    client: base + servicePaths.client,
    mcp: base + servicePaths.mcp,
    skills: base + servicePaths.skills,
    llms: base + servicePaths.llms,
    sign_in: { start: base + servicePaths.signInStart, poll: base + servicePaths.signInPoll },
    limits: presentLimits(config),
  };
}

function descriptionOperations() {
  const headers = ['ETag', 'Access-Control-Allow-Origin'] as const;
  const notModified: OperationReply = {
    status: 304,
    description: 'The client has the current document.',
    headers,
  };
  return {
    discover: {
      id: 'discover',
      tag: 'Onboarding',
      summary: 'Read the discovery document',
      description: 'The addresses of the service and its limits.',
      replies: [json('The discovery document.', discoveryShape, undefined, { headers }), notModified],
    },
    describe: {
      id: 'readDescription',
      tag: 'Onboarding',
      summary: 'Read the OpenAPI description',
      description: 'OpenAPI 3.1, with the limits of this service. `/docs` shows it to people.',
      replies: [
        json('The description.', anyShape('An OpenAPI document.'), { openapi: '3.1.0' }, { headers }),
        notModified,
      ],
    },
  } as const satisfies Record<string, Operation>;
}

/** How the service describes itself (spec section 9). The first request makes the description. */
export function descriptionRoutes({ services: { config }, layout, describe }: RouteParts): readonly Route[] {
  const docs = descriptionOperations();
  const description = once(() => asJson(withoutRepetitions(describe())));
  const reference = once(() => createReference(describe()));
  const discovery = asJson(presentDiscovery(config));
  return [
    openCall(
      'GET',
      servicePaths.openapi,
      docs.describe,
      anyOrigin((req, res) => description()(req, res)),
    ),
    openCall('GET', servicePaths.discovery, docs.discover, anyOrigin(discovery)),
    open('GET', servicePaths.docs, ({ query: { q } }, res) => {
      res.setHeader('Cache-Control', 'no-cache');
      sendPage(res, 200, layout.page(reference()(typeof q === 'string' ? q.slice(0, 100) : '')));
    }),
  ];
}

function asJson(value: object) {
  return createAssetSender({
    type: 'application/json; charset=utf-8',
    cacheControl: 'public, max-age=300', // limits can change at a restart
    bytes: Buffer.from(JSON.stringify(value)),
  });
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
