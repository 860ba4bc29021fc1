import { type Command, Option } from 'commander';
import { localIdentity } from '../../shared/accounts/account.ts';
import { describeConfig, type OptionName, signInWays } from '../../shared/config/config.ts';
import { publishScopeTexts } from '../../shared/credentials/scopes.ts';
import { type Scope, scopes } from '../../shared/credentials/token.ts';
import { migrateStores } from '../../shared/engines/open-stores.ts';
import {
  describeMisspelled,
  describeUnused,
  given,
  isFromFile,
  readServiceSettings,
} from '../environment.ts';
import { findListenFaults } from '../listening.ts';
import { addCommand, describeStore, readDataConfig, withServices } from '../operator.ts';
import { type ProcessIo, UsageError } from '../process-io.ts';

/** What decides how people sign in, with the settings that it needs. */
const waySettings: readonly OptionName[] = [
  'SIGN_IN',
  'GITHUB_CLIENT_ID',
  'GITHUB_CLIENT_SECRET',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
];

export function addMaintenance(program: Command, io: ProcessIo): void {
  addCommand(program, 'migrate', {
    summary: 'give the stored data the form of this release',
    description:
      'Creates missing collections and indexes in MongoDB and logs them; running processes are not disturbed. Migrates SQLite, ' +
      'which "start" does too: no service may run on it.',
    examples: ['bin/dropleaf.js migrate'],
  }).action(() => migrate(io));

  addCommand(program, 'config', {
    summary: 'print every setting with its value',
    description:
      'Prints every setting with its value, secrets hidden. Lists invalid settings instead if there are any. Fails as "start" ' +
      'would, but asks no server, looks into no DATA_DIR, and takes no port that is in use.',
    examples: ['PORT=8080 bin/dropleaf.js config'],
  }).action(() => printConfig(io));

  addCommand(program, 'token', {
    summary: 'create an API token for a local account',
    description:
      'Creates an API token and prints it, and nothing else, on stdout. The same name is always the same account. The service ' +
      'need not be running, but must have been started once.',
    examples: ['TOKEN=$(bin/dropleaf.js token --user me --label laptop)'],
  })
    .requiredOption('-u, --user <name>', 'name of the account, as on the local sign-in page (required)')
    .option('-l, --label <text>', 'label of the token, shown in lists')
    .addOption(
      new Option('-s, --scope <scope>', `publish: the token may not ${publishScopeTexts.mayNot}`)
        .choices(scopes)
        .default('all'),
    )
    .action((options: TokenOptions) => token(options, io));

  addCommand(program, 'sign-in-key', {
    summary: 'print the key for the local sign-in page',
    description:
      'Prints the sign-in key and nothing else on stdout. Fails if SIGN_IN has no local, or a provider is set and SIGN_IN is not. The service need not ' +
      'be running, but must have been started once.',
    examples: ['bin/dropleaf.js sign-in-key'],
  }).action(() => signInKey(io));
}

/** @throws ConfigError listing every invalid setting @throws Error if a service with these settings cannot listen here */
async function printConfig({ env, stdout, stderr }: ProcessIo): Promise<void> {
  const warn = (text: string) => void stderr.write(`dropleaf: ${text}\n`);
  describeMisspelled(env).forEach(warn); // also if a setting is invalid
  const config = await readServiceSettings(env, { listens: true });
  describeUnused(config).forEach(warn);
  const rows = describeConfig(config);
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, value, isDefault } of rows) {
    let mark = '';
    if (isFromFile(env, name)) mark = '  (from file)';
    else if (value !== '' && (isDefault || given(env, name) === '')) mark = '  (default)';
    stdout.write(`${name.padEnd(nameWidth)}  ${value || '(unset)'}${mark}\n`);
  }
  const faults = await findListenFaults(config);
  if (faults.length > 0) throw new Error(faults.join('; '));
}

/** Any invalid setting stops it: platforms run it before a release, and the release would not start with that setting. */
async function migrate({ env, stdout, stderr }: ProcessIo): Promise<void> {
  const config = await readServiceSettings(env);
  const { createLog } = await import('../log.ts');
  const log = createLog(config.LOG_LEVEL, stderr);
  for (const warning of describeMisspelled(env)) log.warn({}, warning);
  await migrateStores(config, { log });
  await log.flush();
  stdout.write(`${describeStore(config)} is ready for this release.\n`);
}

interface TokenOptions {
  readonly user: string;
  readonly label?: string;
  readonly scope: Scope;
}

/** @throws UsageError if the name or the label is invalid */
async function token({ user, label, scope }: TokenOptions, io: ProcessIo): Promise<void> {
  const config = readDataConfig(io.env, ['LABEL_MAX_CHARACTERS', 'TOKENS_PER_ACCOUNT']);
  const identity = localIdentity(user);
  if (identity === null) {
    throw new UsageError(
      `--user must be 1 to 39 letters, digits, ".", "_" or "-", and start with a letter or digit (got "${user}")`,
    );
  }
  const length = [...(label ?? '')].length;
  if (length > config.LABEL_MAX_CHARACTERS) {
    throw new UsageError(`--label must be at most ${config.LABEL_MAX_CHARACTERS} characters (got ${length})`);
  }
  await withServices(config, io, async ({ createToken }) => {
    io.stdout.write(`${await createToken(identity, { label: label || null, scope })}\n`);
  });
  if (given(io.env, 'GITHUB_CLIENT_ID') + given(io.env, 'OIDC_ISSUER') !== '') {
    io.stderr.write(
      `This token belongs to the local account "${identity.name}", which is not the account of that name at an identity provider.\n`,
    );
  }
}

/** The first call generates the key. @throws Error if nobody signs in with it */
async function signInKey(io: ProcessIo): Promise<void> {
  const config = readDataConfig(io.env, waySettings);
  const ways = signInWays(config);
  if (!ways.includes('local')) {
    const names = ways.map((way) => (way === 'github' ? 'GitHub' : 'the OpenID provider'));
    throw new Error(
      `there is no sign-in key: people sign in with ${names.join(' or ')}; set SIGN_IN=local,${ways.join(',')} to have one, too`,
    );
  }
  await withServices(config, io, async ({ signInKey }) => {
    io.stdout.write(`${await signInKey()}\n`);
  });
}
