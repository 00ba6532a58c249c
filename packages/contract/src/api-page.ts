/** The OpenAPI document as one HTML file for people. It runs no script and loads nothing. Pure. */
import { createHash } from 'node:crypto';
import { pageStyle } from './api-page-style.ts';
import { exampleOf } from './example-value.ts';
import type { OpenApiDocument } from './open-api.ts';
import type { Json, JsonObject } from './schema-collection.ts';

interface ApiPage {
  readonly html: string;
  /** The Content-Security-Policy that allows this page its own style and nothing else. */
  readonly policy: string;
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

export function apiPage(document: OpenApiDocument): ApiPage {
  const schemas = objectAt(document.components, 'schemas');
  const base = String(objectAt(document, 'servers', '0').url);
  const entries = [...entriesOf(document.paths), ...entriesOf(document.webhooks, 'push')];
  const sections = listAt(document, 'tags').map((tag) => {
    const { name, description } = tag as { name: string; description: string };
    return { name, description, entries: entries.filter(({ operation }) => listAt(operation, 'tags').includes(name)) };
  });
  const info = objectAt(document, 'info');
  const hash = createHash('sha256').update(pageStyle).digest('base64');
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Waxwing API</title>
<style>${pageStyle}</style>
</head>
<body>
<nav aria-label="Operations"><a class="home" href="#top">Waxwing API</a>${sections.map(navigation).join('')}<h2><a href="#schemas">Schemas</a></h2></nav>
<main id="top">
<h1>Waxwing API <small>${safe(info.version)}</small></h1>
${paragraphs(String(info.description))}
<p>For programs: <a href="/api/openapi.json">openapi.json</a>, OpenAPI 3.1.</p>
${sections.map((section) => sectionHtml(section, base, schemas)).join('\n')}
<h2 id="schemas">Schemas</h2>
${Object.entries(schemas)
  .map(([name, schema]) => schemaSection(name, schema as JsonObject))
  .join('\n')}
</main>
</body>
</html>
`;
  return {
    html,
    policy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

function entriesOf(paths: JsonObject, label?: string): Entry[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as JsonObject).map(([method, operation]) => ({
      method: label ?? method,
      path,
      operation: operation as JsonObject,
    })),
  );
}

interface Section {
  readonly name: string;
  readonly description: string;
  readonly entries: readonly Entry[];
}

function navigation({ name, entries }: Section): string {
  const links = entries.map(
    ({ operation }) => `<li><a href="#${safe(operation.operationId)}">${safe(operation.summary)}</a></li>`,
  );
  return `<h2><a href="#tag-${safe(name)}">${safe(titled(name))}</a></h2><ul>${links.join('')}</ul>`;
}

function sectionHtml({ name, description, entries }: Section, base: string, schemas: JsonObject): string {
  const articles = entries.map((entry) => article(entry, base, schemas)).join('\n');
  return `<section><h2 id="tag-${safe(name)}">${safe(titled(name))}</h2><p>${marked(description)}</p>\n${articles}</section>`;
}

function article(entry: Entry, base: string, schemas: JsonObject): string {
  const { method, path, operation } = entry;
  const { operationId, summary, description } = operation;
  const parameters = listAt(operation, 'parameters') as readonly JsonObject[];
  const body = bodySchema(operation);
  return `<article id="${safe(operationId)}">
<h3><a href="#${safe(operationId)}">${safe(summary)}</a></h3>
<p class="route"><b class="${safe(method)}">${safe(method.toUpperCase())}</b> <code>${safe(path)}</code></p>
${description === undefined ? '' : paragraphs(String(description))}
${parameters.length === 0 ? '' : `<h4>Parameters</h4>${table(parameters.map(parameterRow))}`}
${body === undefined ? '' : `<h4>Body</h4>${shape(body)}`}
<h4>Answers</h4>${table(Object.entries(objectAt(operation, 'responses')).map(([status, answer]) => answerRow(status, answer as JsonObject)))}
${method === 'push' ? '' : `<h4>Example</h4><pre><code>${safe(curl(entry, base, schemas))}</code></pre>`}
</article>`;
}

function bodySchema(operation: JsonObject): JsonObject | undefined {
  const schema = objectAt(operation, 'requestBody', 'content', 'application/json', 'schema');
  return Object.keys(schema).length === 0 ? undefined : schema;
}

function parameterRow(parameter: JsonObject): readonly string[] {
  const { name, required, description } = parameter;
  const schema = objectAt(parameter, 'schema');
  return [
    `<code>${safe(name)}</code>${required === true ? ' <em>required</em>' : ''}`,
    `${safe(parameter.in)} · ${typeText(schema)}`,
    marked(String(description ?? schema.description ?? '')),
  ];
}

function answerRow(status: string, answer: JsonObject): readonly string[] {
  const [type, content] = Object.entries(objectAt(answer, 'content'))[0] ?? [];
  const schema = content === undefined ? '' : typeText(objectAt(content as JsonObject, 'schema'));
  return [
    `<b>${safe(status)}</b>`,
    type === undefined ? '' : `${schema}<br><small>${safe(type)}</small>`,
    marked(String(answer.description)),
  ];
}

function schemaSection(name: string, schema: JsonObject): string {
  return `<article id="schema-${safe(name)}"><h3><a href="#schema-${safe(name)}">${safe(name)}</a></h3>
${schema.description === undefined ? '' : `<p>${marked(String(schema.description))}</p>`}${shape(schema)}</article>`;
}

function shape(schema: JsonObject): string {
  const required = new Set(listAt(schema, 'required'));
  const fields = Object.entries(objectAt(schema, 'properties')) as [string, JsonObject][];
  if (fields.length === 0) return `<p>${typeText(schema)}</p>`;
  return table(
    fields.map(([name, field]) => [
      `<code>${safe(name)}</code>${required.has(name) ? '' : ' <em>optional</em>'}`,
      typeText(field),
      marked(String(field.description ?? '')),
    ]),
  );
}

function typeText(schema: JsonObject): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#schema-${safe(name)}">${safe(name)}</a>`;
  }
  const choices = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')] as readonly JsonObject[];
  if (choices.length > 0) return choices.map(typeText).join(' or ');
  if (schema.const !== undefined) return `<code>${safe(JSON.stringify(schema.const))}</code>`;
  const values = listAt(schema, 'enum');
  if (values.length > 0) return values.map((value) => `<code>${safe(value)}</code>`).join(' or ');
  if (schema.type === 'array') return `list of ${typeText(objectAt(schema, 'items'))}`;
  const fields = Object.keys(objectAt(schema, 'properties'));
  if (fields.length > 0) return `object with ${fields.map((field) => `<code>${safe(field)}</code>`).join(', ')}`;
  return [safe(schema.format ?? schema.type ?? 'any'), limits(schema)].filter((part) => part !== '').join(', ');
}

function limits({ minimum, maximum, minLength, maxLength }: JsonObject): string {
  const [least, most] = [minimum ?? minLength, maximum ?? maxLength];
  const unit = minLength === undefined && maxLength === undefined ? '' : ' characters';
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return `from ${least}${unit}`;
  return least === undefined ? `up to ${most}${unit}` : `${least} to ${most}${unit}`;
}

/** A command to copy. The token comes from the environment, because every account of a machine can read arguments. */
function curl({ method, path, operation }: Entry, base: string, schemas: JsonObject): string {
  const parameters = listAt(operation, 'parameters') as readonly JsonObject[];
  const url =
    base.replace(/\/$/, '') + path.replace(/\{([a-z_]+)\}/g, (_whole, name: string) => `$${name.toUpperCase()}`);
  const body = bodySchema(operation);
  const lines = [
    `curl -sS ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}-H @token "${url}"`,
    ...parameters
      .filter(
        (parameter) =>
          parameter.in === 'header' && (parameter.required === true || parameter.name === 'Idempotency-Key'),
      )
      .map(({ name }) => (name === 'If-Match' ? `-H 'If-Match: "…"'` : `-H "${String(name)}: $(uuidgen)"`)),
    ...(body === undefined ? [] : [`--json '${JSON.stringify(exampleOf(body, schemas))}'`]),
  ];
  return `# token: a file with the line "Authorization: Bearer …"\n${lines.join(' \\\n  ')}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  return `<div class="table"><table>${body}</table></div>`;
}

function paragraphs(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${marked(paragraph)}</p>`)
    .join('\n');
}

/** The little of Markdown that descriptions use: code and strong. */
function marked(text: string): string {
  return safe(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

function safe(value: unknown): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return String(value).replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function titled(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
}

/** The object at the end of a path, or an empty one. */
function objectAt(from: JsonObject, ...path: readonly string[]): JsonObject {
  let at: Json | undefined = from;
  for (const name of path) at = (at as JsonObject | undefined)?.[name];
  return typeof at === 'object' && at !== null ? (at as JsonObject) : {};
}

function listAt(from: JsonObject, name: string): readonly Json[] {
  const value = from[name];
  return Array.isArray(value) ? value : [];
}
