import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { CliError } from '../../cli/errors.ts';
import { type Api, type ApiRequest, createApi } from '../../cli/http.ts';
import { useServer } from '../support/listen.ts';

export type Answer = (res: ServerResponse, req: IncomingMessage) => unknown;

/** The client's requests to a server, which begins anew for each test of the surrounding suite. */
export function useApi() {
  const server = useServer((req, res) => {
    used.requests.push(req);
    const answer = used.answers.length > 1 ? used.answers.shift() : used.answers[0];
    answer?.(res, req);
  });

  const apiWith = (changes: Partial<Parameters<typeof createApi>[0]> = {}): Api =>
    createApi({
      url: server.url,
      version: '1.2.3',
      timeoutMs: 60_000,
      env: {},
      note: (text) => void used.notes.push(text),
      wait: async (seconds) => void used.waits.push(seconds),
      token: () => 'dl_secret',
      refused: () => new CliError('refused', { exitCode: 4 }),
      ...changes,
    });

  const used = {
    requests: [] as IncomingMessage[],
    /** In turn; the last one is repeated. */
    answers: [] as Answer[],
    waits: [] as number[],
    notes: [] as string[],
    /** Every one. */
    set answer(answer: Answer) {
      used.answers = [answer];
    },
    get apiUrl() {
      return server.url;
    },
    apiWith,
    request: (method: string, path: string, request?: ApiRequest) => apiWith().request(method, path, request),

    /** What a request must fail with. */
    async failure(method: string, request?: ApiRequest, api = apiWith()): Promise<CliError> {
      const error = await api.request(method, '/api/x', request).then(
        () => new Error('it succeeded'),
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(CliError);
      return error as CliError; // checked above
    },
  };
  beforeEach(() => {
    Object.assign(used, { requests: [], answers: [], waits: [], notes: [] });
  });
  return used;
}
