import type { Answer } from './client.ts';

/** The headers of an answer that are the same whenever it is asked for. */
export function lasting({ headers }: Answer<unknown>): Record<string, string | undefined> {
  const { date: _date, connection: _connection, 'keep-alive': _keep, ...rest } = headers;
  return rest;
}
