import { expect } from 'chai';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';

describe('dropleaf sign-in-key', () => {
  const home = useHome();

  it('prints alone on stdout the key that the start prints, before it and beside it', async () => {
    const before = await dropleaf(['sign-in-key'], home.env);
    expect(before).to.include({ stderr: '', code: 0 });
    expect(before.stdout).to.match(/^\S{20,}\n$/);
    const service = await home.start();
    expect(service.output.stdout).to.contain(`sign-in key:\n\n  ${before.stdout}`);
    expect(await dropleaf(['sign-in-key'], home.env)).to.deep.equal(before);
  });

  it('prints nothing and exits 1 where people sign in with GitHub, and says so', async () => {
    const env = { ...home.env, GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' };
    const { stdout, stderr, code } = await dropleaf(['sign-in-key'], env);
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(/^dropleaf: there is no sign-in key: .*GitHub\n$/);
  });
});
