import type { Report } from '../../../shared/domain/report.ts';
import type { Env } from '../../env.ts';
import { harmless } from '../../harmless.ts';
import { wrapped } from '../../wrapped.ts';
import { type OperatorOptions, readOperator, withAdmin } from './with-operator.ts';

/** Prints what people told of pages, newest first. @param options `all`: closed reports too */
export async function listReports(
  { all = false, limit }: { readonly all?: boolean; readonly limit: number },
  env: Env,
): Promise<void> {
  await withAdmin(env, async ({ reports }) => {
    const which = { withClosed: all };
    const shown = await reports.list(which, limit);
    const rest = (await reports.count(which)) - shown.length;
    const none = all ? 'There are no reports.\n' : 'There are no open reports.\n';
    process.stdout.write(shown.length === 0 ? none : shown.map(describe).join('\n'));
    if (rest > 0) process.stderr.write(`And ${rest} more, which are older: --limit shows them.\n`);
  });
}

/** Closes a report. @throws Error where there is none */
export async function closeReport(id: string, options: OperatorOptions, env: Env): Promise<void> {
  await withAdmin(env, async ({ reports }) => {
    const isClosed = await reports.close(id, readOperator(options));
    if (isClosed === null) {
      throw new Error(harmless(`there is no report "${id}"; closed ones are removed after a while`));
    }
    process.stdout.write(isClosed ? `${id} is closed.\n` : `${id} was closed already.\n`);
  });
}

/** All of it but the first and the last word is a stranger's. */
function describe({ id, slug, version, reason, text, contact, createdAt, closedAt }: Report): string {
  return [
    `${timeOf(createdAt)} ${reason}: ${slug} version ${version}`,
    ...(closedAt === null ? [] : [`  closed   ${timeOf(closedAt)}`]),
    ...(contact === null ? [] : fact('contact', contact)),
    ...(text === '' ? [] : fact('said', text)),
    `  id       ${id}`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Each line begins with the name, so that none passes for another fact. */
function fact(name: string, words: string): string[] {
  const lines = words.split('\n').flatMap((line) => wrapped(harmless(line)));
  return lines.map((line) => `  ${name.padEnd(7)}  ${line}`);
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
