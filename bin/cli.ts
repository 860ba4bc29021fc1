import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { UsageError } from './usage-error.ts';

const done = 0;
const failed = 1;
const misused = 2;

// `dropleaf config | head` closes the pipe when it has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(done);
  throw error;
});

try {
  process.exitCode = await run(process.argv);
} catch (error) {
  process.exitCode = report(error);
}

/** Reads the command line and does what it says. @returns the exit code */
async function run(argv: readonly string[]): Promise<number> {
  let exitCode = done;
  const program = new Command('dropleaf')
    .description('Hosts self-contained HTML pages: post one document, get a public address back.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
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

  program
    .command('start')
    .summary('run the service')
    .description('Runs the service, web and worker in one process, until SIGTERM or Ctrl+C.')
    .addHelpText('after', text('Example:', '  PORT=8080 DATA_DIR=/var/lib/dropleaf bin/dropleaf.js start'))
    .action(async () => {
      const { start } = await import('./commands/start.ts');
      exitCode = await start(process.env);
    });

  program
    .command('config')
    .summary('print every setting and the value in force')
    .description('Prints every setting with the value in force, secrets hidden; or every fault, and exits 1.')
    .addHelpText('after', text('Example:', '  PORT=8080 bin/dropleaf.js config'))
    .action(async () => {
      const { config } = await import('./commands/config.ts');
      config(process.env);
    });

  program
    .command('token')
    .summary('make an API token for a local account')
    .description(
      'Makes an API token for a local account on the machine that holds the data, and prints it alone on stdout. ' +
        'Works whether the service runs or not; the same name is always the same account.',
    )
    .requiredOption('-u, --user <name>', 'whose token: the name that the local sign-in page takes')
    .option('-l, --label <text>', 'a name for the token, shown in listings')
    .addHelpText('after', text('Example:', '  TOKEN=$(bin/dropleaf.js token --user me --label laptop)'))
    .action(async (options: { user: string; label?: string }) => {
      const { token } = await import('./commands/token.ts');
      await token(options, process.env);
    });

  await program.parseAsync(argv);
  return exitCode;
}

/** Says on stderr what went wrong, where commander has not said it yet. @returns the exit code */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? done : misused;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`dropleaf: ${message}\n`);
  if (process.env.LOG_LEVEL === 'debug') process.stderr.write(`${inspect(error)}\n`);
  return error instanceof UsageError ? misused : failed;
}

/** Of the package.json beside dist/. */
function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version; // proof: our own file
}

function text(...lines: readonly string[]): string {
  return `\n${lines.join('\n')}`;
}
