import { join } from 'node:path';
import { expect } from 'chai';
import { makeTempDir } from '../support/temp-dir.ts';
import { createAdminScene } from './admin-scene.ts';
import { dropleaf, type RunningService, startWebProcess } from './command.ts';
import { type OwnServers, openOwnServers } from './own-servers.ts';

describe('dropleaf admin beside many processes', function () {
  this.timeout(60_000); // each test starts several processes
  const DATA_DIR = join(makeTempDir(), 'none');
  let servers: OwnServers;
  let webs: RunningService[] = [];
  const env = () => ({ ...servers.env, DATA_DIR });
  const { act, publisher, statusOf, statusOfPatch } = createAdminScene(env, () => webs[0]?.url ?? '');

  before(async () => {
    servers = await openOwnServers();
    expect((await dropleaf(['migrate'], env())).code).to.equal(0);
    webs = await Promise.all([startWebProcess(env()), startWebProcess(env())]);
  });
  after(async () => {
    for (const web of webs) web.kill('SIGTERM');
    await Promise.all(webs.map((web) => web.ended()));
    await servers?.remove();
  });

  it('a takedown holds in every web process at once, and so does its end', async () => {
    const { slug } = await publisher('me');
    const addresses = webs.flatMap((web) => [`${web.url}/p/${slug}`, `${web.url}/p/${slug}/raw`]);
    const statuses = () => Promise.all(addresses.map(statusOf));
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
    await act('takedown', slug, '--reason', 'phishing');
    expect(await statuses()).to.deep.equal([410, 410, 410, 410]);
    await act('restore', slug);
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
  });

  it('the edge is told by the worker, whatever the command knows of it: the job is in line when it ends', async () => {
    const { slug } = await publisher('me');
    const waiting = async () =>
      Number(/waiting {2}(\d+)/.exec((await dropleaf(['jobs'], env())).stdout)?.[1]);
    const before = await waiting();
    await act('takedown', slug, '--reason', 'phishing');
    expect(await waiting()).to.equal(before + 1);
  });

  it('a suspension and a revocation hold in every web process at once', async () => {
    const { slug, token } = await publisher('you');
    await act('suspend', 'you');
    expect(await statusOfPatch(slug, token)).to.equal(403);
    await act('unsuspend', 'you');
    expect(await statusOfPatch(slug, token)).to.equal(200);
    await act('revoke-tokens', 'you');
    expect(await statusOfPatch(slug, token)).to.equal(401);
    expect(await act('log')).to.match(/^\S+ \S+: revoke-tokens [\s\S]*: unsuspend [\s\S]*: suspend /);
  });
});
