import { object } from 'yup';
import type { Caller } from '../../shared/accounts/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import {
  type DetailChanges,
  type Document,
  type Drop,
  isChanged,
  type WriteIds,
} from '../../shared/drops/drop.ts';
import type { Target } from '../../shared/drops/drops.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { resolvesFields } from '../comments/resolves.ts';
import { dropFields, ifMatchField, readRevisions } from '../drops/fields.ts';
import { withTitle } from '../drops/html-body.ts';
import { createDropBodyReaders } from '../drops/requests.ts';
import { clientCommand } from '../http/paths.ts';
import { invalid, textField } from '../http/validate.ts';
import { createUploadReaders, presentUpload } from '../uploads/schema.ts';
import {
  expiry,
  idempotencyKey,
  readIdempotentRequest,
  slugArgument,
  unchangedExpiry,
  versionNumber,
  withExpiry,
} from './arguments.ts';
import { type Arguments, withoutNull } from './given.ts';
import { defineTool, dropResult, type Result, type Tool } from './tool.ts';

const isPublishing = ({ html = '' }: Arguments) => html !== '';

/** The tools that publish documents. */
export function publishingTools(services: Services): readonly Tool[] {
  const { drops, titles, followingTitles, resolvedAlready, uploads, idempotency, clock, config } = services;
  const bodies = createDropBodyReaders(config);
  const uploadReaders = createUploadReaders(config);
  const { untitled, replace } = bodies.schemas;

  /** @param slug of the drop that is written to; null: of a new one @param document of the request */
  async function once(
    caller: Caller,
    [tool, args, slug]: readonly [tool: string, args: Arguments, slug: string | null],
    write: (ids: WriteIds | undefined, warn: (warning: string) => void) => Promise<Drop>,
    document?: Document,
  ): Promise<Result> {
    const warnings: string[] = [];
    const warn = (warning: string) => warnings.push(warning);
    const request = await readIdempotentRequest(tool, args);
    const { drop } = await idempotency.once(caller, request, slug, (ids) => write(ids, warn));
    return dropResult(services, drop, { document, warnings: [...unchangedExpiry(args, drop), ...warnings] });
  }

  /** Without a new revision, unless something changes: the etags that others have read stay valid. */
  async function change(caller: Caller, target: Target, changes: DetailChanges): Promise<Drop> {
    const drop = await drops.check(caller, target);
    return isChanged(drop, changes) ? drops.change(caller, target, changes) : drop;
  }

  const title = textField('title').meta({
    description: `${dropFields.title.about} Default: the title of the HTML.`,
    maxLength: config.TITLE_MAX_CHARACTERS,
  });
  const upload = defineTool({
    name: 'create_upload',
    title: 'Publish a file',
    description: `Publishes an HTML file without sending its bytes through the model: answers with a curl line to run in a shell with your file. Show the user the url that it prints. With slug: a new version of that drop. For a page of several files run this instead: ${clientCommand(config.BASE_URL)}`,
    effect: 'adds',
    cost: limitTable.change,
    keptEmpty: ['description'],
    input: uploadReaders.schema.shape({
      slug: textField('slug').meta({
        description: 'The slug or the address of a drop. Default: a new drop.',
      }),
      title,
      expires_at: expiry,
      if_match: ifMatchField,
    }),
    async run(caller, _input, args) {
      const { request, details } = uploadReaders.read(withExpiry(args, clock.now()));
      const { target } = request;
      const isKept = args.expires_at === null && target !== null;
      const warnings = isKept ? unchangedExpiry(args, await drops.get(caller, target.slug)) : [];
      const made = presentUpload(await uploads.create(caller, request, details), config.BASE_URL);
      return { address: made.upload_url, structured: { ...made, ...(warnings.length > 0 && { warnings }) } };
    },
  });

  const publish = defineTool({
    name: 'publish_drop',
    title: 'Publish a page',
    description:
      'Publishes a small self-contained HTML document at a new public address. For a file on disk, or over about 50 KB, use create_upload. Show the user the url of the answer.',
    effect: 'adds',
    input: untitled.shape({ title, expires_at: expiry, idempotency_key: idempotencyKey }),
    async run(caller, _input, args) {
      const untitled = bodies.readUntitled(withoutNull(withExpiry(args, clock.now()))); // a new drop has no time
      const create = async (ids: WriteIds | undefined) =>
        drops.create(caller, await withTitle(titles, caller, untitled, 'send title'), ids);
      return once(caller, ['publish_drop', args, null], create, untitled);
    },
  });

  const maybeEmpty = textField('html', { allowNul: true }).meta({
    description: dropFields.html.about,
    maxLength: config.HTML_MAX_BYTES,
  });
  const update = defineTool({
    name: 'update_drop',
    title: 'Change a page',
    description:
      'With html: publishes a new version at the same address. Without html: changes title, description, metadata or expires_at. What you leave out stays, except that each version has its own context, and that a title which came from the HTML follows it.',
    effect: 'changes',
    cost: (args) => (isPublishing(args) ? limitTable.write : limitTable.change),
    keptEmpty: ['description', 'html'],
    input: object({ slug: slugArgument, if_match: ifMatchField })
      .concat(replace.partial())
      .shape({ html: maybeEmpty, expires_at: expiry, idempotency_key: idempotencyKey }),
    async run(caller, { slug, if_match }, args) {
      const drop = { slug, revs: readRevisions(if_match) };
      const { html, ...body } = withExpiry(args, clock.now());
      if (isPublishing(args)) {
        const version = bodies.readReplace({ ...body, html });
        return once(
          caller,
          ['update_drop', args, slug],
          async (ids, warn) =>
            (await resolvedAlready.replyInstead(caller, drop, version, { ids, warn })) ??
            followingTitles.addVersion(caller, drop, version, { ids, warn }),
          version,
        );
      }
      const alone = ['context', ...Object.keys(resolvesFields)].find((name) => Object.hasOwn(args, name));
      if (alone !== undefined) throw withoutHtml(alone);
      const changed = await change(caller, drop, bodies.readPatch(body));
      const warnings = unchangedExpiry(args, changed);
      return dropResult(services, changed, {
        warnings: html === '' ? [...warnings, notPublished] : warnings,
      });
    },
  });

  const restore = defineTool({
    name: 'restore_version',
    title: 'Go back to a version',
    description:
      'Publishes the HTML and context of an older version again, as a new version. Title, description, metadata and all versions stay.',
    effect: 'adds',
    input: object({
      slug: slugArgument,
      version: versionNumber('version', 'Its number, from list_versions.').defined(versionRequired),
      idempotency_key: idempotencyKey,
    }),
    async run(caller, { slug, version }, args) {
      return once(caller, ['restore_version', args, slug], (ids) =>
        drops.restoreVersion(caller, { slug, revs: null }, version, ids),
      );
    },
  });

  return [upload, publish, update, restore];
}

const notPublished = 'html: it is empty, so no version was published';

const versionRequired = invalid(
  'version is required: the number of the version to go back to (list_versions)',
);

function withoutHtml(field: string): DropError {
  const message = `${field} belongs to a version: send it together with html, or leave it out`;
  return new DropError('invalid_arg', message, { field });
}

/** The tools that change a drop without a document. */
export function changingTools(services: Services): readonly Tool[] {
  const { drops, config } = services;
  const bodies = createDropBodyReaders(config);

  const setPasscode = defineTool({
    name: 'set_passcode',
    title: 'Lock or unlock a page',
    description:
      'Sets or changes the passcode that viewers must enter. An empty one unlocks the page: ask the user first.',
    effect: 'sets',
    input: object({ slug: slugArgument, ...bodies.schemas.passcode.fields }),
    async run(caller, { slug, ...passcode }) {
      const drop = await drops.setPasscode(caller, { slug, revs: null }, bodies.readPasscode(passcode));
      return dropResult(services, drop);
    },
  });

  const remove = defineTool({
    name: 'delete_drop',
    title: 'Delete a page',
    description: 'Deletes a drop with all its versions. This cannot be undone: ask the user first.',
    effect: 'sets',
    input: object({ slug: slugArgument }),
    async run(caller, { slug }) {
      await drops.remove(caller, { slug, revs: null });
      return { structured: { slug, deleted: true } };
    },
  });

  return [setPasscode, remove];
}
