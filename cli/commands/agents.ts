import { type Command, Option } from 'commander';
import type { Context, OpenContext } from '../context.ts';
import { installSkill } from '../skill.ts';

export function addAgentCommands(program: Command, open: OpenContext, name: string): void {
  program
    .command('mcp')
    .summary('print how to connect an agent over MCP')
    .description(
      'Prints what to paste or run so that an agent can use the service over MCP. The token is read from the environment ' +
        'variable DROPLEAF_TOKEN, unless you add --show-token.',
    )
    .addOption(
      new Option('--client <client>', 'the agent').choices(Object.keys(setups)).makeOptionMandatory(),
    )
    .option('--show-token', 'print your token in place of DROPLEAF_TOKEN; everybody who reads it can use it')
    .addHelpText('after', `\nExample:\n  ${name} mcp --client claude-code`)
    .action((options: { client: ClientName; showToken?: true }) => printSetup(open(), options));

  const skill = program
    .command('skill')
    .summary('install the skill that tells an agent how to publish')
    .description('Manages the skill that tells an agent how to publish pages.');
  skill
    .command('install')
    .summary('install the skill for an agent')
    .description(
      "Installs the service's skill into a folder that agents read. Asks for the folder on a terminal. Existing files are " +
        'never changed.',
    )
    .option('--dir <folder>', 'folder of skills, such as ~/.claude/skills')
    .addHelpText('after', `\nExample:\n  ${name} skill install --dir ~/.claude/skills`)
    .action((options: { dir?: string }) => installSkill(open(), options.dir));
}

interface Setup {
  /** Where the text belongs. */
  readonly hint: string;
  /** @param token in place of a reference to DROPLEAF_TOKEN; null: the reference */
  text(mcpUrl: string, token: string | null, platform: NodeJS.Platform): string;
}

const setups = {
  'claude-code': {
    hint: 'Run this in a shell:',
    text(mcpUrl, token, platform) {
      const value = token ?? (platform === 'win32' ? '$env:DROPLEAF_TOKEN' : '$DROPLEAF_TOKEN');
      return `claude mcp add --transport http --scope user dropleaf ${mcpUrl} --header "Authorization: Bearer ${value}"`;
    },
  },
  cursor: {
    hint: 'Put this into ~/.cursor/mcp.json, or into .cursor/mcp.json of a project:',
    text: (mcpUrl, token) => {
      const headers = { Authorization: `Bearer ${token ?? `\${env:DROPLEAF_TOKEN}`}` };
      return toJson({ mcpServers: { dropleaf: { url: mcpUrl, headers } } });
    },
  },
  codex: {
    hint: 'Put this into ~/.codex/config.toml:',
    text: (mcpUrl) =>
      `[mcp_servers.dropleaf]\nurl = ${JSON.stringify(mcpUrl)}\nbearer_token_env_var = "DROPLEAF_TOKEN"`,
  },
  vscode: {
    hint: 'Put this into .vscode/mcp.json of a project, or run "MCP: Open User Configuration":',
    text(mcpUrl, token) {
      const server = (value: string) => ({
        dropleaf: { type: 'http', url: mcpUrl, headers: { Authorization: `Bearer ${value}` } },
      });
      if (token !== null) return toJson({ servers: server(token) });
      const input = {
        type: 'promptString',
        id: 'dropleaf-token',
        description: 'Dropleaf token',
        password: true,
      };
      return toJson({ inputs: [input], servers: server(`\${input:${input.id}}`) });
    },
  },
} as const satisfies Record<string, Setup>;

type ClientName = keyof typeof setups;

/** What to paste goes to stdout, so that it can be piped; the rest to stderr. */
function printSetup(
  context: Context,
  { client, showToken = false }: { client: ClientName; showToken?: boolean },
) {
  const { io, output, url } = context;
  const setup: Setup = setups[client];
  const token = showToken ? context.token() : null;
  if (showToken && token === null) throw context.notSignedIn();
  const mcpUrl = `${url}/mcp`;
  const text = setup.text(mcpUrl, token, io.platform);
  if (output.isJson) return output.result({ client, url: mcpUrl, setup: text, token }, null);
  if (client === 'codex' && token !== null) {
    output.note('Codex reads the token from the environment only. Set it where Codex is started:');
    const command = io.platform === 'win32' ? 'setx DROPLEAF_TOKEN ' : 'export DROPLEAF_TOKEN=';
    output.result(null, command + token);
  }
  output.note(setup.hint);
  output.result(null, text);
  if (showToken) output.warn('the output contains your token: do not commit or share it');
  else output.note(`${tokenHints[client]} To have your token filled in, add --show-token.`);
}

const fromEnvironment = 'Set DROPLEAF_TOKEN to your token where the agent is started.';
const tokenHints: Readonly<Record<ClientName, string>> = {
  'claude-code': 'Set DROPLEAF_TOKEN to your token in the shell first.',
  cursor: fromEnvironment,
  codex: fromEnvironment,
  vscode: 'VS Code asks for the token once, and stores it.',
};

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
