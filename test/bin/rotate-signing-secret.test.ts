import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dropleaf } from './command.ts';
import { useHome } from './home.ts';
import { makeData } from './make-data.ts';

describe('dropleaf rotate-signing-secret', () => {
  const home = useHome();
  beforeEach(() => makeData(home.dir));
  const rotate = (...more: string[]) => dropleaf(['rotate-signing-secret', ...more], home.env);
  const kept = () => readdirSync(home.dir).filter((name) => name.startsWith('signing-secret'));

  it('puts a new secret beside the one of the service that runs, and says when it signs', async () => {
    await home.start();
    const from = Date.now();
    const { stdout, stderr, code } = await rotate();
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    const signsFrom = Date.parse(/^A new secret signs from (\S+Z)\./.exec(stdout)?.[1] ?? '');
    expect(signsFrom).to.be.within(from + 120_000, Date.now() + 120_000);
    expect(kept().sort()).to.deep.equal(['signing-secret', `signing-secret.${signsFrom}`]);
    for (const name of kept()) expect(statSync(join(home.dir, name)).mode & 0o777, name).to.equal(0o600);
  });

  it('adds none while one waits to sign, exits 1 and says until when', async () => {
    await rotate();
    const { stdout, stderr, code } = await rotate();
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    expect(stderr).to.match(
      /^dropleaf: a new secret is there already and signs from \S+Z: rotate again after/,
    );
    expect(kept()).to.have.length(2);
  });

  it('says that a service with SIGNING_SECRET of its own is not touched, and what to do: the shell may not have it', async () => {
    await home.start({ SIGNING_SECRET: 's'.repeat(32) });
    for (const more of [[], ['--at-once']]) {
      const { stdout, code } = await rotate(...more);
      expect(code).to.equal(0);
      expect(stdout).to.include(
        'A service with SIGNING_SECRET in its settings goes by that alone: replace it there',
      );
    }
  });

  it('--at-once leaves the new one alone, whatever waited', async () => {
    await rotate();
    const { stdout, code } = await rotate('--at-once');
    expect(code).to.equal(0);
    expect(stdout).to.match(/void within 30 seconds in every process that has no SIGNING_SECRET/);
    expect(kept()).to.have.length(1).and.to.not.include('signing-secret');
  });
});
