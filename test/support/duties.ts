import { expect } from 'bun:test'
import { getSecurityHeaders } from '../../src/http/answer'
import { ERRORS, type ErrorCode } from '../../src/http/api-error'
import type { JsonObject } from '../../src/openapi/json-schema'
import { readError } from './error-forms'
import { FREE_LIMIT } from './visitor'

/**
 * Holds an answer under /api to what all of them owe: the three headers, the security headers and, when it is an
 * error, the common shape. Returns the error, or an empty object.
 */
export async function expectDuties(response: Response, path: string, tier: 'free' | 'api'): Promise<JsonObject> {
  const { headers, status } = response
  expect(headers.get('X-Tier')).toBe(tier)
  expect(headers.get('X-RateLimit-Limit')).toBe(tier === 'free' ? String(FREE_LIMIT) : '1000')
  expect(headers.get('X-RateLimit-Remaining')).toMatch(/^(0|[1-9][0-9]*)$/)
  expectSecurity(headers, path)
  const text = await contentOf(response, path)
  if (status < 400 || text === '') return {}
  return expectProblem(status, headers, text, path)
}

/** All of an answer's text; of the stream of changes, which does not end, the first of it. */
export async function contentOf(response: Response, path: string): Promise<string> {
  if (response.status !== 200 || !path.startsWith('/api/changes/stream')) return await response.text()
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

export function expectSecurity(headers: Headers, path: string): void {
  for (const [name, value] of Object.entries(getSecurityHeaders(path.split('?')[0] ?? '')))
    expect(headers.get(name)).toBe(value)
}

/** Holds an error to the form of its path. */
export function expectProblem(status: number, headers: Headers, text: string, path: string): JsonObject {
  const { mediaType, faults, ...problem } = readError(path.split('?')[0] ?? '', status, JSON.parse(text))
  expect(headers.get('Content-Type')).toBe(mediaType)
  expect(faults).toEqual([])
  const code = problem.code as ErrorCode
  expect(Object.keys(ERRORS)).toContain(code)
  expect(ERRORS[code].status as number).toBe(status)
  expect(problem.detail).toMatch(/^\S.*\S$/s)
  expect(problem.request_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  for (const fault of (problem.errors ?? []) as JsonObject[]) {
    // A fault of a query tells where in it, and what could stand there.
    const where = code === 'invalid_filter' ? ['column', 'length', 'expected'] : []
    const members = Object.keys(fault).filter((member) => !where.includes(member))
    expect(members).toEqual(['pointer', 'code', 'detail'])
    expect(fault.detail).not.toMatch(/^(\w+) \1 /)
  }
  return { ...problem }
}

/** Whatever tells of limits: nothing outside /api carries it. */
export function limitHeaders(headers: Headers): string[] {
  return [...headers.keys()].filter((name) => /rate-?limit|x-tier|x-key/i.test(name))
}
