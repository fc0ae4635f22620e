import { ApiError, invalid } from './api-error'

/**
 * Conditional requests (RFC 9110, section 13). An ETag is `"<revision>"`, or `"<revision>-<n>"` if members are computed
 * from other resources; `n` grows when those change. Reads compare the whole ETag, but writes only the revision: a new
 * backlink must not make an editor's save fail.
 */

/** A resource with the ETag of its present representation. */
export interface Tagged<Resource> {
  readonly resource: Resource
  readonly etag: string
}

/** The condition of If-Match: none (null), that the resource exists (`*`), or that it is at one of these revisions. */
export type Precondition = null | '*' | readonly number[]

const TAG_LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/
const TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

/** Writes the strong ETag of a resource. */
export function writeEtag(revision: number, computedRevision?: number): string {
  return computedRevision === undefined ? `"${revision}"` : `"${revision}-${computedRevision}"`
}

/** Reads If-Match. A weak or unknown tag matches no revision. @throws ApiError invalid_request */
export function ifMatch(request: Request): Precondition {
  const header = request.headers.get('if-match')
  if (header === null) return null
  if (header.trim() === '*') return '*'
  return readTags(header, 'If-Match').map(({ weak, value }) => (weak ? -1 : revisionOf(value)))
}

/** Whether If-None-Match contains this ETag, so that the response is 304. @throws ApiError invalid_request */
export function isUnchanged(request: Request, current: string): boolean {
  const header = request.headers.get('if-none-match')
  if (header === null) return false
  return header.trim() === '*' || readTags(header, 'If-None-Match').some(({ value }) => `"${value}"` === current)
}

/**
 * Checks the precondition of a write.
 * @param current the present resource, which the error contains
 * @throws ApiError precondition_failed
 */
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

function readTags(header: string, name: string): { weak: boolean; value: string }[] {
  if (!TAG_LIST.test(header))
    throw invalid(`/${name}`, 'invalid_header', `${name} must be * or a list of quoted ETags, e.g. "3-0".`)
  return [...header.matchAll(TAG)].map(([, weak, value = '']) => ({ weak: weak !== undefined, value }))
}

function revisionOf(tag: string): number {
  const match = /^([1-9][0-9]{0,15})(?:[-.].*)?$/.exec(tag)
  return match ? Number(match[1]) : -1
}
