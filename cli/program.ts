import { Command, CommanderError, Help } from 'commander';
import { addAccountCommands } from './commands/account.ts';
import { addAgentCommands } from './commands/agents.ts';
import { addChangingCommands } from './commands/changing.ts';
import { addCommentCommands } from './commands/comments.ts';
import { addProjectCommands } from './commands/project.ts';
import { addPublishCommand } from './commands/publish.ts';
import { addReadingCommands } from './commands/reading.ts';
import { addSharingCommands } from './commands/sharing.ts';
import { addSignInCommands } from './commands/sign-in.ts';
import { createContext, type GlobalFlags, type OpenContext, rememberConsent } from './context.ts';
import { CliError, capCodes, endings, exitCodes, presentError, usageError } from './errors.ts';
import { isRecord } from './guards.ts';
import { type CliIo, programName } from './io.ts';
import { readTimeout } from './option-values.ts';
import { clean, createOutput, OutputError } from './output.ts';

/** Commands of bin/dropleaf.js, which an operator runs where the service is installed. */
const operatorCommands = 'start web worker migrate config token sign-in-key jobs admin'.split(' ');

/**
 * Runs the command of `args`, as in `['publish', 'report.html']`, and prints its result or error.
 * @returns the exit code, after the output was written
 */
export async function runClient(args: readonly string[], io: CliIo): Promise<number> {
  const program = createProgram(io);
  const exitCode = await program.parseAsync(args, { from: 'user' }).then(
    () => exitCodes.done,
    (error: unknown) => printError(error, io, program.opts<GlobalFlags>().json ?? false),
  );
  return io.output.finish(exitCode, [...io.acts]);
}

function createProgram(io: CliIo): Command {
  const name = programName(io);
  const program = new Command(name)
    .description('Publishes self-contained HTML pages to a Dropleaf service.')
    .version(io.version, '-V, --version', 'print the version')
    .option('--url <address>', 'the service; otherwise DROPLEAF_URL, or the one this file came from')
    .option('--json', 'print the result, or the error, as one line of JSON; stderr is for people')
    .option('--insecure-http', 'send your token to this service over http, from now on until logout')
    .option('--timeout <time>', 'seconds, or as 9m: for a request with its repeats', readTimeout, 60)
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: describeTerm })
    .configureOutput({
      writeOut: (text) => io.output.stdout.write(text),
      writeErr: (text) => io.output.stderr.write(clean(text)),
    })
    .showHelpAfterError(`For help: ${name} --help, or --help after a command.`)
    .exitOverride()
    .addHelpText('after', generalHelp(name));
  const open: OpenContext = () => createContext(io, program.opts());
  program.hook('preAction', async () => {
    if (program.opts<GlobalFlags>().insecureHttp) await rememberConsent(open());
  });
  addSignInCommands(program, open, name);
  addPublishCommand(program, open, name);
  addProjectCommands(program, open, name);
  addReadingCommands(program, open, name);
  addChangingCommands(program, open, name);
  addSharingCommands(program, open, name);
  addCommentCommands(program, open, name);
  addAccountCommands(program, open, name);
  addAgentCommands(program, open, name);
  return program;
}

/** `publish <file>`: that there are options goes without saying. */
function describeTerm(command: Command): string {
  const term = new Help().subcommandTerm(command);
  return term.replace(' [options]', '');
}

function generalHelp(name: string): string {
  return `
Environment:
  DROPLEAF_URL    the service
  DROPLEAF_TOKEN  a token, in place of the one that login stores
  HTTPS_PROXY     the proxy, http://user:password@host:port; HTTP_PROXY for http
  NO_PROXY        hosts that are reached without it, with commas between them
  NO_COLOR        no colours

The result goes to stdout, everything else to stderr. With --json stdout is one
line: the result, or {"error": {"code", "message", "details"}}. The code is that
of the service (see its /docs), or the name of the exit code.

Exit codes:
${exitTable()}

Examples:
  ${name} login
  ${name} publish report.html`;
}

function exitTable(): string {
  return endings
    .map(({ name, exitCode, meaning }) => `  ${String(exitCode).padEnd(5)}${name.padEnd(15)}${meaning}`)
    .join('\n');
}

/** @returns the exit code */
function printError(error: unknown, io: CliIo, isJson: boolean): number {
  if (error instanceof OutputError) return exitCodes.done;
  const output = createOutput(io, isJson);
  if (error instanceof CommanderError) {
    const [, word = ''] = /unknown command '([^']*)'/.exec(error.message) ?? [];
    if (operatorCommands.includes(word)) {
      output.note(
        `"${word}" is a command for operators: run bin/dropleaf.js ${word} in the folder of the service.`,
      );
    }
    if (error.exitCode === 0) return exitCodes.done; // help or the version
    const message = error.code === 'commander.help' ? 'no command is given' : error.message;
    output.result(presentError(usageError(message.replace(/^error: /, ''))), null); // stderr has it already
    return exitCodes.usage;
  }
  if (error instanceof CliError) {
    output.error(error.text);
    for (const line of detailLines(error)) output.note(line);
    output.result(presentError(error), null);
    return error.exitCode;
  }
  const [message, stack] = error instanceof Error ? [error.message, error.stack] : [String(error)];
  output.error(`unexpected error: ${stack ?? message}`);
  output.result(presentError(new CliError(`unexpected error: ${message}`)), null);
  return exitCodes.failed;
}

/** Limits that the service named, one a line, and every wrong field if there are several: the message names the first. */
function detailLines({ code, details, retryAfterSeconds: seconds }: CliError): string[] {
  const { field, fields, retry_after_seconds, ...limits } = details;
  const several = Array.isArray(fields) && fields.length > 1 ? fields : [];
  return [
    ...several.map((wrong) => `  ${isRecord(wrong) ? wrong.message : wrong}`),
    ...Object.entries(limits).map(
      ([name, value]) => `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
    ...(seconds === undefined || capCodes.includes(code) ? [] : [`Try again in ${waitText(seconds)}.`]),
  ];
}

/** Rounded up. */
function waitText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3_600)} hours`;
}
