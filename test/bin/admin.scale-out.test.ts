import { expect } from 'chai';
import { createAdminScene } from './admin-scene.ts';
import { dropleaf, type RunningService, startWebProcess } from './command.ts';
import { type OwnServers, openOwnServers } from './own-servers.ts';

describe('bin/dropleaf.js admin with two web processes', () => {
  let servers: OwnServers;
  let webs: RunningService[] = [];
  const { act, publisher, statusOf, statusOfPatch } = createAdminScene(
    () => servers.env,
    () => webs[0]?.url ?? '',
  );

  before(async () => {
    servers = await openOwnServers();
    expect((await dropleaf(['migrate'], servers.env)).code).to.equal(0);
    webs = await Promise.all([startWebProcess(servers.env), startWebProcess(servers.env)]);
  });
  after(async () => {
    for (const web of webs) web.kill('SIGTERM');
    await Promise.all(webs.map((web) => web.ended()));
    await servers?.remove();
  });

  it('takedown and restore take effect at once in every web process', async () => {
    const { slug } = await publisher('me');
    const urls = webs.flatMap((web) => [`${web.url}/p/${slug}`, `${web.url}/p/${slug}/raw`]);
    const statuses = () => Promise.all(urls.map(statusOf));
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
    await act('takedown', slug, '--reason', 'phishing');
    expect(await statuses()).to.deep.equal([410, 410, 410, 410]);
    await act('restore', slug);
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
  });

  it('suspend and revoke-tokens take effect at once', async () => {
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
