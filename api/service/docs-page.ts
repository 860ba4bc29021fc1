import MarkdownIt from 'markdown-it';
import { type Html, html, raw, toText } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { helpPath } from '../http/paths.ts';
import type {
  ApiDescription,
  DescribedOperation,
  DescribedResponse,
  Reference,
} from '../openapi/document.ts';
import type { JsonSchema } from '../openapi/shape.ts';

/** The keywords that our schemas use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly 'x-max-bytes'?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly default?: unknown;
}

const toSchema = (schema: JsonSchema) => schema as Schema; // proof: made by shape.ts and request-schema.ts

type Route = DescribedOperation & { readonly method: string; readonly path: string };

/** Our own texts, so the markup can be trusted. */
const renderer = new MarkdownIt();
const markdown = (text: string) => raw(renderer.render(text));

const formType = 'application/x-www-form-urlencoded';

/** For paths and required parameters. */
const samples: Record<string, string> = { slug: 't9tzZkipKQ5I', n: '1', id: '0123456789ab', token: 'POLL' };

/** A call or an object. */
interface Entry {
  readonly id: string;
  readonly name: string;
  readonly content: Html;
  /** What a search finds it by: all its text, in lower case. browser/docs.ts reads the same. */
  readonly text: string;
}

interface Group {
  readonly name: string;
  readonly intro: Html | null;
  readonly entries: readonly Entry[];
}

/** The API reference: the description as a page for people. @returns makes the page, with what matches the search alone */
export function createReference(api: ApiDescription): (search: string) => PageParts {
  const baseUrl = api.servers[0]?.url ?? '';
  const routes = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Route => ({ ...operation, method, path })),
  );
  const groups: readonly Group[] = [
    ...api.tags.map(({ name, description }) => {
      const entries = routes
        .filter(({ tags }) => tags.includes(name))
        .map((route) => entryOf(route.operationId, route.summary, operationContent(route, baseUrl)));
      return { name, intro: markdown(description), entries };
    }),
    {
      name: 'Objects',
      intro: null,
      entries: Object.entries(api.components.schemas).map(([name, schema]) =>
        entryOf(name, name, fieldsOf(toSchema(schema))),
      ),
    },
  ];
  return (search) => referencePage(groups, search.trim(), markdown(api.info.description));
}

function entryOf(id: string, name: string, content: Html): Entry {
  const text = `${name} ${toText(content).replace(/<[^<>]*>/g, ' ')}`.toLowerCase();
  return { id, name, content, text };
}

function referencePage(groups: readonly Group[], search: string, basics: Html): PageParts {
  const words = search.toLowerCase().split(/\s+/);
  const hide = ({ text }: Entry) => !words.every((word) => text.includes(word)) && html` hidden`;
  const all = groups.flatMap(({ entries }) => entries);
  const found = all.filter((entry) => hide(entry) === false);
  return {
    title: 'API reference',
    styles: ['docs'],
    scripts: ['docs'],
    body: html`<header>
<h1>API reference</h1>
<p>Every call of the API, with its fields and errors. To publish in the browser you need none of it: see <a href="${helpPath}">Help</a>.</p>
<form class="input-row" role="search" method="get"><label class="visually-hidden" for="q">Search the calls and objects</label>
<input id="q" name="q" type="search" value="${search}" placeholder="passcode, versions, …" maxlength="100"><button class="quiet small">Search</button></form>
<p class="small soft" role="status" id="found">${search !== '' && `${found.length} of ${all.length} match.`}</p>
</header>
<nav aria-label="Contents" tabindex="0"><details class="more"><summary>Contents</summary>
${groups.map(
  ({ name, entries }) => html`<div class="group"><h2>${name}</h2>
<ul>${entries.map((entry) => html`<li${hide(entry)}><a href="#${entry.id}">${entry.name}</a></li>`)}</ul></div>`,
)}
</details></nav>
<article>
<div id="basics"${search !== '' && html` hidden`}>
${basics}
<p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
</div>
${groups.map(
  ({ name, intro, entries }) => html`<div class="group"><h2>${name}</h2>
${intro}${entries.map((entry) => html`<section id="${entry.id}"${hide(entry)}><h3>${entry.name}</h3>\n${entry.content}</section>\n`)}</div>`,
)}
</article>`,
  };
}

/** The description of an operation ends with its limits and error codes. */
function operationContent(route: Route, baseUrl: string): Html {
  const { method, path, security, description, parameters = [], requestBody } = route;
  const json = requestBody?.content['application/json'];
  const body = json ?? requestBody?.content[formType];
  const rows = parameters.map(({ name, in: place, required, schema, description }) =>
    fieldRow(name, { ...toSchema(schema), description }, `${place}${required ? ', required' : ''}`),
  );
  return html`<p class="route"><b>${method.toUpperCase()}</b> <code>${path}</code> <span class="soft">${security === undefined ? 'bearer token' : 'no token'}</span></p>
${markdown(description)}
${rows.length > 0 && html`<h4>Parameters</h4><dl class="fields">${rows}</dl>`}
${body && html`<h4>Body (${json ? 'JSON' : 'form'}${!requestBody?.required && ', optional'})</h4>${bodyOf(toSchema(body.schema))}`}
<h4>Answers</h4>
<dl class="fields">${Object.entries(route.responses).map(([status, response]) => answerRow(status, response))}</dl>
<h4>Example</h4>
<pre><code>${curlCommand(route, baseUrl)}</code></pre>
${exampleAnswer(route)}`;
}

function answerRow(status: string, response: DescribedResponse | Reference): Html | null {
  if ('$ref' in response) return null; // an error
  const bodies = Object.entries(response.content ?? {}).map(
    ([type, { schema }]) =>
      html` <code>${type}</code>${type === 'application/json' && html`: ${typeOf(toSchema(schema))}`}`,
  );
  return html`<div><dt><code>${status}</code></dt><dd>${response.description}${bodies}</dd></div>`;
}

function bodyOf(schema: Schema): Html {
  return schema.$ref === undefined ? fieldsOf(schema) : html`<p>See ${typeOf(schema)}.</p>`;
}

function fieldsOf({ oneOf, description, properties = {}, required = [] }: Schema): Html {
  if (oneOf !== undefined)
    return html`${oneOf.map((one, i) => html`${i > 0 && html`<p>or</p>`}${fieldsOf(one)}`)}`;
  const rows = Object.entries(properties).map(([name, field]) =>
    fieldRow(name, field, required.includes(name) ? 'required' : 'optional'),
  );
  return html`${description !== undefined && markdown(description)}<dl class="fields">${rows}</dl>`;
}

function fieldRow(name: string, schema: Schema, note: string): Html {
  const { description = '', properties, required = [] } = schema;
  const rules = rulesOf(schema).join(', ');
  return html`<div><dt><code>${name}</code> <span class="soft">${typeOf(schema)}, ${note}</span></dt>
<dd>${raw(renderer.renderInline(description))}${rules !== '' && html` <span class="soft">(${rules})</span>`}
${properties && fieldsOf({ properties, required })}</dd></div>`;
}

function typeOf({ $ref, type = 'string', const: value, oneOf, items }: Schema): Html | string {
  const name = $ref?.split('/').at(-1);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
  if (value !== undefined) return JSON.stringify(value);
  if (oneOf !== undefined) return html`${oneOf.map((one, i) => html`${i > 0 && ' or '}${typeOf(one)}`)}`;
  if (items !== undefined) return html`array of ${typeOf(items)}`;
  return [type].flat().join(' or ');
}

function rulesOf(schema: Schema): string[] {
  const { minimum, maximum, maxLength, maxProperties, pattern, propertyNames, additionalProperties } = schema;
  const bytes = schema['x-max-bytes'];
  const keys = propertyNames && rulesOf(propertyNames).join(', ');
  const values = typeof additionalProperties === 'object' && rulesOf(additionalProperties).join(', ');
  const rules = [
    schema.enum && `one of ${schema.enum.join(', ')}`,
    maximum === undefined ? minimum && `at least ${minimum}` : `${minimum} to ${maximum}`,
    bytes === undefined ? maxLength && `at most ${maxLength} characters` : `at most ${bytes} bytes`,
    pattern && !pattern.includes('\\u') && `pattern ${pattern}`, // the description explains the longer ones
    maxProperties && `at most ${maxProperties} keys`,
    keys && `each key: ${keys}`,
    values && `each value: ${values}`,
    schema.default !== undefined && `default ${schema.default}`,
  ];
  return rules.filter((rule) => typeof rule === 'string' && rule !== '') as string[]; // proof: the filter
}

function curlCommand(
  { method, path, parameters = [], security, requestBody }: Route,
  baseUrl: string,
): string {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const query = required.map(({ name }, i) => `${i === 0 ? '?' : '&'}${name}=${samples[name]}`).join('');
  const address = baseUrl + path.replace(/\{(\w+)\}/g, (_, name: string) => samples[name] ?? name) + query;
  const content = requestBody?.content ?? {};
  const body = content['application/json']?.example;
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${address}'`,
    ...(security === undefined ? ['-H "Authorization: Bearer $API_TOKEN"'] : []),
    ...('text/html' in content && body === undefined ? ['-T page.html'] : []),
    ...(formType in content ? [`-H 'Origin: ${baseUrl}'`, "-c cookies -d 'passcode=PASSCODE'"] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]),
  ].join(' \\\n  ');
}

function exampleAnswer({ responses }: Route): Html | null {
  const contents = Object.values(responses).map((response) =>
    '$ref' in response ? undefined : response.content,
  );
  const example = contents.map((content) => content?.['application/json']?.example).find(Boolean);
  return example ? html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>` : null;
}
