import { Command, CommanderError } from 'commander';
import { ConfigError } from '../shared/config/config.ts';
import { storeForm } from '../shared/open-stores.ts';
import { messageOf } from '../shared/util/message-of.ts';
import { readVersion } from '../shared/version.ts';
import { addAdminCommands } from './admin-program.ts';
import { type JobsOptions, jobs } from './commands/jobs.ts';
import { migrate, printConfig, signInKey, token } from './commands/maintenance.ts';
import { addDataCommands } from './data-program.ts';
import { type ProcessIo, UsageError } from './process-io.ts';
import { stripControlCharacters } from './text.ts';

const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/**
 * Runs the command that `args` name, as in `['token', '--user', 'me']`.
 * @returns the exit code, after the command has printed its result or its error
 */
export async function runCommand(args: readonly string[], io: ProcessIo): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return printError(error, io);
  }
}

/** Commands of the client (cli/), which people and agents run anywhere. */
const clientCommands = (
  'login logout whoami tokens open mcp skill publish list get versions diff ' +
  'restore lock unlock delete views'
).split(' ');

/** @returns the exit code */
function printError(error: unknown, { env, stderr }: ProcessIo): number {
  if (error instanceof CommanderError) {
    const [, word = ''] = /unknown command '([^']*)'/.exec(error.message) ?? [];
    if (clientCommands.includes(word)) {
      stderr.write(
        `"${word}" is a command of the client: get it from the service at /cli.mjs, and run node cli.mjs ${word}.\n`,
      );
    }
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage; // printed already
  }
  const message = messageOf(error);
  stderr.write(stripControlCharactersByLine(`dropleaf: ${message}\n`));
  if (env.LOG_LEVEL === 'debug') stderr.write(stripControlCharactersByLine(`${stackOf(error)}\n`));
  const isUsage = error instanceof UsageError || error instanceof ConfigError;
  return isUsage ? exitCodes.usage : exitCodes.failed;
}

/** Without the error's other fields: those of a database error may hold a password. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by ${stackOf(error.cause)}`;
}

function stripControlCharactersByLine(text: string): string {
  return text.split('\n').map(stripControlCharacters).join('\n');
}

/** `1.3.0 (form 22 of SQLite, 2 of MongoDB)` */
function describeRelease(): string {
  return `${readVersion()} (form ${storeForm('embedded')} of SQLite, ${storeForm('scale-out')} of MongoDB)`;
}

/** @param setExitCode receives the exit code of a process that was stopped */
function createProgram(io: ProcessIo, setExitCode: (code: number) => void): Command {
  const program = new Command('bin/dropleaf.js')
    .description(
      'Runs and maintains the Dropleaf service of this folder. To publish pages, use the client, which each service has at ' +
        '/cli.mjs.',
    )
    .version(
      describeRelease(),
      '-V, --version',
      'print the version, and the forms of stored data that it works on',
    )
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(stripControlCharactersByLine(text)),
    })
    .enablePositionalOptions() // an option belongs to the command before it
    .showHelpAfterError('For help: bin/dropleaf.js --help, or --help after a command.')
    .exitOverride()
    .addHelpText(
      'after',
      '\nSettings are environment variables: "bin/dropleaf.js config" prints them all.\n' +
        'With LOG_LEVEL=debug an error is printed with its stack.\n' +
        'Exit codes: 0 done, 1 failed, 2 wrong arguments, an invalid setting, or a command that these settings do not allow.',
    );
  addProcesses(program, io, setExitCode);
  addMaintenance(program, io);
  addDataCommands(program, io);
  addAdminCommands(program, io);
  return program;
}

function addProcesses(program: Command, io: ProcessIo, setExitCode: (code: number) => void): void {
  const addProcess = (name: 'start' | 'web' | 'worker') =>
    program.command(name).action(async () => {
      const processes = await import('./commands/processes.ts'); // loads the whole service
      setExitCode(await processes[name](io));
    });

  addProcess('start')
    .summary('run the service')
    .description(
      'Runs the service, web and worker in one process, until SIGTERM or Ctrl+C. If MONGODB_URI and REDIS_URL are ' +
        'set, it runs on MongoDB and Redis and migrates MongoDB first.',
    )
    .addHelpText('after', example('PORT=8080 DATA_DIR=/var/lib/dropleaf bin/dropleaf.js start'));

  addProcess('web')
    .summary('answer requests, as one of several processes')
    .description(
      'Runs a web process on MongoDB and Redis until SIGTERM. It listens on all addresses unless HOST is set.',
    )
    .addHelpText('after', example('PORT=8080 BASE_URL=https://drops.example bin/dropleaf.js web'));

  addProcess('worker')
    .summary('run jobs, as one of several processes')
    .description('Runs a worker process on MongoDB and Redis until SIGTERM.')
    .addHelpText('after', example('JOBS_AT_ONCE=8 bin/dropleaf.js worker'));
}

function addMaintenance(program: Command, io: ProcessIo): void {
  program
    .command('migrate')
    .summary('give the stored data the form of this release')
    .description(
      'Creates missing collections and indexes in MongoDB and logs them; running processes are not disturbed. Migrates SQLite, ' +
        'which "start" does too: no service may run on it.',
    )
    .addHelpText('after', example('bin/dropleaf.js migrate'))
    .action(() => migrate(io));

  program
    .command('config')
    .summary('print every setting with its value')
    .description(
      'Prints every setting with its value, secrets hidden. Lists invalid settings instead if there are any.',
    )
    .addHelpText('after', example('PORT=8080 bin/dropleaf.js config'))
    .action(() => printConfig(io));

  program
    .command('token')
    .summary('create an API token for a local account')
    .description(
      'Creates an API token and prints it, and nothing else, on stdout. The same name is always the same account. The service ' +
        'need not be running, but must have been started once.',
    )
    .requiredOption('-u, --user <name>', 'name of the account, as on the local sign-in page (required)')
    .option('-l, --label <text>', 'label of the token, shown in lists')
    .addHelpText('after', example('TOKEN=$(bin/dropleaf.js token --user me --label laptop)'))
    .action((options: { user: string; label?: string }) => token(options, io));

  program
    .command('sign-in-key')
    .summary('print the key for the local sign-in page')
    .description(
      'Prints the sign-in key and nothing else on stdout. Fails if people sign in with GitHub. The service need not ' +
        'be running, but must have been started once.',
    )
    .addHelpText('after', example('bin/dropleaf.js sign-in-key'))
    .action(() => signInKey(io));

  program
    .command('jobs')
    .summary('count jobs by name, say why jobs failed, retry them')
    .description(
      'Counts the waiting, active and failed jobs of each name; "oldest" is how long the oldest one has been due, and "~" ' +
        'marks an estimate. Then lists why jobs failed: by name and error, with one as an example. A job has failed when its ' +
        'last attempt has; until then it counts as waiting, and is listed as retried. Failed jobs are kept for 7 days.',
    )
    .option('-r, --retry [name]', 'queue failed jobs again: all, those of a name, or the one with an id')
    .option('--json', 'print JSON')
    .addHelpText('after', example('bin/dropleaf.js jobs --retry edge.purge'))
    .action((options: JobsOptions) => jobs(options, io));
}

function example(line: string): string {
  return `\nExample:\n  ${line}`;
}
