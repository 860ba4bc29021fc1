import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Watched } from '../bin/command.ts';
import { type Client, createClient } from '../support/client.ts';
import { useServer } from '../support/listen.ts';
import { findFreePort, requireNginx, runNginx } from '../support/nginx.ts';
import { configFor } from './nginx-site.ts';

/** nginx with the configuration of `deploy/`, in front of web processes of two releases. */
describe('nginx, while processes of two releases run', () => {
  const old = useServer(processOf('old'));
  const newer = useServer(processOf('new'));
  let nginx: Watched;
  let edge: Client;

  before(async function () {
    const program = requireNginx(this);
    const port = await findFreePort();
    nginx = await runNginx(program, configFor(port, [old.url, newer.url]));
    edge = createClient(`http://127.0.0.1:${port}`);
  });

  after(async () => {
    edge?.close();
    nginx?.kill('SIGKILL');
    await nginx?.ended();
  });

  it('finds the files of either release, whichever process it asks first', async () => {
    for (const release of ['old', 'new', 'old', 'old', 'new', 'new']) {
      const { status, text } = await edge.get(`/assets/${release}.js`);
      expect([status, text]).to.deep.equal([200, release]);
    }
    expect((await edge.get('/assets/none.js')).status).to.equal(404);
  });
});

/** It has the script of its own release alone. */
function processOf(release: string) {
  return (req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(req.url === `/assets/${release}.js` ? 200 : 404).end(release);
  };
}
