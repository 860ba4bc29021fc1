import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { OptionName, SignInWay } from '../../shared/config/config.ts';
import { linkIdentity } from '../../shared/moderation/link-identity.ts';
import {
  addLogged,
  describeAccount,
  findOneAccount,
  type OperatorOptions,
  printLine,
  readDataConfig,
  readOperator,
  readReason,
  withAdmin,
} from '../operator.ts';
import type { ProcessIo } from '../process-io.ts';

const ways: readonly SignInWay[] = ['local', 'github', 'oidc'];
/** OpenID Connect Core, 2: a `sub` has at most 255 ASCII characters. */
const subjectPattern = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;
const providerSettings = [
  'GITHUB_URL',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
] as const satisfies OptionName[];

export function addLink(admin: Command, io: ProcessIo): void {
  addLogged(admin, 'link', {
    summary: 'let an account sign in by another way, too',
    description:
      'Adds a way to sign in to an account, so that its owner keeps it when another way ends: run it for each person before ' +
      'SIGN_IN=oidc. Set the same GITHUB_URL and OIDC_… variables as for the service. An identity that has an account is refused: ' +
      'its owner deletes that account first, or uses it.',
    examples: ['bin/dropleaf.js admin link ada oidc 248289761001'],
  })
    .argument('<user>', 'id or name of the account, as "admin find" prints them')
    .addArgument(new Argument('<provider>', 'where the person signs in').choices(ways))
    .argument(
      '<subject>',
      'the "sub" at the OpenID provider, the numeric user id at GitHub, or a local name',
      readSubject,
    )
    .option('-r, --reason <text>', 'reason for the log', readReason)
    .action((user: string, way: SignInWay, subject: string, options: OperatorOptions) =>
      link(user, way, subject, options, io),
    );
}

async function link(
  user: string,
  way: SignInWay,
  subject: string,
  options: OperatorOptions,
  io: ProcessIo,
): Promise<void> {
  const { nameIdentity } = await import('../../shared/engines/open-identity.ts');
  const identity = await nameIdentity(readDataConfig(io.env, providerSettings), way, subject);
  const named = `${identity.subject} (${identity.provider})`;
  await withAdmin(io, async (services) => {
    const account = await findOneAccount(services.moderation, user);
    const outcome = await linkIdentity(services, account, identity, readOperator(options));
    if (outcome === 'taken')
      throw new Error(`${named} has an account already: nothing was changed. Find it with "admin find"`);
    const what = outcome === 'linked' ? 'now signs in' : 'signs in already';
    printLine(io, `${describeAccount(account)} ${what} as ${named}, too.`);
  });
}

function readSubject(text: string): string {
  if (subjectPattern.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 255 ASCII characters.');
}
