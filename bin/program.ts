import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAdmin } from './admin.ts';
import type { Env } from './env.ts';

/**
 * The command line: every command with its help. What a command does is loaded when it is called.
 * @param finish gets the exit code of a command that has one of its own
 */
export function createProgram(env: Env, finish: (exitCode: number) => void): Command {
  const program = new Command('dropleaf')
    .description('Hosts self-contained HTML pages: post one document, get a public address back.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .enablePositionalOptions() // an option belongs to the command that it follows
    .showHelpAfterError('Run "dropleaf --help" to see what there is.')
    .exitOverride()
    .addHelpText(
      'after',
      text(
        'Settings are environment variables; "dropleaf config" prints them all. LOG_LEVEL=debug shows',
        'where an error comes from.',
        'Exit codes: 0 done, 1 failed, 2 the command line is wrong.',
      ),
    );
  addProcesses(program, env, finish);
  addCommands(program, env);
  addAdmin(program, env);
  return program;
}

/** What runs until it is stopped. */
function addProcesses(program: Command, env: Env, finish: (exitCode: number) => void): void {
  program
    .command('start')
    .summary('run the service')
    .description(
      'Runs the service, web and worker in one process, until SIGTERM or Ctrl+C. With MONGODB_URI and REDIS_URL set ' +
        'it prepares MongoDB first and runs on both, for trying out what "web" and "worker" do.',
    )
    .addHelpText('after', example('PORT=8080 DATA_DIR=/var/lib/dropleaf bin/dropleaf.js start'))
    .action(async () => {
      const { start } = await import('./commands/start.ts');
      finish(await start(env));
    });

  program
    .command('web')
    .summary('answer requests, as one of many processes')
    .description(
      'Runs the web process alone, on MongoDB and Redis, until SIGTERM. It listens on all addresses unless HOST is set.',
    )
    .addHelpText('after', example('PORT=8080 BASE_URL=https://drops.example bin/dropleaf.js web'))
    .action(async () => {
      const { web } = await import('./commands/web.ts');
      finish(await web(env));
    });

  program
    .command('worker')
    .summary('run jobs, as one of many processes')
    .description('Runs the background process alone, on MongoDB and Redis, until SIGTERM.')
    .addHelpText('after', example('JOBS_AT_ONCE=8 bin/dropleaf.js worker'))
    .action(async () => {
      const { worker } = await import('./commands/worker.ts');
      finish(await worker(env));
    });
}

/** What ends by itself. */
function addCommands(program: Command, env: Env): void {
  program
    .command('migrate')
    .summary('prepare MongoDB for this release')
    .description(
      'Makes what is missing of the collections and indexes in MongoDB, and says what; beside running processes too. ' +
        'SQLite is prepared by the start.',
    )
    .addHelpText('after', example('bin/dropleaf.js migrate'))
    .action(async () => {
      const { migrate } = await import('./commands/migrate.ts');
      await migrate(env);
    });

  program
    .command('config')
    .summary('print every setting and the value in force')
    .description('Prints every setting with the value in force, secrets hidden; or every fault, and exits 1.')
    .addHelpText('after', example('PORT=8080 bin/dropleaf.js config'))
    .action(async () => {
      const { config } = await import('./commands/config.ts');
      config(env);
    });

  program
    .command('token')
    .summary('make an API token for a local account')
    .description(
      'Makes an API token for a local account, where the data is, and prints it alone on stdout. ' +
        'Works whether the service runs or not, once it has been started; the same name is always the same account.',
    )
    .requiredOption('-u, --user <name>', 'whose token: the name that the local sign-in page takes')
    .option('-l, --label <text>', 'a name for the token, shown in listings')
    .addHelpText('after', example('TOKEN=$(bin/dropleaf.js token --user me --label laptop)'))
    .action(async (options: { user: string; label?: string }) => {
      const { token } = await import('./commands/token.ts');
      await token(options, env);
    });

  program
    .command('sign-in-key')
    .summary('print the key that people sign in with')
    .description(
      'Prints the local sign-in key alone on stdout; exits 1 where people sign in with GitHub. ' +
        'Works whether the service runs or not, once it has been started.',
    )
    .addHelpText('after', example('bin/dropleaf.js sign-in-key'))
    .action(async () => {
      const { signInKey } = await import('./commands/sign-in-key.ts');
      await signInKey(env);
    });

  program
    .command('jobs')
    .summary('show how many jobs wait, run and have failed')
    .description(
      'Prints how many jobs wait, run and have failed, and why each of the failed ones did. ' +
        'Works whether the service runs or not.',
    )
    .option('-r, --retry', 'put the failed ones back in line')
    .addHelpText('after', example('bin/dropleaf.js jobs --retry'))
    .action(async (options: { retry?: true }) => {
      const { jobs } = await import('./commands/jobs.ts');
      await jobs(options, env);
    });
}

/** Of the package.json beside dist/. */
function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version; // proof: our own file
}

function example(line: string): string {
  return text('Example:', `  ${line}`);
}

function text(...lines: readonly string[]): string {
  return `\n${lines.join('\n')}`;
}
