import { isUnchanged, type Tagged } from './conditional'
import type { Outcome } from './idempotency'

/** How results become answers. `set` is Elysia's: the status and headers of the response to come. */
interface ResponseSettings {
  headers: Record<string, string | number>
  status?: number | string
}

/** A resource that was made: 201, with its address and its ETag. */
export function created<Resource extends { readonly id: string }>(
  collection: string,
  { resource, etag }: Tagged<Resource>,
): Outcome<Resource> {
  return { status: 201, headers: { Location: `${collection}/${resource.id}`, ...cachedBy(etag) }, body: resource }
}

/** A resource that was changed: 200, with its ETag. */
export function changed<Resource>({ resource, etag }: Tagged<Resource>): Outcome<Resource> {
  return { status: 200, headers: cachedBy(etag), body: resource }
}

/** Sends an outcome. */
export function send<Body>(set: ResponseSettings, { status, headers, body }: Outcome<Body>): Body {
  set.status = status
  Object.assign(set.headers, headers)
  return body
}

/** Sends a resource that was read, or 304 without a body where the caller has it already. */
export function show<Resource>(request: Request, set: ResponseSettings, tagged: Tagged<Resource>): Resource {
  const body = send(set, changed(tagged))
  if (!isUnchanged(request, tagged.etag)) return body
  set.status = 304
  // Elysia checks what is declared for a status; for 304 that is nothing.
  return undefined as Resource
}

/** Sends a text that was read, or 304 without it where the caller has it already. */
export function showText(request: Request, type: string, { resource, etag }: Tagged<string>): Response {
  const headers = { ...cachedBy(etag), Vary: 'Accept', 'Content-Type': `${type}; charset=utf-8` }
  if (isUnchanged(request, etag)) return new Response(null, { status: 304, headers })
  // The pages share this origin, and their storage holds keys: nothing in a text may act there.
  return new Response(resource, { headers: { ...headers, 'Content-Security-Policy': "sandbox; default-src 'none'" } })
}

/** Sends a text for programs that a browser does not show, or 304 without it where the caller has it already. */
export function showFile(request: Request, type: string, { resource, etag }: Tagged<string>): Response {
  const headers = { ...cachedBy(etag), 'Content-Type': `${type}; charset=utf-8` }
  return isUnchanged(request, etag) ? new Response(null, { status: 304, headers }) : new Response(resource, { headers })
}

/** What carries an ETag may be kept, if it is asked for anew each time. */
function cachedBy(etag: string): Record<string, string> {
  return { ETag: etag, 'Cache-Control': 'private, no-cache' }
}
