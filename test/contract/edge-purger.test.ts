import {
  createCloudflarePurger,
  createFastlyPurger,
  createHttpPurger,
  createVarnishPurger,
} from '../../shared/edge/http-purgers.ts';
import type { SeenByEdge } from '../support/edge-double.ts';
import { describeEdgePurgerContract } from './edge-purger.contract.ts';

const bearerOf = ({ headers }: SeenByEdge) => headers.authorization?.replace(/^Bearer /, '');

describeEdgePurgerContract('HTTP', {
  createPurger: createHttpPurger,
  tagsIn: ({ body }) => [JSON.parse(body).tag],
  tokenIn: bearerOf,
  confirmation: '',
  refusal: (why) => why,
});

describeEdgePurgerContract('Varnish', {
  createPurger: ({ url, ...options }) => createVarnishPurger({ urls: [url], ...options }),
  tagsIn: ({ headers }) => [String(headers['surrogate-key'])],
  tokenIn: bearerOf,
  confirmation: '',
  refusal: (why) => why,
});

describeEdgePurgerContract('Fastly', {
  createPurger: (options) => createFastlyPurger({ serviceId: 'SU1Z0isxPaozGVKXdv0eY', ...options }),
  tagsIn: ({ path = '' }) => [path.slice(path.lastIndexOf('/') + 1)],
  tokenIn: ({ headers }) => String(headers['fastly-key']),
  confirmation: JSON.stringify({ status: 'ok', id: '108-1391560174-974124' }),
  refusal: (msg) => JSON.stringify({ msg }),
});

describeEdgePurgerContract('Cloudflare', {
  createPurger: (options) =>
    createCloudflarePurger({ zoneId: '023e105f4ecef8ad9ca31a8372d0c353', ...options }),
  tagsIn: ({ body }) => JSON.parse(body).tags,
  tokenIn: bearerOf,
  confirmation: JSON.stringify({ success: true, errors: [], messages: [], result: null }),
  refusal: (message) => JSON.stringify({ success: false, errors: [{ code: 10_000, message }] }),
});
