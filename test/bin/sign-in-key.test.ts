import { expect } from 'chai';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';

describe('dropleaf sign-in-key', () => {
  const home = useHome();

  it('prints the same key alone on stdout, beside a running service, after it and beside the next one', async () => {
    const service = await home.start();
    const first = await dropleaf(['sign-in-key'], home.env);
    expect(first).to.include({ stderr: '', code: 0 });
    expect(first.stdout).to.match(/^\S{20,}\n$/);
    service.kill('SIGTERM');
    await service.ended();
    expect(await dropleaf(['sign-in-key'], home.env)).to.deep.equal(first);
    await home.start();
    expect(await dropleaf(['sign-in-key'], home.env)).to.deep.equal(first);
  });

  it('prints nothing and exits 1 where people sign in with GitHub, and says so', async () => {
    const env = { ...home.env, GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' };
    const { stdout, stderr, code } = await dropleaf(['sign-in-key'], env);
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(/^dropleaf: there is no sign-in key: .*GitHub\n$/);
  });
});
