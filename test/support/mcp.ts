import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Owner, type TestService, useService } from './service.ts';
import type { WireDrop } from './wire.ts';

export const revisions = ['2025-11-25', '2026-07-28'] as const;

/** What the tools answer that answer with a drop; get_drop may add a part of the source. */
export interface McpDrop extends WireDrop {
  etag: string;
  version?: number;
  size_bytes?: number;
  offset?: number;
  next_offset?: number;
  html?: string;
}

export interface ToolAnswer<T> {
  readonly texts: readonly string[];
  readonly structured: T;
  /** The error of a refusal; null for a result. */
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  } | null;
}

export interface McpClient {
  readonly sdk: Client;
  call<T = McpDrop>(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer<T>>;
}

/** The official client with the owner's token. */
export async function connectMcp(
  { url }: Pick<TestService, 'url'>,
  { token }: Pick<Owner, 'token'>,
  revision: (typeof revisions)[number],
  path = '/mcp',
): Promise<McpClient> {
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
  const sdk = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await sdk.connect(new StreamableHTTPClientTransport(new URL(url + path), { requestInit }));
  return {
    sdk,
    async call<T>(name: string, args: Record<string, unknown> = {}) {
      const { content, structuredContent, isError } = await sdk.callTool({ name, arguments: args });
      const texts = content.map((block) => (block.type === 'text' ? block.text : `a block of ${block.type}`));
      if (isError === true && structuredContent !== undefined) throw new Error('an error with a result');
      const error = isError === true ? JSON.parse(texts[0] ?? '').error : null;
      return {
        texts,
        structured: structuredContent as T, // not proven: tests look at the fields
        error,
      };
    },
  };
}

/** For the tests of the surrounding suite: a service, and for each test a new owner with a client. */
export function useMcp(revision: (typeof revisions)[number]) {
  const service = useService();
  let owner: Owner;
  let mcp: McpClient;
  beforeEach(async () => {
    owner = await service.newOwner();
    mcp = await connectMcp(service, owner, revision);
  });
  afterEach(() => mcp.sdk.close());
  return {
    service,
    get owner() {
      return owner;
    },
    get mcp() {
      return mcp;
    },
  };
}
