import MarkdownIt from 'markdown-it';
import { type Html, html, raw } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
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

/** The API reference: the description as a page for people. */
export function docsPage(api: ApiDescription): PageParts {
  const routes = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Route => ({ ...operation, method, path })),
  );
  const groups = api.tags.map(({ name, description }) => {
    return { name, description, routes: routes.filter(({ tags }) => tags.includes(name)) };
  });
  const schemas = Object.entries(api.components.schemas);
  const baseUrl = api.servers[0]?.url ?? '';
  return {
    title: 'API reference',
    styles: ['docs'],
    body: html`<nav aria-label="Contents">
${groups.map(
  ({ name, routes }) => html`<h2>${name}</h2>
<ul>${routes.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}</ul>`,
)}
<h2>Objects</h2>
<ul>${schemas.map(([name]) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>
</nav>
<article>
<h1>API reference</h1>
${markdown(api.info.description)}
<p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
${groups.map(
  ({ name, description, routes }) => html`<h2>${name}</h2>
${markdown(description)}${routes.map((route) => operationSection(route, baseUrl))}`,
)}
<h2>Objects</h2>
${schemas.map(([name, schema]) => html`<section id="${name}"><h3>${name}</h3>${fieldsOf(toSchema(schema))}</section>`)}
</article>`,
  };
}

/** The description of an operation ends with its limits and error codes. */
function operationSection(route: Route, baseUrl: string): Html {
  const { operationId, summary, method, path, security, description, parameters = [], requestBody } = route;
  const [json, form] = [requestBody?.content['application/json'], requestBody?.content[formType]];
  const body = json ?? form;
  const rows = parameters.map(({ name, in: place, required, schema, description }) =>
    fieldRow(name, { ...toSchema(schema), description }, `${place}${required ? ', required' : ''}`),
  );
  return html`<section id="${operationId}">
<h3>${summary}</h3>
<p class="route"><b>${method.toUpperCase()}</b> <code>${path}</code> <span class="soft">${security.length > 0 ? 'bearer token' : 'no token'}</span></p>
${markdown(description)}
${rows.length > 0 && html`<h4>Parameters</h4><dl class="fields">${rows}</dl>`}
${body && html`<h4>Body (${json ? 'JSON' : 'form'}${!requestBody?.required && ', optional'})</h4>${bodyOf(toSchema(body.schema))}`}
<h4>Answers</h4>
<dl class="fields">${Object.entries(route.responses).map(([status, response]) => answerRow(status, response))}</dl>
<h4>Example</h4>
<pre><code>${curlCommand(route, baseUrl)}</code></pre>
${exampleAnswer(route)}
</section>`;
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
  return schema.$ref === undefined ? fieldsOf(schema) : html`<p>${typeOf(schema)}</p>`;
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
    ...(security.length > 0 ? ['-H "Authorization: Bearer $API_TOKEN"'] : []),
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
