import { type Config, recognisesPeople } from '../../shared/config/config.ts';
import type { Document, Drop } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { examples, notWhole, storageWarning } from '../../shared/page-checks/page-checks.ts';
import type { Finding } from '../../shared/page-checks/secrets.ts';
import { clientCommand } from '../http/paths.ts';
import type { ServiceResponse } from '../http/send.ts';

/** What will not work in the document or is a risk, and what to do: nothing is refused. No text of a secret. @param ownerId whose turn the look takes */
export async function documentWarnings(
  ownerId: string,
  document: Document,
  { checksInTurn, config }: Pick<Services, 'checksInTurn' | 'config'>,
): Promise<string[]> {
  const found = await checksInTurn.check(ownerId, document);
  const { secrets, contextSecrets, files, links, storage, isHtml, isWhole } = found;
  const warnings = [
    ...secrets.map((one) => secretWarning('', one)),
    ...contextSecrets.map((one) => secretWarning('context, ', one)),
  ];
  if (!isWhole) warnings.push(notWhole);
  if (!isHtml) warnings.push('html has no tag, or is no text: it is not shown as it was written');
  if (files.size > 0) {
    warnings.push(
      `${examples(files)}: viewers do not get local files. This puts them into the page: ${clientCommand(config.BASE_URL)}`,
    );
  }
  if (links.size > 0) {
    warnings.push(
      `${examples(links)}: links to local pages lead nowhere. Publish these pages, and link to their addresses`,
    );
  }
  if (storage.size > 0) warnings.push(storageWarning(storage));
  return warnings;
}

/** Of a drop that names people, where nobody who signs in can be one of them. */
export function sharingWarnings({ people }: Pick<Drop, 'people'>, config: Config): string[] {
  if (people === null || recognisesPeople(config)) return [];
  return [
    'people are named by verified addresses and groups, which nobody who signs in here has: for now only you can read the page',
  ];
}

/** @returns adds a warning to those of the answer */
export function warnIn({ locals }: Pick<ServiceResponse, 'locals'>): (warning: string) => void {
  return (warning) => {
    locals.warnings = [warning, ...(locals.warnings ?? [])];
  };
}

function secretWarning(place: string, { kind, line, column }: Finding): string {
  return `${place}line ${line}, column ${column}: ${kind}. Everybody with the address can read it: make it invalid, and publish without it`;
}
