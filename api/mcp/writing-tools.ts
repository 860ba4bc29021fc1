import { object } from 'yup';
import type { Caller } from '../../shared/accounts/account.ts';
import type { Config } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { type Document, type Drop, isChanged, type WriteIds } from '../../shared/drops/drop.ts';
import type { Target } from '../../shared/drops/drops.ts';
import { applySharing } from '../../shared/drops/sharing.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { resolvesFields } from '../comments/resolves.ts';
import { dropFieldTexts, ifMatchField, readRevisions } from '../drops/fields.ts';
import { withTitle } from '../drops/html-body.ts';
import { DropBodyReaders } from '../drops/requests.ts';
import { sharingWarnings } from '../drops/warnings.ts';
import { clientCommand } from '../http/paths.ts';
import { invalid, textField } from '../http/validate.ts';
import { presentUpload, UploadReaders } from '../uploads/schema.ts';
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
  const bodies = new DropBodyReaders(services.config);
  return [
    uploadTool(services),
    publishTool(services, bodies),
    updateTool(services, bodies),
    restoreTool(services),
  ];
}

function uploadTool({ drops, uploads, clock, config }: Services): Tool {
  const uploadReaders = new UploadReaders(config);
  return defineTool({
    name: 'create_upload',
    title: 'Publish a file',
    description: `Publishes an HTML file without sending its bytes through the model: answers with a curl line to run in a shell with your file. Show the user the url that it prints. With slug: a new version of that drop. For a page of several files run this instead: ${clientCommand(config.BASE_URL)}`,
    effect: 'adds',
    scope: 'publish',
    cost: limitTable.change,
    keptEmpty: ['description'],
    // Whom to add or to remove is a change of its own: update_drop.
    input: uploadReaders.schema.omit(['people_add', 'people_remove']).shape({
      slug: textField('slug').meta({
        description: 'The slug or address of a drop. Default: a new drop.',
      }),
      title: titleOf(config),
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
}

function publishTool(services: Services, bodies: DropBodyReaders): Tool {
  const { drops, titles, clock, config } = services;
  return defineTool({
    name: 'publish_drop',
    title: 'Publish a page',
    description:
      'Publishes a small self-contained HTML document at a new address. For a file on disk, or over about 50 KB, use create_upload. Show the user the url of the answer.',
    effect: 'adds',
    scope: 'publish',
    input: bodies.schemas.untitled.shape({
      title: titleOf(config),
      expires_at: expiry,
      idempotency_key: idempotencyKey,
    }),
    async run(caller, _input, args) {
      const untitled = bodies.readUntitled(withoutNull(withExpiry(args, clock.now()))); // a new drop has no time
      const create = async (ids: WriteIds | undefined) =>
        drops.create(caller, await withTitle(titles, caller, untitled, 'send title'), ids);
      return writeOnce(
        services,
        caller,
        { tool: 'publish_drop', args, slug: null, document: untitled },
        create,
      );
    },
  });
}

function updateTool(services: Services, bodies: DropBodyReaders): Tool {
  const { resolvedAlready, followingTitles, clock, config } = services;
  const html = textField('html', { allowNul: true }).meta({
    description: dropFieldTexts.html.about,
    maxLength: config.HTML_MAX_BYTES,
  });
  return defineTool({
    name: 'update_drop',
    title: 'Change a page',
    description:
      'With html: publishes a new version at the same address. Without html: changes its details. What you leave out stays, except that each version has its own context, and that a title which came from the HTML follows it. Ask the user before more people may read.',
    effect: 'changes',
    scope: 'publish',
    cost: (args) => (isPublishing(args) ? limitTable.write : limitTable.change),
    keptEmpty: ['description', 'html'],
    input: object({ slug: slugArgument, if_match: ifMatchField })
      .concat(bodies.schemas.replace.partial())
      .shape({ html, expires_at: expiry, idempotency_key: idempotencyKey }),
    async run(caller, { slug, if_match }, args) {
      const target = { slug, revs: readRevisions(if_match) };
      const body = withExpiry(args, clock.now());
      if (!isPublishing(args)) return changeDetails(services, bodies, caller, target, args, body);
      const version = bodies.readReplace(body);
      const call = { tool: 'update_drop', args, slug, document: version };
      return writeOnce(services, caller, call, async (ids, warn) => {
        const replied = await resolvedAlready.replyInstead(caller, target, version, { ids, warn });
        return replied ?? followingTitles.addVersion(caller, target, version, { ids, warn });
      });
    },
  });
}

/** Without a new revision, unless something changes: the etags that others have read stay valid. @param args as they were sent */
async function changeDetails(
  services: Services,
  bodies: DropBodyReaders,
  caller: Caller,
  target: Target,
  args: Arguments,
  { html, ...body }: Arguments,
): Promise<Result> {
  const { drops } = services;
  const alone = ['context', ...Object.keys(resolvesFields)].find((name) => Object.hasOwn(args, name));
  if (alone !== undefined) throw withoutHtml(alone);
  const changes = bodies.readPatch(body);
  const drop = await drops.check(caller, target);
  const isOther = isChanged(drop, applySharing(changes, drop));
  const changed = isOther ? await drops.change(caller, target, changes) : drop;
  const warnings = [...sharingWarnings(changed, services.config), ...unchangedExpiry(args, changed)];
  return dropResult(services, changed, {
    warnings: html === '' ? [...warnings, notPublished] : warnings,
  });
}

function restoreTool(services: Services): Tool {
  return defineTool({
    name: 'restore_version',
    title: 'Go back to a version',
    description:
      'Publishes the HTML and context of an older version again, as a new version. All else stays.',
    effect: 'adds',
    scope: 'publish',
    input: object({
      slug: slugArgument,
      version: versionNumber('version', 'Its number, from list_versions.').defined(versionRequired),
      idempotency_key: idempotencyKey,
    }),
    async run(caller, { slug, version }, args) {
      return writeOnce(services, caller, { tool: 'restore_version', args, slug }, (ids) =>
        services.drops.restoreVersion(caller, { slug, revs: null }, version, ids),
      );
    },
  });
}

/** A call of a tool that writes a version. */
interface WriteCall {
  readonly tool: string;
  readonly args: Arguments;
  /** Of the drop that is written to; null: of a new one. */
  readonly slug: string | null;
  /** Of the call, for its warnings. */
  readonly document?: Document;
}

/** With an idempotency key of the call, the write is done once. */
async function writeOnce(
  services: Services,
  caller: Caller,
  { tool, args, slug, document }: WriteCall,
  write: (ids: WriteIds | undefined, warn: (warning: string) => void) => Promise<Drop>,
): Promise<Result> {
  const warnings: string[] = [];
  const warn = (warning: string) => warnings.push(warning);
  const request = await readIdempotentRequest(tool, args);
  const { drop } = await services.idempotency.once(caller, request, slug, (ids) => write(ids, warn));
  const ofDrop = [...sharingWarnings(drop, services.config), ...unchangedExpiry(args, drop)];
  return dropResult(services, drop, { document, warnings: [...ofDrop, ...warnings] });
}

function titleOf(config: Config) {
  return textField('title').meta({
    description: `${dropFieldTexts.title.about} Default: the title of the HTML.`,
    maxLength: config.TITLE_MAX_CHARACTERS,
  });
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
  const bodies = new DropBodyReaders(config);

  const setPasscode = defineTool({
    name: 'set_passcode',
    title: 'Lock or unlock a page',
    description:
      'Sets or changes the passcode that viewers must enter. An empty one unlocks the page: ask the user first.',
    effect: 'sets',
    scope: 'publish',
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
    scope: 'all',
    input: object({ slug: slugArgument }),
    async run(caller, { slug }) {
      await drops.remove(caller, { slug, revs: null });
      return { structured: { slug, deleted: true } };
    },
  });

  return [setPasscode, remove];
}
