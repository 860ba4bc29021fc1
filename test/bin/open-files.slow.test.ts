import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { cli, dropleaf, watch } from './command.ts';
import { useHome } from './home.ts';

/** On SIGUSR2 the process uses up the files that it may open; on SIGUSR1 it closes them. */
const planted = `
import { closeSync, openSync } from 'node:fs';
const open = [];
process.on('SIGUSR2', () => {
  try { for (;;) open.push(openSync('/dev/null')); } catch (error) { console.error('full: ' + error.code); }
});
process.on('SIGUSR1', () => {
  for (const file of open.splice(0)) closeSync(file);
  console.error('closed again');
});`;

const toolsList = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('A service that may open no more files', () => {
  const home = useHome();

  it('answers the first call of MCP with 503, and the next one once it may open files again', async () => {
    const NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(planted)}"`;
    const env = { PATH: process.env.PATH, NODE_OPTIONS, PORT: '0', ...home.env };
    const command = ['-c', 'ulimit -n 256 && exec "$0" "$@"', process.execPath, cli, 'start'];
    const service = watch(spawn('sh', command, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 }); // a new connection would be a file, too
    try {
      const url = await service.firstMatch(/runs at (http\S+)/);
      expect(service.output.stderr).to.match(/"maxConnections":10000,"openFiles":256,.*ulimit -n/);
      const token = (await dropleaf(['token', '--user', 'me'], home.env)).stdout.trim();
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      };
      const send = async (method: string, path: string, body?: object) => {
        const sent = request(`${url}${path}`, { method, agent, headers });
        sent.end(body && JSON.stringify(body));
        const [answer]: IncomingMessage[] = await once(sent, 'response');
        if (answer === undefined) throw new Error('there was no answer');
        return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
      };
      expect((await send('GET', '/api/me')).status).to.equal(200);
      service.kill('SIGUSR2');
      await service.firstMatch(/full: (EMFILE)/);
      const refused = await send('POST', '/mcp', toolsList);
      expect(refused.status, refused.text).to.equal(503);
      expect(JSON.parse(refused.text).error.code).to.equal('unavailable');
      expect(refused.headers['retry-after']).to.equal('1');
      service.kill('SIGUSR1');
      await service.firstMatch(/(closed again)/);
      const answer = await send('POST', '/mcp', toolsList);
      expect(answer.status, answer.text + service.output.stderr).to.equal(200);
      expect(answer.text).to.include('publish_drop');
    } finally {
      agent.destroy();
      service.kill('SIGKILL');
      await service.ended();
    }
  });
});
