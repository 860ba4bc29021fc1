import { expect } from 'chai';
import { options } from '../../shared/config/config.ts';
import { dropleaf } from './command.ts';

describe('dropleaf config', () => {
  it('prints every setting, and marks those that have their default', async () => {
    const { stdout, stderr, code } = await dropleaf(['config'], { PORT: '8080', HOST: '' });
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).to.deep.equal(Object.keys(options));
    expect(lines[0]).to.match(/^PORT +8080$/);
    expect(lines[1]).to.match(/^HOST +127\.0\.0\.1 +\(default\)$/);
    expect(lines[2]).to.match(/^BASE_URL +http:\/\/127\.0\.0\.1:8080 +\(default\)$/);
  });

  it('hides secrets', async () => {
    const secret = 'do-not-show-this-to-anybody-at-all';
    const { stdout, stderr } = await dropleaf(['config'], { SIGNING_SECRET: secret });
    expect(stdout).to.match(/^SIGNING_SECRET +\(set, hidden\)$/m);
    expect(stdout + stderr).not.to.contain(secret);
  });

  it('names every fault at once and exits 1', async () => {
    const { stdout, stderr, code } = await dropleaf(['config'], {
      PORT: 'http',
      WRITES_PER_DAY: '0',
      GITHUB_CLIENT_ID: 'x',
      SIGNING_SECRET: 'short-secret',
    });
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
    for (const name of ['PORT', 'WRITES_PER_DAY', 'GITHUB_CLIENT_SECRET', 'SIGNING_SECRET']) {
      expect(stderr).to.match(new RegExp(`^ +${name} `, 'm'));
    }
    expect(stderr).not.to.contain('short-secret');
  });

  it('names on stderr what resembles a setting and is none, also beside a fault, and exits as it would without', async () => {
    const warning = 'dropleaf: BASEURL is no setting and has no effect: did you mean BASE_URL?\n';
    const { stdout, stderr, code } = await dropleaf(['config'], { BASEURL: 'https://drops.example' });
    expect({ stderr, code }).to.deep.equal({ stderr: warning, code: 0 });
    expect(stdout).to.match(/^BASE_URL +http:\/\/127\.0\.0\.1:3000 +\(default\)$/m);
    const faulty = await dropleaf(['config'], { BASEURL: 'https://drops.example', PORT: 'x' });
    expect(faulty.code).to.equal(1);
    expect(faulty.stderr).to.match(
      new RegExp(`^${warning.replace('?', '\\?')}dropleaf: The configuration has a fault:`),
    );
  });

  it('shows where an error comes from only with LOG_LEVEL=debug', async () => {
    const quiet = await dropleaf(['config'], { PORT: 'x' });
    const debug = await dropleaf(['config'], { PORT: 'x', LOG_LEVEL: 'debug' });
    expect(quiet.stderr).not.to.match(/^ +at /m);
    expect(debug.stderr).to.match(/^ +at /m);
  });
});
