import { expect } from 'chai';
import mongoose from 'mongoose';
import { knownDataForm } from '../../shared/mongo/data-form.ts';
import { dropleaf, launch, startWebProcess, type Watched } from './command.ts';
import { type OwnServers, openOwnServers } from './own-servers.ts';

describe('The form of MongoDB', () => {
  let servers: OwnServers;
  let env: Record<string, string>;
  let connection: mongoose.Connection;
  const running: Watched[] = [];

  before(async () => {
    servers = await openOwnServers();
    env = { ...servers.env, HOST: '127.0.0.1', PORT: '0' };
    connection = await mongoose.createConnection(env.MONGODB_URI ?? '').asPromise();
    expect((await dropleaf(['migrate'], env)).code).to.equal(0);
  });
  afterEach(async () => {
    for (const one of running) one.kill('SIGTERM');
    await Promise.all(running.splice(0).map((one) => one.ended()));
    await setForm(knownDataForm);
  });
  after(async () => {
    await connection?.close();
    await servers?.remove();
  });

  async function setForm(form: number): Promise<void> {
    const forms = connection.collection<{ _id: string }>('store_form');
    await forms.updateOne({ _id: 'store' }, { $set: { form } });
  }

  for (const command of ['web', 'worker', 'jobs', 'token --user me', 'export -', 'admin log'])
    it(`before migrate of this release: "${command}" exits with 1 and says what to do`, async () => {
      await setForm(knownDataForm - 1);
      expect(await dropleaf(command.split(' '), env)).to.deep.equal({
        stdout: '',
        stderr:
          `dropleaf: MongoDB has form ${knownDataForm - 1} of an older release, and this release needs form ${knownDataForm}: run ` +
          '"bin/dropleaf.js migrate" of this release first; processes of the older release continue meanwhile\n',
        code: 1,
      });
    });

  it('one higher, as in a rolling release: processes start, are ready, and commands work', async () => {
    await setForm(knownDataForm + 1);
    const web = await startWebProcess(env);
    running.push(web);
    expect((await fetch(`${web.url}/readyz`)).status).to.equal(200);
    expect((await dropleaf(['jobs'], env)).code).to.equal(0);
    expect((await dropleaf(['migrate'], env)).code).to.equal(0);
  });

  it('two higher: a running web process is not ready within five seconds, and none starts', async () => {
    const web = await startWebProcess(env);
    running.push(web);
    await setForm(knownDataForm + 2);
    const response = await fetch(`${web.url}/readyz`); // its first
    expect(response.status).to.equal(503);
    expect(await response.text()).to.contain('"reason":"store_is_newer"');
    const refused = launch(['web'], env);
    expect(await refused.ended()).to.deep.equal({
      stdout: '',
      stderr:
        `dropleaf: MongoDB has form ${knownDataForm + 2} of a newer release, and this release works beside forms up to ` +
        `${knownDataForm + 1}: use the newer release\n`,
      code: 1,
    });
  });
});
