import type { Config } from '../../shared/config/config.ts';
import { presentLimits } from '../account/limits-presenter.ts';
import { codeTable, unlistedByStatus } from './errors.ts';
import { tags } from './tags.ts';
import { createWriter, type Endpoint, type Node } from './writer.ts';

export type { Endpoint } from './writer.ts';

/** Spec section 9. */
const apiVersion = '1.2.0';

/**
 * The OpenAPI 3.1 description of the service.
 * @param endpoints those that programs call
 */
export function describeApi(config: Config, endpoints: readonly Endpoint[]): Node {
  const writer = createWriter(config);
  const paths: Record<string, Node> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: writer.operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dropleaf',
      version: apiVersion,
      summary: 'Publish self-contained HTML pages.',
      description: introduction(config),
      contact: { name: 'The operator of this service', url: config.BASE_URL },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.BASE_URL, description: 'This service' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      ...writer.components(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `api_token` of the sign-in: `dl_` and 36 letters and digits.',
        },
      },
    },
    'x-codes': unlistedByStatus,
    'x-limits': presentLimits(config),
  };
}

function introduction({ BASE_URL: base }: Config): string {
  return `Post one complete, self-contained HTML document and get a public address back. Agents start with \
[the protocol in short](${base}/api/onboard).

**Requests.** Bodies are JSON in UTF-8. Unknown fields and parameters are ignored unless an operation says otherwise. \
Lengths are counted in Unicode code points, sizes (\`x-max-bytes\`) in bytes of UTF-8. U+0000 is allowed in \`html\` and \
\`context\` only. Every GET answers HEAD too, with the same status and headers, and HEAD changes nothing. Pages of other \
origins can read this description, the discovery document and the onboarding text; the rest sends no CORS headers.

**Errors.** Every answer from 400 on is an \`Error\`: switch on \`error.code\`. Each operation lists its codes, \`x-codes\` for \
programs. A browser that navigates gets the same inside an HTML page. An unknown path is 404 \`not_found\` (a page's address with a slash at its end is 308 to the one without); a method that a \
path does not have is 405 \`invalid_arg\`, with \`Allow\`. Quote \`X-Request-Id\` when you report a fault.

${codeTable()}

**Limits.** \`x-limits\` has the values that are set here; so has [the discovery document](${base}/.well-known/dropleaf.json), \
and its schema \`Limits\` says what each of them counts.`;
}
