import MarkdownIt from 'markdown-it';
import { type Html, html, raw } from '../html/html.ts';
import { type HtmlPage, page } from '../html/layout.ts';
import type { ApiDescription, DescribedOperation, DescribedResponse } from '../openapi/document.ts';
import type { Parameter } from '../openapi/operation.ts';
import type { JsonSchema } from '../openapi/shape.ts';
import { docsStyle } from './docs-style.ts';

/** Renders the texts of the description, which are constants of ours. */
const renderer = new MarkdownIt();
const markdown = (text: string) => raw(renderer.render(text));

/** Example values for the placeholders of paths and for required parameters. */
const exampleValues: Readonly<Record<string, string>> = {
  slug: 't9tzZkipKQ5I',
  n: '1',
  id: '0123456789ab',
  token: 'POLL_TOKEN',
};

type Route = DescribedOperation & { readonly method: string; readonly path: string };

/** GET /docs: the description as a page for people. */
export function docsPage(api: ApiDescription): HtmlPage {
  const routes = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Route => ({ ...operation, method, path })),
  );
  const groups = api.tags.map((tag) => ({
    ...tag,
    routes: routes.filter(({ tags }) => tags.includes(tag.name)),
  }));
  const schemas = Object.entries(api.components.schemas);
  const baseUrl = api.servers[0]?.url ?? '';
  return page({
    title: 'API reference',
    css: docsStyle,
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
${schemas.map(([name, schema]) => html`<section id="${name}"><h3>${name}</h3>${objectBody(schema)}</section>`)}
</article>`,
  });
}

function operationSection(route: Route, baseUrl: string): Html {
  const { operationId, summary, method, path, security, description, parameters = [], requestBody } = route;
  const body = requestBody?.content['application/json'];
  return html`<section id="${operationId}">
<h3>${summary}</h3>
<p class="route"><b>${method.toUpperCase()}</b> <code>${path}</code> <span class="soft">${security.length > 0 ? 'bearer token' : 'no token'}</span></p>
${markdown(description)}
${parameters.length > 0 && html`<h4>Parameters</h4><dl class="fields">${parameters.map(parameterRow)}</dl>`}
${body && html`<h4>Body (JSON${!requestBody?.required && ', optional'})</h4>${objectBody(body.schema)}`}
<h4>Answers</h4>
<dl class="fields">${Object.entries(route.responses).map(([status, response]) => answerRow(status, response))}</dl>
<h4>Example</h4>
<pre><code>${curlCommand(route, baseUrl)}</code></pre>
${exampleAnswer(route)}
</section>`;
}

/** Errors are listed by the operation's description. */
function answerRow(status: string, response: DescribedResponse | { readonly $ref: string }): Html | null {
  if ('$ref' in response) return null;
  const bodies = Object.entries(response.content ?? {}).map(
    ([type, { schema }]) =>
      html` <code>${type}</code>${type === 'application/json' && html`: ${typeOf(schema)}`}`,
  );
  return html`<div><dt><code>${status}</code></dt><dd>${response.description}${bodies}</dd></div>`;
}

function parameterRow({ name, in: place, description, required, schema }: Parameter): Html {
  return fieldRow(name, { ...schema, description }, `${place}${required ? ', required' : ''}`);
}

/** The fields of an object, or each alternative of several. */
function objectBody(schema: JsonSchema): Html {
  const alternatives = schema.oneOf as readonly JsonSchema[] | undefined; // proof: shape.ts
  if (alternatives !== undefined) {
    return html`${alternatives.map((one, i) => html`${i > 0 && html`<p>or</p>`}${objectBody(one)}`)}`;
  }
  const required = (schema.required ?? []) as readonly string[]; // proof: shape.ts and request-schema.ts
  const rows = propertiesOf(schema).map(([name, field]) =>
    fieldRow(name, field, required.includes(name) ? 'required' : 'optional'),
  );
  return html`${typeof schema.description === 'string' && markdown(schema.description)}<dl class="fields">${rows}</dl>`;
}

function propertiesOf(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>); // proof: shape.ts
}

function fieldRow(name: string, schema: JsonSchema, note: string): Html {
  const description =
    typeof schema.description === 'string' ? raw(renderer.renderInline(schema.description)) : null;
  const limits = limitsOf(schema);
  return html`<div><dt><code>${name}</code> <span class="soft">${typeOf(schema)}, ${note}</span></dt>
<dd>${description}${limits.length > 0 && html` <span class="soft">${limits.join(', ')}.</span>`}
${propertiesOf(schema).length > 0 && objectBody({ ...schema, description: undefined })}</dd></div>`;
}

function typeOf(schema: JsonSchema): Html | string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.oneOf !== undefined) {
    return html`${(schema.oneOf as JsonSchema[]).map((one, i) => html`${i > 0 && ' or '}${typeOf(one)}`)}`; // proof: shape.ts
  }
  if (schema.type === 'array') return html`array of ${typeOf(schema.items as JsonSchema)}`; // proof: shape.ts
  return [schema.type ?? 'string'].flat().join(' or ');
}

/** The rules of a value, in words. */
function limitsOf(schema: JsonSchema): string[] {
  const { minimum, maximum, maxLength, maxProperties, pattern, propertyNames, additionalProperties } = schema;
  const bytes = schema['x-max-bytes'];
  const words = [
    [schema.enum, () => `one of ${(schema.enum as string[]).join(', ')}`],
    [minimum !== undefined && maximum !== undefined, () => `${minimum} to ${maximum}`],
    [minimum !== undefined && minimum !== 0 && maximum === undefined, () => `at least ${minimum}`],
    [bytes, () => `at most ${bytes} bytes`],
    [bytes === undefined && maxLength, () => `at most ${maxLength} characters`],
    [typeof pattern === 'string' && !pattern.includes('\\u'), () => `pattern ${pattern}`],
    [maxProperties, () => `at most ${maxProperties} keys`],
    [propertyNames, () => `each key: ${limitsOf(propertyNames as JsonSchema).join(', ')}`],
    [
      typeof additionalProperties === 'object' && limitsOf(additionalProperties as JsonSchema).length > 0,
      () => `each value: ${limitsOf(additionalProperties as JsonSchema).join(', ')}`,
    ],
    [schema.default !== undefined, () => `default ${schema.default}`],
  ] as const;
  return words.flatMap(([isSet, say]) => (isSet ? [say()] : []));
}

function curlCommand(
  { method, path, parameters = [], security, requestBody }: Route,
  baseUrl: string,
): string {
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${exampleValues[name]}`);
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => exampleValues[name] ?? name);
  const body = requestBody?.content['application/json']?.example;
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${baseUrl}${address}${query.length > 0 ? `?${query.join('&')}` : ''}'`,
    ...(security.length > 0 ? ['-H "Authorization: Bearer $API_TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]),
  ].join(' \\\n  ');
}

function exampleAnswer({ responses }: Route): Html | null {
  for (const response of Object.values(responses)) {
    const example = 'content' in response && response.content?.['application/json']?.example;
    if (example) return html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>`;
  }
  return null;
}
