import { dropleaf, type RunningService, type Watched } from '../bin/command.ts';
import { type Answer, type Client, createClient } from '../support/client.ts';
import type { Cluster } from '../support/cluster.ts';
import { withLongTimeouts } from '../support/mongo-uri.ts';
import { answeredBy, findFreePort, startNginx } from '../support/nginx.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { createPerson } from '../support/person.ts';
import { unhurried } from '../support/unhurried.ts';
import { type Visits, visitsOf } from '../support/visits.ts';

/** Two web processes of a cluster behind nginx, as a client of nginx. */
export interface Front extends Client, Visits {
  readonly webs: readonly [RunningService, RunningService];
  /** Clients of each web process alone. */
  readonly direct: readonly [Client, Client];
  readonly nginx: Watched;
  /** A client of nginx with another local address. */
  clientFrom(address: string): Client;
  /** Starts a sign-in and approves it under that name. @returns its poll token */
  approveSignIn(name: string): Promise<string>;
  /** Signs in with the device-code flow. @param name unset: a new account */
  newOwner(name?: string): Promise<Owner>;
  /** How many of the answers came from each web process. */
  shares(answers: readonly Answer[]): readonly number[];
  /** Ends nginx and the web processes. */
  close(): Promise<void>;
}

/** With long timeouts: a slow machine answers many clients late instead of with 503. @param program the path of nginx */
export async function openFront(
  cluster: Cluster,
  program: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Front> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const MONGODB_URI = withLongTimeouts(cluster.servers.defaultMongoUri, 30_000);
  const behind = { BASE_URL: url, TRUST_PROXY: '1', ...unhurried, MONGODB_URI };
  const startWeb = () => cluster.startWeb({ ...behind, ...settings });
  const webs = await Promise.all([startWeb(), startWeb()]);
  const [first, second] = webs;
  const nginx = await startNginx(program, port, [first.url, second.url]);
  const client = createClient(url);
  const direct = [createClient(first.url), createClient(second.url)] as const;
  const clients: Client[] = [client, ...direct];
  let key: Promise<string> | undefined;
  let owners = 0;

  async function approveSignIn(name: string): Promise<string> {
    key ??= readSignInKey(cluster);
    const { body } = await client.request('POST', '/api/auth/start', { body: { label: name } });
    const person = createPerson(client);
    const confirmed = await person.submit(await person.open(`/sign-in?code=${body.code}`), {});
    const identified = await person.submit(confirmed, { name, key: await key });
    const isNew = identified.text.includes('There is no account with this name yet');
    const asked = isNew ? await person.submit(identified, {}) : identified;
    const done = await person.submit(asked, { decision: 'approve' });
    if (done.path !== '/sign-in/done') throw new Error(`not approved: ${done.text}`);
    return body.poll_token;
  }

  return {
    ...client,
    ...visitsOf(client),
    webs,
    direct,
    nginx,
    clientFrom(address) {
      const other = createClient(url, {}, { localAddress: address });
      clients.push(other);
      return other;
    },
    approveSignIn,
    async newOwner(name = `owner-${port}-${++owners}`) {
      const { body } = await client.get(`/api/auth/poll?token=${await approveSignIn(name)}`);
      return createOwner(client, body.user_id, name, body.api_token ?? '');
    },
    shares: (answers) =>
      webs.map((web) => {
        const { host } = new URL(web.url);
        return answers.filter(({ headers }) => headers[answeredBy] === host).length;
      }),
    async close() {
      for (const one of clients) one.close();
      const processes = [nginx, ...webs];
      for (const one of processes) one.kill('SIGTERM');
      await Promise.all(processes.map((one) => one.ended()));
    },
  };
}

async function readSignInKey(cluster: Cluster): Promise<string> {
  const { stdout, stderr, code } = await dropleaf(['sign-in-key'], cluster.servers.env);
  if (code !== 0) throw new Error(`bin/dropleaf.js sign-in-key ended with ${code}: ${stderr}`);
  return stdout.trim();
}
