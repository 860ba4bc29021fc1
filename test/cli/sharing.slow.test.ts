import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type RunOptions, useClient } from './client.ts';
import { useSharingDouble } from './sharing-double.ts';

describe('dropleaf share, unshare, shared, and publish with --access and --people', () => {
  const double = useSharingDouble();
  const client = useClient();
  const env = () => ({ DROPLEAF_URL: double.url, DROPLEAF_TOKEN: 'dl_x' });
  const run = (args: readonly string[], options: RunOptions = {}) =>
    client.run(args, { env: env(), ...options });
  const fails = (code: number, args: readonly string[], says: readonly (string | RegExp)[]) =>
    client.fails(code, args, says, { env: env() });
  const write = (text: string) => writeFileSync(join(client.dir, 'a.html'), `<title>A</title>${text}`);

  async function done(args: readonly string[]) {
    const { stdout, stderr, code } = await run(args);
    expect(code, `${args} ${stderr}`).to.equal(0);
    return { stdout, stderr };
  }

  const json = async (args: readonly string[]) => JSON.parse((await done([...args, '--json'])).stdout);
  const changes = () => double.requests.filter(({ method }) => method !== 'GET');
  const readers = (slug = 'drop1') => {
    const { access, people } = double.drop(slug) ?? {};
    return { access, people };
  };

  beforeEach(() => write('1'));

  it('publish without them sends neither, and says nothing of access', async () => {
    const { stderr } = await done(['publish', 'a.html']);
    expect(stderr).not.to.match(/read it/);
    expect(double.requests).to.have.length(1);
    expect(double.requests[0]?.query).to.deep.equal({ title: 'A' });
  });

  it('publish --access members: in the one request that publishes, and the answer is said', async () => {
    const { stderr } = await done(['publish', 'a.html', '--access', 'members']);
    expect(stderr).to.contain('Everybody who is signed in to the service can read it.');
    expect(changes()).to.have.length(1);
    expect(readers()).to.deep.equal({ access: 'members', people: [] });
  });

  it('publish --people: access named, each name once given or with commas, in the body and not in the address', async () => {
    const people = ['--people', 'ada@example.org, @example.net', '--people', 'group:Sales'];
    const { stderr } = await done(['publish', 'a.html', ...people]);
    const named = ['ada@example.org', '@example.net', 'group:Sales'];
    expect(readers()).to.deep.equal({ access: 'named', people: named });
    expect(changes().map(({ query }) => query)).to.deep.equal([{}]);
    expect(stderr).to.contain(`Only you and these can read it: ${named.join(', ')}.`);
  });

  it('publish --access named, without people: only the owner', async () => {
    expect((await done(['publish', 'a.html', '--access', 'named'])).stderr).to.contain(
      'Only you can read it.',
    );
    expect(readers()).to.deep.equal({ access: 'named', people: [] });
  });

  it('publish again: a change of access alone is a PATCH, with a new page one PUT; without options access stays', async () => {
    await done(['publish', 'a.html']);
    await done(['publish', 'a.html', '--people', 'ada@example.org']);
    write('2');
    await done(['publish', 'a.html', '--access', 'members']);
    write('3');
    await done(['publish', 'a.html']);
    expect(changes().map(({ method }) => method)).to.deep.equal(['POST', 'PATCH', 'PUT', 'PUT']);
    expect(readers()).to.deep.equal({ access: 'members', people: [] });
    await done(['publish', 'a.html', '--access', 'link']);
    expect(readers()).to.deep.equal({ access: 'link', people: [] });
  });

  it('publish --people with another access, or an access that does not exist: exit code 2, and no request', async () => {
    const members = ['publish', 'a.html', '--access', 'members', '--people', 'ada@example.org'];
    await fails(2, members, ['--people is for --access named']);
    await fails(2, ['publish', 'a.html', '--access', 'all'], ['link, members, named']);
    expect(double.requests).to.deep.equal([]);
  });

  it('share: adds people to a page by file or slug, and says who can read it', async () => {
    await done(['publish', 'a.html']);
    const { stdout, stderr } = await done(['share', 'a.html', 'ada@example.org', 'group:Sales, EMEA']);
    expect(stdout).to.equal(`${double.url}/p/drop1\n`);
    expect(stderr).to.equal('Only you and these can read it: ada@example.org, group:Sales, EMEA.\n');
    const shared = await json(['share', 'drop1', '@example.net']);
    expect(shared).to.include({ slug: 'drop1', access: 'named' });
    expect(shared.people).to.deep.equal(['ada@example.org', 'group:Sales, EMEA', '@example.net']);
    const body = { access: 'named', people_add: ['@example.net'] };
    expect(changes().at(-1)).to.deep.include({ method: 'PATCH', path: '/api/drops/drop1', json: body });
  });

  it('share: a file that was never published is published for them alone', async () => {
    const shared = await json(['share', 'a.html', 'ada@example.org']);
    expect(shared).to.include({ did: 'created', access: 'named' });
    expect(changes()).to.have.length(1);
    expect(readers()).to.deep.equal({ access: 'named', people: ['ada@example.org'] });
    await done(['share', 'a.html', 'grace@example.org']);
    expect(readers().people).to.deep.equal(['ada@example.org', 'grace@example.org']);
  });

  it('share: of many people five are named; without people, or without a page, it does nothing', async () => {
    const people = Array.from({ length: 7 }, (_, i) => `p${i}@example.org`);
    const { stderr } = await done(['share', 'a.html', ...people]);
    expect(stderr).to.match(/p4@example\.org, and 2 more\.\n$/);
    await fails(2, ['share', 'a.html'], ["missing required argument 'people'"]);
    await fails(2, ['share', 'none.html', 'ada@example.org'], ['there is no such page or file']);
    await fails(5, ['share', 'nosuch', 'ada@example.org'], ['there is no such page: nosuch']);
  });

  it('unshare: removes people, and warns of those who were not on the list; --all empties it', async () => {
    await done(['share', 'a.html', 'ada@example.org', 'grace@example.org']);
    const one = await done(['unshare', 'a.html', 'ada@example.org', 'eve@example.org']);
    expect(one.stderr).to.contain('warning: eve@example.org was not on the list');
    expect(one.stderr).to.contain('Only you and these can read it: grace@example.org.');
    expect((await json(['unshare', 'drop1', '--all'])).people).to.deep.equal([]);
    expect(readers()).to.deep.equal({ access: 'named', people: [] });
  });

  it('unshare: of whom, or --all, must be said; a page without a list stays as it is, exit code 7', async () => {
    await done(['publish', 'a.html']);
    const count = changes().length;
    await fails(2, ['unshare', 'a.html'], ['--all']);
    await fails(2, ['unshare', 'a.html', 'ada@example.org', '--all'], ['--all']);
    const says = ['is not shared with named people', 'Everybody who has the address can read it.'];
    await fails(7, ['unshare', 'a.html', 'ada@example.org'], says);
    expect(changes()).to.have.length(count);
  });

  it('list and get show the access of a page that is restricted, and nothing of others', async () => {
    await done(['publish', 'a.html']);
    expect((await done(['list'])).stdout).not.to.contain('ACCESS');
    expect((await done(['get', 'drop1'])).stderr).to.equal('');
    expect(await json(['get', 'drop1'])).to.have.all.keys(['slug', 'version', 'html']);
    await done(['share', 'a.html', 'ada@example.org', '@example.net']);
    expect((await done(['list'])).stdout)
      .to.match(/ACCESS +TITLE/)
      .and.match(/named \(2\) +A\n/);
    expect((await json(['list']))[0]).to.include({ access: 'named' });
    const { stdout, stderr } = await done(['get', 'drop1']);
    expect(stdout).to.equal('<title>A</title>1');
    expect(stderr).to.contain('Only you and these can read it: ada@example.org, @example.net.');
    expect((await json(['get', 'drop1'])).people).to.deep.equal(['ada@example.org', '@example.net']);
  });

  it('shared: a table, or JSON; the first 50, with --all every one', async () => {
    expect(await run(['shared'])).to.deep.equal({
      stdout: '',
      stderr: 'Nobody shares a page with you by name.\n',
      code: 0,
    });
    const page = (i: number) => ({
      slug: `s${i}`,
      title: `Evil \u001b[31m${i}`,
      url: `https://drops.example/p/s${i}`,
      raw_url: `https://drops.example/p/s${i}/raw`,
      owner: 'ada',
      updated_at: 1_700_000_000_000,
      access: 'named',
    });
    double.shared = Array.from({ length: 201 }, (_, i) => page(i));
    const { stdout, stderr } = await done(['shared']);
    expect(stdout.trim().split('\n')).to.have.length(51);
    expect(stdout)
      .to.match(/^ADDRESS +OWNER +CHANGED \(UTC\) +TITLE\n/)
      .and.not.contain('\u001b');
    expect(stdout).to.match(/drops\.example\/p\/s0 +ada +2023-11-14 22:13 +Evil/);
    expect(stderr).to.contain('The first 50 pages. For every one: --all');
    const all = await json(['shared', '--all']);
    expect(all.map(({ slug }: { slug: string }) => slug)).to.deep.equal(double.shared.map((_, i) => `s${i}`));
  });

  it('with a service of an earlier release nothing is published, and share says that it changed nothing: exit code 7', async () => {
    double.isOlder = true;
    const says = ['is of an earlier release'];
    await fails(7, ['publish', 'a.html', '--access', 'members'], says);
    await fails(7, ['share', 'a.html', 'ada@example.org'], says);
    expect(changes()).to.deep.equal([]);
    await done(['publish', 'a.html', '--access', 'link']);
    await fails(7, ['share', 'a.html', 'ada@example.org'], says);
  });
});
