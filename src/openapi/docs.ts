import { Elysia, NotFoundError } from 'elysia'
import { computeOnce, type LinkFiles, redirect, type ServeStatic, serveStatic } from '../http/static-file'
import type { AllRoutes } from './document'
import { TAGS } from './groups'
import type { JsonObject } from './json-schema'

/**
 * /docs, the overview; /docs/{group}, the reference of a group; /docs/errors, every error code explained; /docs/json, the
 * document for people; /openapi.json, the same with shorter texts for programs. All of it comes from this server.
 */

interface DocsOptions {
  readonly version: string
  /** Requests an hour without a key, for each address. */
  readonly freePerHour: number
  readonly apiPerHour: number
  readonly linkFiles: LinkFiles
}

const HTML = 'text/html;charset=utf-8'
const JSON_TYPE = 'application/json'

/** It is also put into a meta element, so it has no quotation marks or angle brackets. */
function describeApi({ freePerHour, apiPerHour }: DocsOptions): string {
  return [
    'Notes, tasks, flashcards and a chat over them.',
    `Every endpoint works without authentication: the free tier allows ${freePerHour} requests an hour for each network address, and what it stores is shared by everyone at that address and erased after 24 hours without a request.`,
    `A key in the header X-API-Key raises the limit to ${apiPerHour} requests an hour and gives a workspace that lasts. Keys are made in the browser, on [the key page](/).`,
    'Ids are UUIDv7 in lower case. Instants are RFC 3339 in UTC, with milliseconds when the server writes them.',
    'The texts of [/openapi.json](/openapi.json) are short, for programs: [/docs/json](/docs/json) has all of them, with examples.',
    'Every response under /api carries X-RateLimit-Limit, X-RateLimit-Remaining and X-Tier. Failures have one shape, but for the paths of OpenAI’s API, whose clients read another; [the error codes](/docs/errors) say what to do about each.',
  ].join('\n\n')
}

/** `use` them at the top level, where they see all routes. */
export function docsRoutes(options: DocsOptions) {
  const app = new Elysia({ name: 'docs' })
  const document = computeOnce(async () => {
    const { makeDocument } = await import('./document')
    return await makeDocument(await createSource(options), app as unknown as AllRoutes)
  })
  const full = computeOnce(async () => serveJson(withServer(await document(), '..')))
  const compact = computeOnce(async () => {
    const { compactDocument } = await import('./compact')
    return serveJson(withServer(await compactDocument(await document()), '.'))
  })
  const hidden = { detail: { hide: true } }
  const reference = createReference(document, options)
  return app
    .onBeforeHandle(({ path }) => {
      // The pages and the document link by relative addresses.
      if (/^\/docs\/(?:[^/]+\/|(?:guides|forms)\/[^/]+\/)?$/.test(path)) return redirect(`../${path.split('/').at(-2)}`)
    })
    .get('/docs/json', async ({ request }) => (await full())(request), hidden)
    .get('/openapi.json', async ({ request }) => (await compact())(request), hidden)
    .get('/docs', reference, hidden)
    .get('/docs/guides/:group', reference, hidden)
    .get('/docs/forms/:group', reference, hidden)
    .get('/docs/:group', reference, hidden)
}

/** Creates the plugin that makes the document. Only a reader of the documentation pays its 8 MiB. */
async function createSource(options: DocsOptions) {
  const { swagger } = await import('@elysiajs/swagger')
  return swagger({
    // The plugin's own page, a viewer that comes from another host, is not shown: the reference has its path.
    path: '/docs',
    specPath: '/docs/json',
    excludeStaticFile: false,
    documentation: {
      info: { title: 'Satchel', version: options.version, description: describeApi(options) },
      tags: TAGS,
    },
  })
}

/** The server is where the document is: it may be below any path. Clients leave out the slash at the end. */
function withServer(document: JsonObject, url: string): JsonObject {
  const { openapi, info, ...rest } = document
  return { openapi, info, servers: [{ url, description: 'This server.' }], ...rest }
}

/**
 * Returns what answers a request for a page of the reference, or for what its script reads, by the part of its address
 * after `/docs/`, `''` for the overview. The part is not decoded, so that each page has one address.
 * Each page is rendered at the first request and kept. The answer rejects with NotFoundError if there is none.
 */
function createReference(
  document: () => Promise<JsonObject>,
  options: DocsOptions,
): (context: { readonly request: Request; readonly path: string }) => Promise<Response> {
  const pages = new Map<string, ServeStatic>()
  return async ({ request, path }) => {
    const slug = path.slice('/docs/'.length)
    const known = pages.get(slug)
    if (known) return known(request)
    const { renderReference } = await import('./reference-pages')
    const text = await renderReference(slug, document, describeApi(options))
    if (text === null) throw new NotFoundError()
    const isData = /^forms\/|\.json$/.test(slug)
    const serve = isData ? serveText(text, JSON_TYPE) : serveText(options.linkFiles(text, path.slice(1)), HTML)
    pages.set(slug, serve)
    return serve(request)
  }
}

function serveText(text: string, type: string): ServeStatic {
  return serveStatic({ bytes: new TextEncoder().encode(text), type })
}

const serveJson = (document: JsonObject) => serveText(JSON.stringify(document), JSON_TYPE)
