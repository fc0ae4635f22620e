import { ApiError, invalid } from './api-error'

/**
 * Conditional requests (RFC 9110, section 13). An ETag is `"<revision>"`, or `"<revision>-<n>"` where members are
 * computed from other resources and `n` grows when they change. Reading compares all of it, writing the revision
 * alone: a new backlink must not make an editor's save stale.
 */

/** A resource with the ETag of its present representation. */
export interface Tagged<Resource> {
  readonly resource: Resource
  readonly etag: string
}

/** What If-Match demands: nothing (null), that the resource exists (`*`), or that it is at one of these revisions. */
export type Precondition = null | '*' | readonly number[]

const TAG_LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/
const TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

/** The strong ETag of a resource. */
export function writeEtag(revision: number, computedRevision?: number): string {
  return computedRevision === undefined ? `"${revision}"` : `"${revision}-${computedRevision}"`
}

/** Reads If-Match. A weak tag, or one that we never gave, matches no revision. Throws invalid_request. */
export function ifMatch(request: Request): Precondition {
  const header = request.headers.get('if-match')
  if (header === null) return null
  if (header.trim() === '*') return '*'
  return tags(header, 'If-Match').map(({ weak, value }) => (weak ? -1 : revisionOf(value)))
}

/** Whether If-None-Match names this ETag: the answer is then 304. Throws invalid_request. */
export function isUnchanged(request: Request, current: string): boolean {
  const header = request.headers.get('if-none-match')
  if (header === null) return false
  return header.trim() === '*' || tags(header, 'If-None-Match').some(({ value }) => `"${value}"` === current)
}

/**
 * Holds a write to its precondition.
 * @param current the resource as it is now, shown to a caller who comes too late
 * @throws ApiError precondition_failed
 */
export function requireRevision(precondition: Precondition, current: { readonly revision: number }): void {
  if (precondition === null || precondition === '*' || precondition.includes(current.revision)) return
  throw new ApiError(
    'precondition_failed',
    `The resource is at revision ${current.revision} by now. Nothing was changed.`,
    {
      current,
    },
  )
}

function tags(header: string, name: string): { weak: boolean; value: string }[] {
  if (!TAG_LIST.test(header))
    throw invalid(`/${name}`, 'invalid_header', `${name} must be * or a list of quoted ETags, e.g. "3-0".`)
  return [...header.matchAll(TAG)].map(([, weak, value = '']) => ({ weak: weak !== undefined, value }))
}

function revisionOf(tag: string): number {
  const match = /^([1-9][0-9]{0,15})(?:[-.].*)?$/.exec(tag)
  return match ? Number(match[1]) : -1
}
