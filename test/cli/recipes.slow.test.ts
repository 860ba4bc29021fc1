import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { findDeadUrl } from '../support/listen.ts';
import { projectDir, requireProgram } from '../support/programs.ts';
import { useOwner, useService } from '../support/service.ts';
import { clientFile, useClient } from './client.ts';

const page = '<!doctype html><title>Report</title><h1>Numbers</h1>';
const largePage = `<p>${'x'.repeat(10_999_997)}`;

const guide = readDocument('docs/agents.md', 'https://drops.example');
const readme = readDocument('README.md', 'http://127.0.0.1:3000');
const uploadRequest = codeAfter(guide, '**One-time upload addresses.**', /```sh\n(.*?)```/s);

/** What a recipe prints and exits with, by what is wrong. */
interface Failures {
  readonly token: readonly [code: number, text: RegExp];
  readonly large: readonly [code: number, text: RegExp];
  readonly down: readonly [code: number, text: RegExp];
}

const ofCurl: Failures = {
  token: [22, /"code":"invalid_token"/],
  large: [22, /"code":"html_too_large"/],
  down: [7, /curl: \(7\) Failed to connect/],
};
const ofClient: Failures = {
  token: [4, /does not accept the token in DROPLEAF_TOKEN/],
  large: [7, /is too large: 11000000 of at most 2097152 bytes/],
  down: [3, /cannot reach http:\S+: nothing answers there/],
};
const ofFetchedClient: Failures = { ...ofClient, down: ofCurl.down };
const ofPython: Failures = {
  token: [1, /RuntimeError: 401: \{"error":\{"code":"invalid_token"/],
  large: [1, /RuntimeError: 400: \{"error":\{"code":"html_too_large"/],
  down: [1, /URLError: <urlopen error .*[Cc]onnection refused/],
};

interface Recipe {
  readonly name: string;
  readonly failures: Failures;
  readonly program?: 'python3';
  /** @param read a document of the service @returns the code, with the service's address in it */
  code(read: (path: string) => Promise<string>): Promise<string> | string;
}

const recipes: readonly Recipe[] = [
  {
    name: 'docs/agents.md, the client',
    failures: ofFetchedClient,
    code: () => codeAfter(guide, '## The client', /```sh\n(.*?)```/s).replace(/^.* login\n/m, ''),
  },
  {
    name: 'docs/agents.md, the client that is there already',
    failures: ofClient,
    code: () => codeAfter(guide, '## The client', /^(.* publish report\.html)$/m),
  },
  {
    name: 'docs/agents.md, the shell',
    failures: ofCurl,
    code: () => codeAfter(guide, '**Shell.**', /```sh\n(.*?)```/s),
  },
  {
    name: 'docs/agents.md, Python',
    failures: ofPython,
    program: 'python3',
    code: () => codeAfter(guide, '**Python**', /```python\n(.*?)```/s),
  },
  {
    name: 'docs/agents.md, CI',
    failures: ofFetchedClient,
    code: () => codeAfter(guide, '**CI**', /^- run: (.*)$/m),
  },
  {
    name: 'docs/agents.md, the upload address and the curl line of its answer',
    failures: ofCurl,
    code: () => `${uploadRequest.trim()} > answer.json || { code=$?; cat answer.json; exit $code; }
eval "$(node -p 'JSON.parse(fs.readFileSync("answer.json")).curl')"`,
  },
  {
    name: 'README, curl',
    failures: ofCurl,
    code: () => codeAfter(readme, 'Without the client', /```sh\n(.*?)```/s),
  },
  {
    name: 'GET /api/onboard, the client',
    failures: ofFetchedClient,
    code: async (read) => codeAfter(await read('/api/onboard'), '## Shortest path', /```sh\n(.*?)```/s),
  },
  {
    name: 'GET /api/onboard, curl',
    failures: ofCurl,
    code: async (read) => codeAfter(await read('/api/onboard'), 'With curl alone', /```sh\n(.*?)```/s),
  },
  {
    name: 'GET /llms.txt, the client',
    failures: ofFetchedClient,
    code: async (read) => codeAfter(await read('/llms.txt'), '- [Client]', /`(.*?)`/),
  },
  {
    name: 'the skill',
    failures: ofFetchedClient,
    code: async (read) => {
      const text = await read('/.well-known/agent-skills/dropleaf/SKILL.md');
      const steps = ['2. Get the client', '3. Publish'].map((step) => codeAfter(text, step, /: `(.*?)`/));
      return steps.join('\n');
    },
  },
];

describe('The recipes of the documents, as they are written', () => {
  const service = useService();
  const owner = useOwner(service);
  const home = useClient();
  const path = (name: string) => join(home.dir, name);

  let deadUrl: string;
  before(async () => {
    deadUrl = await findDeadUrl();
  });

  beforeEach(() => {
    // Pauses between tries are not waited for.
    writeFileSync(path('.curlrc'), 'retry-max-time = 1\n');
    writeFileSync(path('sitecustomize.py'), 'import time\ntime.sleep = lambda seconds: None\n');
    writeFileSync(
      path('no-pauses.mjs'),
      `import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
timers.setTimeout = async () => undefined;
syncBuiltinESMExports();`,
    );
  });

  interface Run {
    readonly code: number;
    readonly text: string;
  }

  async function run(
    recipe: Recipe,
    { token, html, url, slug }: { token: string; html: string; url: string; slug: string },
  ): Promise<Run> {
    const read = async (path: string) => (await service.get(path)).text;
    const code = (await recipe.code(read))
      .replaceAll(service.config.BASE_URL, '{url}')
      .replaceAll('{url}', url)
      .replaceAll('t9tzZkipKQ5I', slug);
    for (const name of ['report.html', 'page.html', 'hello.html']) writeFileSync(path(name), html);
    copyFileSync(clientFile, path('cli.mjs')); // for recipes that do not fetch it
    return execute(recipe.program ?? 'sh', code, { DROPLEAF_TOKEN: token, DROPLEAF_URL: url });
  }

  function execute(program: string, code: string, variables: Record<string, string>): Promise<Run> {
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: home.dir,
      PYTHONPATH: home.dir,
      NODE_OPTIONS: `--import=${path('no-pauses.mjs')}`,
      ...variables,
    };
    const args = program === 'sh' ? ['-ec', code] : ['-c', code];
    return new Promise((resolve) => {
      execFile(program, args, { cwd: home.dir, env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr });
      });
    });
  }

  for (const recipe of recipes) {
    describe(recipe.name, () => {
      before(function () {
        for (const program of ['curl', recipe.program ?? 'sh']) requireProgram(this, program);
      });

      it('publishes the page', async () => {
        const { slug } = await owner.create();
        const { code, text } = await run(recipe, { token: owner.token, html: page, url: service.url, slug });
        expect(code, text).to.equal(0);
        const [, address = ''] = /(\/p\/\w+)/.exec(text) ?? [];
        expect((await service.get(`${address}/raw`)).text).to.contain('<h1>Numbers</h1>');
      });

      for (const [problem, faulty] of [
        ['token', { token: 'dl_wrong' }],
        ['large', { html: largePage }],
        ['down', {}],
      ] as const) {
        const [exitCode, message] = recipe.failures[problem];
        const what = { token: 'a wrong token', large: 'a page of 11 MB', down: 'a service that is down' };
        it(`fails and says why with ${what[problem]}`, async () => {
          const { slug } = await owner.create();
          const url = problem === 'down' ? deadUrl : service.url;
          const { code, text } = await run(recipe, { token: owner.token, html: page, url, slug, ...faulty });
          expect(text).to.match(message);
          expect(code, text).to.equal(exitCode);
        });
      }
    });
  }

  it('README, the tour: publishes, changes and restores the page', async function () {
    requireProgram(this, 'curl');
    const owner = await service.newOwner();
    const tour = readme.slice(readme.indexOf("## A minute's tour"), readme.indexOf('**In the browser.**'));
    const [first = '', second = ''] = [...tour.matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code ?? '');
    const commands = first.slice(first.indexOf('curl ')) + second; // it begins with a token and a new folder
    const env = { DROPLEAF_TOKEN: owner.token };
    const { code, text } = await execute('sh', commands.replaceAll('{url}', service.url), env);
    expect(code, text).to.equal(0);
    expect(text).to.contain('+<p>More to read.</p>').and.to.contain('Version 1 is live again, as version 3.');
  });
});

/** The text of a document, with `{url}` for the address of the service. */
function readDocument(name: string, url: string): string {
  return readFileSync(join(projectDir, name), 'utf8').replaceAll(url, '{url}');
}

/** The first group of the pattern where it first matches after a text of the document. */
function codeAfter(document: string, text: string, pattern: RegExp): string {
  const code = pattern.exec(document.slice(document.indexOf(text)))?.[1];
  if (!document.includes(text) || code === undefined) throw new Error(`There is no code after "${text}"`);
  return code;
}
