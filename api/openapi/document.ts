import type { Config } from '../../shared/config.ts';
import { presentLimits } from '../presenters/limits.ts';
import { codeExamples } from './refusals.ts';
import { tags } from './tags.ts';
import { createWriter, type Endpoint, type Node } from './writer.ts';

export type { Endpoint } from './writer.ts';

/** Spec section 9. */
const apiVersion = '1.2.0';

/**
 * The OpenAPI 3.1 description of the service. A GET is described with the HEAD that goes with it.
 * @param endpoints every one
 */
export function describeApi(config: Config, endpoints: readonly Endpoint[]): Node {
  const writer = createWriter(config);
  const paths: Record<string, Node> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: writer.operation(endpoint, false),
      ...(endpoint.method === 'GET' && { head: writer.operation(endpoint, true) }),
    };
  }
  const others = writer.others();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dropleaf',
      version: apiVersion,
      summary: 'Publish self-contained HTML pages.',
      description: introduction(config),
      contact: { name: 'Whoever runs this service', url: config.BASE_URL },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.BASE_URL, description: 'This service' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      ...writer.components(),
      examples: codeExamples(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `api_token` of the sign-in: `dl_` and 36 letters and digits.',
        },
      },
    },
    'x-other-answers': others,
    'x-limits': presentLimits(config),
  };
}

function introduction({ BASE_URL: base }: Config): string {
  return `Post one complete, self-contained HTML document and get a public address back. Agents start with \
[the protocol in short](${base}/api/onboard).

**Every answer.** Bodies are JSON in UTF-8 unless said otherwise. From 400 on they are an envelope: switch on \`error.code\`. \
A person's browser that navigates gets the same inside a page. Every GET answers HEAD too. A path that is not here is 404 \
\`not_found\`; a method that is not here is 405 \`invalid_arg\`, with \`Allow\`; a page's address with a slash at \
its end is 308 to the address without it (\`x-other-answers\`).

**Texts.** Lengths are counted in Unicode code points, sizes (\`x-max-bytes\`) in bytes of UTF-8. Unknown fields and \
parameters are ignored. U+0000 is legal in \`html\` and \`context\` alone.

**Limits.** \`x-limits\` has them all, as they are set here; so has [the discovery description](${base}/.well-known/dropleaf.json).`;
}
