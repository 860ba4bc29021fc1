import { createRequire } from 'node:module';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { unavailable } from '../../shared/domain/errors.ts';
import { FairQueue } from '../../shared/util/fair-queue.ts';
import { TimeSlices } from '../../shared/util/time-slices.ts';
import { HttpError } from '../http/http-error.ts';
import type { ApiRequest } from '../http/parameters.ts';
import { servicePaths } from '../http/paths.ts';
import type { McpSession, Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { ServiceResponse } from '../http/send.ts';
import { type AnswerForm, chooseForm, inForm } from './answer-form.ts';
import { readMessage } from './message.ts';
import { createServerSetup } from './server.ts';

const require = createRequire(import.meta.url);
/** Found at start, because Node remembers for the life of the process that it could not read a package's package.json. */
const library = require.resolve('@modelcontextprotocol/server');

/** A second's work. */
const maxWaiting = 256;

/** What the protocol reads of a request's headers, besides Accept: the library wants both types in it (answer-form.ts). */
const usedHeaders = ['content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version'] as const;
const bothForms = ['accept', 'application/json, text/event-stream'] as const;

/** POST /mcp: Streamable HTTP of revisions 2025-11-25, 2026-07-28 and older ones, stateless; an answer is sent whole. */
export function mcpRoutes({ services }: RouteParts): readonly Route[] {
  const { config, log } = services;
  const address = config.BASE_URL + servicePaths.mcp;
  const setUp = createServerSetup(services);
  /** The library takes long for a message (docs/performance.md), so parallel ones would delay all other requests. */
  const parts = new TimeSlices();
  /** The accounts take fair turns: a message waits for one of each other account. */
  const turns = new FairQueue(1, maxWaiting);
  let handler: McpHttpHandler | undefined;

  /** The first call loads the library: services without MCP clients save its time and memory (docs/performance.md). */
  function load(): McpHttpHandler {
    const Sdk = requireLibrary();
    return Sdk.createMcpHandler(
      // proof of the cast: the handler below is the only caller, and always passes a session
      ({ authInfo }) => setUp(Sdk, authInfo?.extra?.session as McpSession),
      {
        maxSubscriptions: 0, // the list of tools never changes, and an open stream holds a connection
        onerror: (err) => log.debug({ err }, 'an MCP message was refused'),
      },
    );
  }

  const call: Route = {
    method: 'POST',
    path: servicePaths.mcp,
    access: 'mcpCall',
    async handler(req, res, session, json) {
      // Since revision 2025-06-18 a body is one message. A batch would be many calls for one request of the limits.
      if (Array.isArray(json))
        throw new HttpError(400, 'invalid_arg', 'JSON-RPC batches are not supported: send one message', {
          field: 'body',
        });
      const form = chooseForm(req.headers.accept);
      const isNext = await turns.run([session.caller.accountId], () => parts.next().then(() => true));
      if (isNext === undefined) throw unavailable('Too many MCP messages wait: send fewer at the same time.');
      handler ??= load();
      const message = await readMessage(json, services.parseJson);
      const answer = await handler.fetch(new Request(address, { method: 'POST', headers: headersOf(req) }), {
        parsedBody: message,
        authInfo: { token: '', clientId: session.caller.accountId, scopes: [], extra: { session } },
      });
      const body = await answer.text();
      if (answer.status >= 500) log.error({ body }, 'the MCP library failed');
      send(res, answer, body, form);
    },
  };
  return [call];
}

function headersOf({ headers }: ApiRequest): [string, string][] {
  const used = usedHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  return [...used, [...bothForms]];
}

/** @param form null: that of the library. Errors of the protocol are JSON in any case */
function send(
  res: ServiceResponse,
  { status, headers }: Response,
  body: string,
  form: AnswerForm | null,
): void {
  const type = headers.get('content-type');
  const wanted = form !== null && status === 200 ? form : type;
  const bytes = Buffer.from(form !== null && status === 200 ? inForm(form, type, body) : body);
  res.statusCode = status;
  if (wanted !== null) res.setHeader('Content-Type', wanted);
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}

/** Not by `import()`, which fails for the life of the process if it failed once. @throws DropError `unavailable` */
function requireLibrary(): typeof import('@modelcontextprotocol/server') {
  try {
    return require(library);
  } catch (cause) {
    throw unavailable('MCP could not be loaded', 1, { cause });
  }
}
