import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import viewer from 'swagger-ui-dist/package.json'
import { ApiError, ERRORS, errorBody } from '../http/api-error'
import { isUnchanged } from '../http/conditional'
import { getNamedSchemas } from '../http/schema'
import { generateClient } from './client'
import { findDocsAssets } from './docs-assets'
import { EMBEDDED } from './embedded'
import { TAGS } from './groups'
import { asObject, isObject } from './json-schema'
import { toOpenApi31 } from './to-openapi-31'

/** /docs/errors: every error code, what it means and what to do about it, from the one table of codes. */

type Code = keyof typeof ERRORS

const CODES = Object.keys(ERRORS) as Code[]

/** Renders the page as HTML. Each code is an anchor, to which the `type` of an error response points. */
export function renderErrorsPage(): string {
  const statuses = [...new Set(CODES.map((code) => ERRORS[code].status))].sort((a, b) => a - b)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Error codes – Satchel</title>
<meta name="description" content="Every error code of this Satchel server, what it means and what to do about it.">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="masthead">
<a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">Satchel</a>
<nav aria-label="Documentation"><a href="/docs">API documentation</a></nav>
</header>
<main id="content" tabindex="-1">
<div class="hero">
<h1>Error codes</h1>
<p class="lead">Every failure has one of these values as its <code>code</code>. Codes are stable: one may be added, none changes its meaning.</p>
</div>
<section aria-labelledby="shape">
<h2 id="shape">The shape</h2>
<div>
<p class="intro">Programs should check <code>code</code>. <code>detail</code> is for people, and says what was wrong this time; <code>error</code> repeats it for clients that look there. The log of the server has the <code>request_id</code>. Some codes have additional members.</p>
<pre class="block">${renderExample()}</pre>
<p class="fine">Ollama’s paths, <code>/api/chat</code> among them, send the same object as <code>application/json</code>, the only type under which clients of Ollama read errors; they show <code>error</code>. Those below <code>/api/openai</code> answer as OpenAI’s clients read errors: with an object <code>error</code> with <code>message</code>, <code>type</code>, <code>param</code> and <code>code</code>, and in <code>x_satchel</code> the code and the additional members. <code>/api/mcp</code> answers with errors of JSON-RPC, whose <code>data</code> has the code and the additional members.</p>
</div>
</section>
${statuses.map(renderStatus).join('\n')}
</main>
<footer class="foot"><a href="/">Your keys</a> <a href="/docs">API documentation</a> <a href="/openapi.json">OpenAPI</a></footer>
</body>
</html>
`
}

/** Renders an example of an error. */
function renderExample(): string {
  const refusal = new ApiError('not_found', 'There is no note with this id in your workspace.')
  return Bun.escapeHTML(JSON.stringify(errorBody(refusal, '0193b2c4-7a10-7000-8000-4d5e6f708192'), null, 2))
}

/** Renders all codes of one status, in the order of the table: the most common first. */
function renderStatus(status: number): string {
  const codes = CODES.filter((code) => ERRORS[code].status === status)
  return `<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${status} <span class="phrase">${STATUS_CODES[status] ?? ''}</span></h2>
<div>
${codes.map(renderCode).join('\n')}
</div>
</section>`
}

function renderCode(code: Code): string {
  const { status, title, help } = ERRORS[code]
  const helpHtml = Bun.escapeHTML(help).replace(/`([^`]+)`/g, '<code>$1</code>')
  return `<article class="problem" id="${code}">
<h3><a href="#${code}"><code>${code}</code></a></h3>
<p class="fine">${status} ${Bun.escapeHTML(title)}</p>
<p>${helpHtml}</p>
</article>`
}

/**
 * /docs, the interactive page; /docs/json and /openapi.json, the document; /client.ts, a client in TypeScript made from
 * it; /docs/errors, every error code explained.
 * The page works without any network: its viewer comes from this server.
 */

interface DocsOptions {
  readonly version: string
  /** Requests an hour without a key, for each address. */
  readonly freePerHour: number
  /** Requests an hour with a key. */
  readonly apiPerHour: number
}

const ASSETS: Readonly<Record<string, string>> = EMBEDDED?.docs ?? findDocsAssets()

/**
 * Returns the description of the API. It is also put into a meta element, so it has no quotation marks or angle
 * brackets.
 */
function describeApi({ freePerHour, apiPerHour }: DocsOptions): string {
  return [
    'Notes, tasks, flashcards and a chat over them.',
    `Every endpoint works without authentication: the free tier allows ${freePerHour} requests an hour for each network address, and what it stores is shared by everyone at that address and erased after 24 hours without a request.`,
    `A key in the header X-API-Key raises the limit to ${apiPerHour} requests an hour and gives a workspace that lasts. Keys are made in the browser, on [the key page](/).`,
    'Ids are UUIDv7 in lower case. Instants are RFC 3339 in UTC, with milliseconds when the server writes them.',
    'Every response under /api carries X-RateLimit-Limit, X-RateLimit-Remaining and X-Tier. Failures have one shape, but for the paths of OpenAI’s API, whose clients read another; [the error codes](/docs/errors) say what to do about each.',
  ].join('\n\n')
}

/**
 * The routes of the documentation, which the document does not list. `use` them at the top level, where they see all
 * routes.
 */
export function docsRoutes(options: DocsOptions) {
  const source = swagger({
    path: '/docs',
    specPath: '/docs/json',
    excludeStaticFile: false,
    scalarCDN: `/docs/assets/boot.js?v=${assetVersion()}`,
    scalarConfig: { customCss: '' },
    documentation: {
      info: { title: 'Satchel', version: options.version, description: describeApi(options) },
      tags: TAGS,
    },
  })
  const document = cached(() => withEtag(JSON.stringify(toOpenApi31(readRawDocument(source), getNamedSchemas()))))
  const json = ({ request }: { readonly request: Request }) =>
    conditionalResponse(request, document(), 'application/json')
  const client = cached(() => withEtag(generateClient(asObject(JSON.parse(document().text)), CODES)))
  const hidden = { detail: { hide: true } }
  const app = new Elysia({ name: 'docs' })
    .get('/openapi.json', json, hidden)
    .get('/client.ts', ({ request }) => conditionalResponse(request, client(), 'text/typescript;charset=utf-8'), hidden)
    .get('/docs/errors', () => htmlResponse(renderErrorsPage()), hidden)
    .onBeforeHandle(({ path, request }) => {
      // The page asks for its document by a relative address.
      if (path === '/docs/') return redirect('/docs')
      if (path.startsWith('/docs/json')) return json({ request })
    })
    .use(source)
  for (const [name, file] of Object.entries(ASSETS)) {
    app.get(`/docs/assets/${name}`, ({ query }) => assetResponse(file, 'v' in query), hidden)
  }
  return app
}

/**
 * Returns the document as the plugin writes it. It is built at the first request and kept, so all routes must exist by
 * this time.
 */
function readRawDocument(source: ReturnType<typeof swagger>): object {
  const handler: unknown = source.routes.find(({ path }) => path === '/docs/json')?.handler
  const document: unknown = typeof handler === 'function' ? handler() : null
  if (!isObject(document)) throw new Error('@elysiajs/swagger has no route for its document')
  return document
}

/** Computes a version that changes with the files, so that browsers may cache the versioned addresses forever. */
function assetVersion(): string {
  const ours = ['boot.js', 'docs.css'].map((name) => readFileSync(ASSETS[name] ?? '', 'utf8'))
  return `${viewer.version}-${Bun.hash(ours.join('')).toString(36)}`
}

function assetResponse(file: string, versioned: boolean): Response {
  const caching = versioned ? 'public, max-age=31536000, immutable' : 'no-cache'
  return new Response(Bun.file(file), { headers: { 'Cache-Control': caching } })
}

function htmlResponse(html: string): Response {
  return new Response(html, { headers: { 'Content-Type': 'text/html;charset=utf-8', 'Cache-Control': 'no-cache' } })
}

interface TaggedText {
  readonly text: string
  readonly etag: string
}

function withEtag(text: string): TaggedText {
  return { text, etag: `"${Bun.hash(text).toString(36)}"` }
}

/** Answers with a text, or with 304 to a client that has it. @throws ApiError invalid_request */
function conditionalResponse(request: Request, { text, etag }: TaggedText, type: string): Response {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache', ETag: etag }
  return isUnchanged(request, etag) ? new Response(null, { status: 304, headers }) : new Response(text, { headers })
}

function redirect(to: string): Response {
  return new Response(null, { status: 308, headers: { Location: to } })
}

/** Makes a function that calls `make` the first time only. */
function cached<T>(make: () => T): () => T {
  let result: { value: T } | undefined
  return () => {
    result ??= { value: make() }
    return result.value
  }
}
