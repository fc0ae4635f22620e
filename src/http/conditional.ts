import { ApiError, invalid } from './api-error'

/**
 * Conditional requests (RFC 9110, section 13). An ETag is `"<revision>"`, or `"<revision>-<n>"` if members are computed
 * from other resources; `n` grows when those change. Reads compare the whole ETag, but writes only the revision: a new
 * backlink must not make an editor's save fail.
 *
 * Proxies that compress weaken a tag (nginx: `W/"3-0"`) or add the encoding to it (Apache and Caddy: `"3-0-gzip"`; Jetty:
 * `"3-0--gzip"`), as we do ourselves (`"3-0.gz"`). All of these name what our tag names, for writes as well: it is made
 * from the revision, so a weak form of it tells as much.
 */

export interface Tagged<Resource> {
  readonly resource: Resource
  readonly etag: string
}

/** The condition of If-Match: none (null), that the resource exists (`*`), or that it is at one of these revisions. */
export type Precondition = null | '*' | readonly number[]

const TAG_LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/
const TAG = /"([\x21\x23-\x7e\x80-\xff]*)"/g
/** What we and proxies add to a tag for an encoding. */
const ENCODED = /(?:--?|\.)(?:gzip|gz|br|zstd)$/
/** A revision, then what tells representations of it apart: numbers, digests, a day (of cards), `.md`, `.html`. */
const REVISION =
  /^([1-9][0-9]{0,15})(?:-(?:[0-9]+(?:-[0-9a-z]{6,13})?|[0-9a-f]{16}))?(?:\.[0-9-]+\.[0-9]+)?(?:\.(?:md|html\.[0-9a-z]+))?$/

/** Writes the strong ETag of a resource. */
export function writeEtag(revision: number, computedRevision?: number): string {
  return computedRevision === undefined ? `"${revision}"` : `"${revision}-${computedRevision}"`
}

/** Reads If-Match. An unknown tag matches no revision. @throws ApiError invalid_request */
export function ifMatch(request: Request): Precondition {
  const header = request.headers.get('if-match')
  if (header === null) return null
  if (header.trim() === '*') return '*'
  return readTags(header, 'If-Match').map((tag) => Number(REVISION.exec(tag.replace(ENCODED, ''))?.[1] ?? -1))
}

/** Whether If-None-Match contains this ETag in any encoding, so that the response is 304. @throws ApiError invalid_request */
export function isUnchanged(request: Request, current: string): boolean {
  const header = request.headers.get('if-none-match')
  if (header === null) return false
  if (header.trim() === '*') return true
  return readTags(header, 'If-None-Match').some((tag) =>
    [tag, tag.replace(ENCODED, '')].some((value) => `"${value}"` === current),
  )
}

/** @param current the present resource, which the error contains @throws ApiError precondition_failed */
export function requireRevision(precondition: Precondition, current: { readonly revision: number }): void {
  if (precondition === null || precondition === '*' || precondition.includes(current.revision)) return
  throw new ApiError(
    'precondition_failed',
    `The resource is at revision ${current.revision} now. Nothing was changed.`,
    {
      current,
    },
  )
}

function readTags(header: string, name: string): string[] {
  if (!TAG_LIST.test(header))
    throw invalid(`/${name}`, 'invalid_header', `${name} must be * or a list of quoted ETags, e.g. "3-0".`)
  return Array.from(header.matchAll(TAG), ([, value = '']) => value)
}
