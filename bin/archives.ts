import type { Config } from '../shared/config/config.ts';
import type { ArchiveKind } from '../shared/domain/archive.ts';
import { ArchiveError } from '../shared/domain/archive-error.ts';
import { openArchiveFile, openArchivePipe } from '../shared/open-archives.ts';
import type { ArchiveInput } from '../shared/ports/archive-file.ts';
import type { ArchiveManifest } from '../shared/services/archive-format.ts';
import { readDataConfig } from './operator.ts';
import { type ProcessIo, UsageError } from './process-io.ts';
import { countOf, stripControlCharacters } from './text.ts';

/** The settings of a command that reads or fills a whole store. @throws ConfigError */
export function readArchiveConfig({ env }: ProcessIo): Config {
  return { ...readDataConfig(env), MONGODB_CONNECTIONS: 8 };
}

/** For the argument of a command: a file, or `-` for a pipe. */
export const pipe = '-';

export function openInput(file: string, { stdin }: ProcessIo): ArchiveInput {
  if (file !== pipe) return openArchiveFile(file);
  if (stdin.isTTY) throw new UsageError('stdin is a terminal: name a file, or use a pipe');
  return openArchivePipe(stdin);
}

/** For `catch`: adds the file to what is wrong with it. */
export function nameFile(file: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof ArchiveError ? new Error(`${nameOf(file)}: ${error.message}`) : error;
  };
}

export function nameOf(file: string): string {
  return file === pipe ? 'the archive' : file;
}

const nouns: Readonly<Record<ArchiveKind, string>> = {
  secrets: 'secret',
  accounts: 'account',
  tokens: 'token',
  'idempotency-keys': 'idempotency key',
  drops: 'drop',
  reports: 'report',
  'audit-log': 'operator act',
};

/** `3 accounts, 4 tokens`, without kinds that have none. */
export function describeCounts(counts: Partial<Record<ArchiveKind, number>>): string {
  const kinds = Object.keys(nouns) as ArchiveKind[]; // proof: the literal's own keys
  const named = kinds.flatMap((kind) => (counts[kind] ? [countOf(counts[kind], nouns[kind])] : []));
  return named.length === 0 ? 'nothing' : named.join(', ');
}

export function describeTotals({ records, blobs }: ArchiveManifest): string {
  const counts = Object.entries(records).map(([kind, { count }]) => [kind, count]);
  const documents = `${countOf(blobs.html.count, 'document')}, ${countOf(blobs.contexts.count, 'context')}`;
  return `${describeCounts(Object.fromEntries(counts))}, ${documents}`;
}

/** A line for the operator that is not the result. */
export function printNote({ stderr }: ProcessIo, line: string): void {
  stderr.write(`${stripControlCharacters(line)}\n`);
}

/** A signal that SIGINT, SIGTERM and SIGHUP abort; a second one of them ends the process at once. */
export function watchForInterrupt(io: ProcessIo, message: string): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    io.on(signal, () => {
      if (controller.signal.aborted) io.exit(1);
      controller.abort(new Error(message));
    });
  }
  return controller.signal;
}
