import { createClient } from '../../test/support/client.ts';

export interface Writers {
  /** Ends them. @returns how many writes were answered 2xx */
  stop(): Promise<number>;
}

/**
 * Clients that publish drops, add versions, delete versions and delete drops, one request after the other.
 * @throws Error from `stop` if a write was refused
 */
export function startWriters(url: string, token: string, count: number): Writers {
  let isStopped = false;
  let written = 0;

  async function write(writer: number): Promise<void> {
    const client = createClient(url);
    const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
      const answer = await client.request(method, path, { token, ...(body && { body }) });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      written += 1;
      return answer;
    };
    for (let n = 0; !isStopped; n++) {
      const html = `<p>${writer} ${n} ${'x'.repeat(3_000)}`;
      const { body } = await send('POST', '/api/drops', { title: `${n}`, html, context: 'Because.' });
      const path = `/api/drops/${body.slug}`;
      for (let version = 2; version <= 4; version++) await send('PUT', path, { html: `${html} ${version}` });
      await send('DELETE', `${path}/v/2`);
      if (n % 2 === 0) await send('DELETE', path);
    }
    client.close();
  }

  const writers = Array.from({ length: count }, (_, n) => write(n));
  return {
    async stop() {
      isStopped = true;
      await Promise.all(writers);
      return written;
    },
  };
}
