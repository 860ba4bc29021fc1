import { object } from 'yup';
import type { Caller } from '../../shared/domain/account.ts';
import type { Drop, WriteIds } from '../../shared/domain/drop.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { createDropBodyReaders } from '../drops/requests.ts';
import { ifMatchField, readRevisions } from '../drops/target-fields.ts';
import { invalid, validate } from '../http/validate.ts';
import { presentUpload, uploadShape } from '../uploads/presenter.ts';
import { createUploadReaders } from '../uploads/requests.ts';
import { idempotencyKey, readKeyed, slug, versionNumber } from './arguments.ts';
import { dropOutput, dropResult } from './results.ts';
import { type Arguments, defineTool, inlined, type Result, type Tool } from './tool.ts';

const isPublishing = (args: Arguments) => Object.hasOwn(args, 'html');

/** The tools that publish documents. */
export function publishingTools({ drops, uploads, idempotency, config }: Services): readonly Tool[] {
  const bodies = createDropBodyReaders(config);
  const uploadReaders = createUploadReaders(config);
  const { create, replace } = bodies.schemas;
  const target = { slug, if_match: ifMatchField };

  /** @param slug of the drop that is written to; null: of a new one */
  async function once(
    caller: Caller,
    [tool, args, slug]: readonly [tool: string, args: Arguments, slug: string | null],
    write: (ids?: WriteIds) => Promise<Drop>,
  ): Promise<Result> {
    const { drop } = await idempotency.once(caller, await readKeyed(tool, args), slug, write);
    return dropResult(drop, config.BASE_URL);
  }

  const upload = defineTool({
    name: 'create_upload',
    title: 'Publish a file',
    description:
      'Publishes an HTML file without sending its bytes through the model. Answers with a one-time address; then run the curl line of the answer in a shell, with your file: show the user the url of its answer. With slug the file becomes a new version of that drop, and what you leave out stays as it is. title is required without slug.',
    effect: 'adds',
    cost: 'change',
    input: uploadReaders.schema,
    output: inlined(uploadShape),
    async run(caller, args) {
      const { request, details } = uploadReaders.read(args);
      const made = presentUpload(await uploads.create(caller, request, details), config.BASE_URL);
      return { address: made.upload_url, structured: made };
    },
  });

  const publish = defineTool({
    name: 'publish_drop',
    title: 'Publish a page',
    description:
      'Publishes a small HTML document at a new public address. Send the whole self-contained document. For a file on disk, or a document over about 50 KB, use create_upload, so that the bytes do not pass through the model. Show the user the url of the answer.',
    effect: 'adds',
    cost: 'write',
    input: create.shape({ idempotency_key: idempotencyKey }),
    output: dropOutput,
    async run(caller, args) {
      const input = bodies.readCreate(args);
      return once(caller, ['publish_drop', args, null], (ids) => drops.create(caller, input, ids));
    },
  });

  const update = defineTool({
    name: 'update_drop',
    title: 'Change a page',
    description:
      'With html: publishes a new version at the same address. Without html: changes only title, description, metadata or expires_at; idempotency_key has no effect then. What you leave out stays as it is, except that context belongs to one version. Old versions stay readable.',
    effect: 'changes',
    cost: (args) => (isPublishing(args) ? 'write' : 'change'),
    input: object(target).concat(replace.partial()).shape({ idempotency_key: idempotencyKey }),
    output: dropOutput,
    async run(caller, args) {
      const { slug, if_match } = validate(object(target), args, 'arguments');
      const drop = { slug, revs: readRevisions(if_match) };
      if (isPublishing(args)) {
        const input = bodies.readReplace(args);
        return once(caller, ['update_drop', args, slug], (ids) => drops.addVersion(caller, drop, input, ids));
      }
      if (Object.hasOwn(args, 'context')) throw contextWithoutHtml();
      return dropResult(await drops.change(caller, drop, bodies.readPatch(args)), config.BASE_URL);
    },
  });

  const restore = defineTool({
    name: 'restore_version',
    title: 'Go back to a version',
    description:
      'Publishes the HTML and the context of an older version again, as a new version at the same address. Nothing is lost: title, description and metadata stay, and so do all versions.',
    effect: 'adds',
    cost: 'write',
    input: restoreInput,
    output: dropOutput,
    async run(caller, args) {
      const { slug, version } = validate(restoreInput, args, 'arguments');
      return once(caller, ['restore_version', args, slug], (ids) =>
        drops.restoreVersion(caller, { slug, revs: null }, version, ids),
      );
    },
  });

  return [upload, publish, update, restore];
}

const versionRequired = invalid('version is required: the number of the version to go back to');
const restoreInput = object({
  slug,
  idempotency_key: idempotencyKey,
  version: versionNumber('version', 'The number of the version to go back to.').defined(versionRequired),
});

function contextWithoutHtml(): DropError {
  const message = 'context belongs to a version: send it together with html, or leave it out';
  return new DropError('invalid_arg', message, { field: 'context' });
}
