import { Command, CommanderError } from 'commander';
import { ConfigError } from '../shared/config/config.ts';
import { storeForm } from '../shared/engines/open-stores.ts';
import { messageOf } from '../shared/util/error-texts.ts';
import { shownText } from '../shared/util/shown-text.ts';
import { readRelease } from '../shared/version.ts';
import { addAdminCommands } from './commands/admin.ts';
import { addDataCommands } from './commands/data.ts';
import { addJobs } from './commands/jobs.ts';
import { addMaintenance } from './commands/maintenance.ts';
import { given } from './environment.ts';
import { addCommand, type CommandHelp } from './operator.ts';
import { type ProcessIo, UsageError } from './process-io.ts';

const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** @param args such as `['token', '--user', 'me']` @returns the exit code, after the result or the error was printed */
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
  const isUsage = error instanceof UsageError || error instanceof ConfigError;
  const message = messageOf(error);
  // Only our own lists of settings have several lines: any other line feed may be of a text that was stored.
  stderr.write(`dropleaf: ${isUsage ? shownLines(message) : shownText(message)}\n`);
  if (given(env, 'LOG_LEVEL') === 'debug') stderr.write(shownLines(`${stackOf(error)}\n`));
  return isUsage ? exitCodes.usage : exitCodes.failed;
}

/** Without the error's other fields: those of a database error may hold a password. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by ${stackOf(error.cause)}`;
}

function shownLines(text: string): string {
  return text.split('\n').map(shownText).join('\n');
}

/** `1.3.0 (form 22 of SQLite, 2 of MongoDB)` */
function describeRelease(): string {
  return `${readRelease()} (form ${storeForm('embedded')} of SQLite, ${storeForm('scale-out')} of MongoDB)`;
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
      writeErr: (text) => io.stderr.write(shownLines(text)),
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
  addJobs(program, io);
  addDataCommands(program, io);
  addAdminCommands(program, io);
  return program;
}

function addProcesses(program: Command, io: ProcessIo, setExitCode: (code: number) => void): void {
  const addProcess = (name: 'start' | 'web' | 'worker', help: CommandHelp) =>
    addCommand(program, name, help).action(async () => {
      const processes = await import('./commands/processes.ts'); // loads the whole service
      setExitCode(await processes[name](io));
    });

  addProcess('start', {
    summary: 'run the service',
    description:
      'Runs the service, web and worker in one process, until SIGTERM or Ctrl+C. If MONGODB_URI and REDIS_URL are ' +
      'set, it runs on MongoDB and Redis and migrates MongoDB first.',
    examples: ['PORT=8080 DATA_DIR=/var/lib/dropleaf bin/dropleaf.js start'],
  });

  addProcess('web', {
    summary: 'answer requests, as one of several processes',
    description:
      'Runs a web process on MongoDB and Redis until SIGTERM. It listens on all addresses unless HOST is set.',
    examples: ['PORT=8080 BASE_URL=https://drops.example bin/dropleaf.js web'],
  });

  addProcess('worker', {
    summary: 'run jobs, as one of several processes',
    description: 'Runs a worker process on MongoDB and Redis until SIGTERM.',
    examples: ['JOBS_AT_ONCE=8 bin/dropleaf.js worker'],
  });
}
