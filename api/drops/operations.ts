import type { ObjectSchema } from 'yup';
import type { Config } from '../../shared/config/config.ts';
import type { Drop } from '../../shared/drops/drop.ts';
import { capTable } from '../../shared/limits/limit-table.ts';
import { resolvesParameters } from '../comments/resolves.ts';
import { ifMatchParameter } from '../http/if-match.ts';
import { maxParameters, metadataPrefix } from '../http/parameters.ts';
import {
  type ErrorCase,
  json,
  type Operation,
  type OperationReply,
  type Parameter,
  type RequestBody,
} from '../openapi/operation.ts';
import { queryParameters, toJsonSchema } from '../openapi/request-schema.ts';
import { dropFieldTexts, metadataKeySchema, metadataValueSchema } from './fields.ts';
import { type ApiDropQuery, dropQuery } from './list-query.ts';
import { dropListShape, dropShape, presentDrop, presentDropList } from './presenter.ts';
import { DropBodyReaders } from './requests.ts';

export const sampleDrop: Drop = {
  id: '01a2000000000000000000000000beef',
  ownerId: '01a1000000000000000000000000beef',
  slug: dropFieldTexts.slug.example,
  title: dropFieldTexts.title.example,
  description: null,
  metadata: new Map(Object.entries(dropFieldTexts.metadata.example)),
  locked: false,
  latestVersion: 1,
  viewCount: 0,
  createdAt: 1795272214339,
  updatedAt: 1795272214339,
  rev: 1,
  takedown: null,
  expiresAt: null,
  comments: 'owner',
  access: 'link',
  people: null,
};

/** The body that creates `sampleDrop`. */
const sampleBody = {
  title: sampleDrop.title,
  html: dropFieldTexts.html.example,
  metadata: dropFieldTexts.metadata.example,
};

const sampleQuery: ApiDropQuery = {
  page: 1,
  pageSize: 50,
  sortBy: 'created_at',
  sortOrder: 'desc',
  metadata: [],
};

const detailCodes: readonly ErrorCase[] = ['title_required', 'title_too_long', 'description_too_long'];
export const documentCodes: readonly ErrorCase[] = ['html_required', 'html_too_large', 'context_too_large'];

/** An answer with one drop. @param changes what differs from `sampleDrop` */
export function dropReply(
  description: string,
  { BASE_URL }: Config,
  changes: Partial<Drop> = {},
  more: Partial<OperationReply> = {},
): OperationReply {
  const example = presentDrop({ ...sampleDrop, ...changes }, BASE_URL);
  return json(description, dropShape, example, { headers: ['ETag'], ...more });
}

/** A body that is the document itself. */
export function describedHtml({ HTML_MAX_BYTES: max }: Config) {
  // openapi-python-client sends a string as bytes only with this format.
  const schema = { type: 'string', format: 'binary', minLength: 1, maxLength: max, 'x-max-bytes': max };
  return { schema, example: sampleBody.html };
}

/** Spec 4.4: the drops. */
export function dropOperations(config: Config) {
  const { schemas } = new DropBodyReaders(config);
  const parameters = htmlParameters(config, schemas.query);
  return {
    list: listOperation(config),
    create: createOperation(config, schemas.create, parameters),
    read: {
      id: 'readDrop',
      tag: 'Drops',
      summary: 'Read a drop',
      description: 'A drop of your account.',
      replies: [dropReply('The drop.', config)],
    },
    replace: replaceOperation(config, schemas.replace, parameters),
    patch: {
      id: 'changeDrop',
      tag: 'Drops',
      summary: 'Change the details of a drop, or who may read it',
      description:
        'Creates no version. What is left out stays as it is. `html` is refused: use PUT. `passcode` is refused: use `POST /api/drops/{slug}/passcode`.',
      parameters: [ifMatchParameter],
      body: {
        schema: toJsonSchema(schemas.patch),
        example: { metadata: dropFieldTexts.metadata.example },
        required: false,
      },
      replies: [dropReply('The changed drop.', config)],
      refusals: [...detailCodes, 'metadata_only_on_patch'],
    },
    remove: {
      id: 'deleteDrop',
      tag: 'Drops',
      summary: 'Delete a drop',
      description: 'Deletes the drop and all its versions. This cannot be undone.',
      parameters: [ifMatchParameter],
      replies: [{ status: 204, description: 'The drop is deleted.' }],
    },
    setPasscode: {
      id: 'setPasscode',
      tag: 'Drops',
      summary: 'Lock or unlock a drop',
      description:
        'Sets or changes the passcode; an empty passcode removes it. Viewers who entered the old passcode must enter the new one. A passcode is a soft gate, not encryption.',
      parameters: [ifMatchParameter],
      body: {
        schema: toJsonSchema(schemas.passcode),
        example: { passcode: 'open sesame' },
        required: true,
      },
      replies: [
        dropReply('The drop. `locked` says whether it has a passcode now.', config, { locked: true }),
      ],
      refusals: ['passcode_required', 'passcode_too_short'],
    },
  } as const satisfies Record<string, Operation>;
}

function listOperation(config: Config): Operation {
  const found = presentDropList({ drops: [sampleDrop], total: 1 }, sampleQuery, config.BASE_URL);
  const parameters = queryParameters(dropQuery(config));
  const filters = metadataParameters(
    config,
    maxParameters - parameters.length,
    'filters',
    `Any number of \`metadata.<key>=<value>\`, such as \`metadata.project=demo\`: only drops whose metadata has the key with exactly that value. All must match. A query has at most ${maxParameters} parameters. With openapi-fetch: \`createClient({ baseUrl, querySerializer: { object: { style: "form", explode: true } } })\`, and \`query: { filters: { "metadata.project": "demo" } }\`.`,
  );
  return {
    id: 'listDrops',
    tag: 'Drops',
    summary: 'List your drops',
    description: 'If the sort field is equal, newer drops come first.',
    parameters: [...parameters, filters],
    replies: [json('One page of the list.', dropListShape, found)],
  };
}

function createOperation(
  config: Config,
  schema: ObjectSchema<object>,
  htmlParameters: readonly Parameter[],
): Operation {
  return {
    id: 'createDrop',
    tag: 'Drops',
    summary: 'Publish a page',
    description: `Creates a drop with version 1 at a new address. ${asHtml} Without \`title\` in the query, the title is that of the document, cut to ${config.TITLE_MAX_CHARACTERS} characters.`,
    limits: [capTable.drops],
    parameters: htmlParameters,
    body: documentBody('CreateDropBody', schema, sampleBody, config),
    replies: [
      dropReply(
        'The drop. Its page is there now.',
        config,
        {},
        { status: 201, headers: ['Location', 'ETag'] },
      ),
    ],
    refusals: [
      ...detailCodes,
      ...documentCodes,
      'passcode_too_short',
      'daily_quota_exceeded',
      'quota_exceeded',
    ],
  };
}

function replaceOperation(
  config: Config,
  schema: ObjectSchema<object>,
  htmlParameters: readonly Parameter[],
): Operation {
  return {
    id: 'replaceDrop',
    tag: 'Drops',
    summary: 'Publish a new version',
    description: `Always creates a version, at the same address. What is left out stays as it is. \`context\` does not stay: each version has its own, or none. \`passcode\` is refused: use \`POST /api/drops/{slug}/passcode\`. The body may be the document itself, as in \`POST /api/drops\`: then a title that was that of the document before follows.`,
    limits: [capTable.versions],
    parameters: [ifMatchParameter, ...htmlParameters, ...resolvesParameters],
    body: documentBody('ReplaceDropBody', schema, { html: sampleBody.html }, config),
    replies: [dropReply('The drop with its new version.', config, { latestVersion: 2 })],
    refusals: [
      ...detailCodes,
      ...documentCodes,
      'daily_quota_exceeded',
      'quota_exceeded',
      'version_limit_reached',
    ],
  };
}

/** JSON, or the document itself. @param name that generated clients gave the JSON when there was no other body */
function documentBody(
  name: string,
  schema: ObjectSchema<object>,
  example: unknown,
  config: Config,
): RequestBody {
  return {
    required: true,
    schema: { $ref: `#/components/schemas/${name}` },
    components: { [name]: toJsonSchema(schema) },
    example,
    html: describedHtml(config),
  };
}

const withHtml = 'Only with a `text/html` body.';
const asHtml =
  'The body may be the document itself, byte for byte, as `text/html` in UTF-8: `curl --data-binary @page.html -H "Content-Type: text/html"`. Its details are then parameters of the query, each at most once; `passcode` and `context` are refused there, because addresses are logged.';

/** The details of a drop whose body is the document itself. */
function htmlParameters(config: Config, query: ObjectSchema<object>): readonly Parameter[] {
  const details = queryParameters(query).filter(({ name }) => name !== 'metadata');
  const tags = metadataParameters(
    config,
    config.METADATA_MAX_KEYS,
    'tags',
    `${withHtml} The metadata, as \`metadata.<key>=<value>\`.`,
  );
  const described = details.map((one) => ({
    ...one,
    description: `${withHtml} ${one.description}`,
    ...(one.schema.type === 'array' && { style: 'form' as const, explode: false }),
  }));
  return [...described, tags];
}

/** All `metadata.<key>` parameters, as one exploded object: its properties are sent as parameters. */
function metadataParameters(
  config: Config,
  maxProperties: number,
  name: string,
  description: string,
): Parameter {
  const { maxLength, pattern } = metadataKeySchema(config);
  return {
    name,
    in: 'query',
    description,
    style: 'form',
    explode: true,
    schema: {
      type: 'object',
      additionalProperties: metadataValueSchema(config),
      propertyNames: {
        maxLength: metadataPrefix.length + maxLength,
        pattern: pattern.replace('^', `^${metadataPrefix.replace('.', '\\.')}`),
      },
      maxProperties,
      examples: [{ 'metadata.project': 'demo' }],
    },
  };
}
