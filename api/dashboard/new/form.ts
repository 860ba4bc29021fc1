import type { Caller } from '../../../shared/accounts/account.ts';
import type { Config } from '../../../shared/config/config.ts';
import { dayMs } from '../../../shared/domain/windows.ts';
import type { NewDropInput } from '../../../shared/drops/drops.ts';
import type { Titles } from '../../../shared/drops/titles.ts';
import { createHtmlBodyReaders } from '../../drops/html-body.ts';
import { metadataPrefix } from '../../drops/list-query.ts';
import { createDropBodyReaders } from '../../drops/requests.ts';
import { invalid, validationError } from '../../http/validate.ts';
import { type FormParts, readDocument, textOf } from './document.ts';

/** How long a new drop can be kept; '' for ever. */
export const lifetimes = { '': 'Never', 1: 'In a day', 7: 'In a week', 30: 'In 30 days', 365: 'In a year' };

/** The text fields as they were typed. Files and the passcode are not shown again. */
export interface NewFields {
  readonly html: string;
  readonly title: string;
  readonly description: string;
  /** One `key=value` on a line. */
  readonly tags: string;
  /** A key of `lifetimes`. */
  readonly expires: string;
  /** Random, made with the form: the same form sent twice publishes once. */
  readonly key: string;
}

export const noFields = { html: '', title: '', description: '', tags: '', expires: '' };

export function readFields(parts: FormParts): NewFields & { readonly passcode: string } {
  const text = (name: string) => textOf(parts, name);
  return {
    html: text('html'),
    title: text('title').trim(),
    description: text('description').trim(),
    tags: text('tags'),
    expires: text('expires'),
    key: text('key'),
    passcode: text('passcode'),
  };
}

/** Turns the form into what POST /api/drops takes, by the rules of the API. */
export function createNewFormReader({ titles, config }: { titles: Titles; config: Config }) {
  const bodies = createDropBodyReaders(config);
  const htmlBodies = createHtmlBodyReaders(bodies, titles);

  return {
    /** @param now Unix ms @throws DropError as POST /api/drops */
    async read(caller: Caller, parts: FormParts, now: number): Promise<NewDropInput> {
      const { title, description, tags, expires, passcode } = readFields(parts);
      const html = readDocument(parts, config.HTML_MAX_BYTES);
      const query: Record<string, string> = Object.create(null);
      if (title !== '') query.title = title;
      if (description !== '') query.description = description;
      const days = Number(expires);
      if (expires !== '' && Object.hasOwn(lifetimes, expires)) query.expires_at = String(now + days * dayMs);
      for (const [key, value] of readTags(tags)) query[metadataPrefix + key] = value;
      const input = await htmlBodies.readCreate(caller, html, query);
      return { ...input, passcode: bodies.readPasscode({ passcode }) || null };
    },
  };
}

/** A line without `=` is a tag with an empty value. */
function readTags(text: string): [key: string, value: string][] {
  const lines = text.split('\n').map((line) => line.trim());
  const tags = lines
    .filter((line) => line !== '')
    .map((line): [string, string] => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
  const seen = new Set<string>();
  for (const [key] of tags) {
    if (seen.has(key)) {
      const message = `The tag ${key} is there twice: a tag has one value`;
      throw validationError([{ field: metadataPrefix + key, ...invalid(message) }]);
    }
    seen.add(key);
  }
  return tags;
}
