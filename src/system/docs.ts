/**
 * /docs, the interactive page; /docs/json and /openapi.json, the document; /docs/errors, every error code explained.
 * The page works without any network: its viewer comes from this server.
 */
import { readFileSync } from 'node:fs'
import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import viewer from 'swagger-ui-dist/package.json'
import { docsAssets } from './docs-assets'
import { EMBEDDED } from './embedded'
import { errorsPage } from './errors-page'
import { isObject } from './json-schema'
import { toValidOpenApi } from './openapi'

export interface DocsOptions {
  readonly version: string
  /** Requests an hour without a key, for each address. */
  readonly freePerHour: number
  /** Requests an hour with a key. */
  readonly apiPerHour: number
}

const ASSETS: Readonly<Record<string, string>> = EMBEDDED?.docs ?? docsAssets()

const TAGS = [
  { name: 'System', description: 'What there is, your usage, and what changed.' },
  { name: 'Search', description: 'Notes, tasks and flashcards in one list.' },
  { name: 'Chat / AI', description: 'Questions about what is stored, and actions on it.' },
  { name: 'Notes', description: 'Markdown notes with folders and tags.' },
  { name: 'Tasks', description: 'Tasks with due dates and recurrence.' },
  { name: 'Flashcards', description: 'Decks, cards and reviews.' },
]

/** Plain enough to stand in a meta element as well, so without quotation marks and angle brackets. */
function about({ freePerHour, apiPerHour }: DocsOptions): string {
  return [
    'Notes, tasks, flashcards and a chat over them.',
    `Every endpoint works without authentication: the free tier allows ${freePerHour} requests an hour for each network address, and what it stores is shared by everyone at that address and erased after 24 hours without a request.`,
    `A key in the header X-API-Key raises the limit to ${apiPerHour} requests an hour and gives a workspace that lasts. Keys are made in the browser, on [the key page](/).`,
    'Every response under /api carries X-RateLimit-Limit, X-RateLimit-Remaining and X-Tier. Failures have one shape; [the error codes](/docs/errors) say what to do about each.',
  ].join('\n\n')
}

/** Mounts the documentation. Its routes are hidden from the document. `use` it at top level, where it sees all routes. */
export function docs(options: DocsOptions) {
  const source = swagger({
    path: '/docs',
    specPath: '/docs/json',
    excludeStaticFile: false,
    scalarCDN: `/docs/assets/boot.js?v=${assetVersion()}`,
    scalarConfig: { customCss: '' },
    documentation: { info: { title: 'Satchel', version: options.version, description: about(options) }, tags: TAGS },
  })
  const text = once(() => JSON.stringify(toValidOpenApi(rawDocument(source))))
  const json = () =>
    new Response(text(), { headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' } })
  const hidden = { detail: { hide: true } }
  const app = new Elysia({ name: 'docs' })
    .get('/openapi.json', json, hidden)
    .get('/docs/errors', () => page(errorsPage()), hidden)
    .onBeforeHandle(({ path }) => {
      if (path === '/docs/') return redirect('/docs') // the page asks for its document by a relative address
      if (path.startsWith('/docs/json')) return json()
    })
    .use(source)
  for (const [name, file] of Object.entries(ASSETS)) {
    app.get(`/docs/assets/${name}`, ({ query }) => asset(file, 'v' in query), hidden)
  }
  return app
}

/** The document as the plugin writes it. All routes must be there by the first request, since the result is kept. */
function rawDocument(source: ReturnType<typeof swagger>): object {
  const handler: unknown = source.routes.find(({ path }) => path === '/docs/json')?.handler
  const document: unknown = typeof handler === 'function' ? handler() : null
  if (!isObject(document)) throw new Error('@elysiajs/swagger has no route for its document')
  return document
}

/** A new address whenever a file behind it changes, so that browsers may keep the files for good. */
function assetVersion(): string {
  const ours = ['boot.js', 'docs.css'].map((name) => readFileSync(ASSETS[name] ?? '', 'utf8'))
  return `${viewer.version}-${Bun.hash(ours.join('')).toString(36)}`
}

function asset(file: string, versioned: boolean): Response {
  const caching = versioned ? 'public, max-age=31536000, immutable' : 'no-cache'
  return new Response(Bun.file(file), { headers: { 'Cache-Control': caching } })
}

function page(html: string): Response {
  return new Response(html, { headers: { 'Content-Type': 'text/html;charset=utf-8', 'Cache-Control': 'no-cache' } })
}

function redirect(to: string): Response {
  return new Response(null, { status: 308, headers: { Location: to } })
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
