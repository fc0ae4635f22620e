/** Makes the OpenAPI document. Only a reader of the documentation loads it. */
import { getNamedSchemas } from '../http/schema'
import { yieldTurn } from '../lib/steps'
import { isObject, type JsonObject } from './json-schema'
import { toOpenApi31 } from './to-openapi-31'

/** A plugin of Elysia that makes a document of the routes of its app. */
interface DocumentSource {
  readonly routes: readonly { readonly path: string; readonly handler: unknown }[]
}

/** Makes the document of all routes. */
export async function makeDocument(source: DocumentSource, all: AllRoutes): Promise<JsonObject> {
  return await toOpenApi31(await readRawDocument(source, all), getNamedSchemas())
}

/** The routes and models of the whole server, which Elysia shows to plugins alone. */
export interface AllRoutes {
  getGlobalRoutes(): readonly unknown[]
  getGlobalDefinitions(): unknown
}

/** Routes that the plugin reads in one turn of the event loop. */
const ROUTES_PER_TURN = 8
const HIDDEN_ROUTE = { hooks: { detail: { hide: true } } }

/**
 * Returns the document as the plugin writes it. It is built at the first request and kept, so all routes must exist by
 * this time. The plugin adds the routes of its app to those that it has read, unless their number is that of the time
 * before: so it is shown some in each turn, and one more, which it ignores, in every second turn.
 */
async function readRawDocument(source: DocumentSource, all: AllRoutes): Promise<JsonObject> {
  const routes = all.getGlobalRoutes()
  const handler: unknown = source.routes.find(({ path }) => path === '/docs/json')?.handler
  let document: unknown = null
  for (let turn = 0; turn * ROUTES_PER_TURN < routes.length; turn++) {
    const shown = routes.slice(turn * ROUTES_PER_TURN, (turn + 1) * ROUTES_PER_TURN)
    const ignored = Array(ROUTES_PER_TURN + (turn % 2) - shown.length).fill(HIDDEN_ROUTE)
    const getGlobalRoutes = () => [...shown, ...ignored]
    Object.assign(source, { getGlobalRoutes, getGlobalDefinitions: () => all.getGlobalDefinitions() })
    document = typeof handler === 'function' ? handler() : null
    await yieldTurn()
  }
  if (!isObject(document)) throw new Error('@elysiajs/swagger has no route for its document')
  return document
}
