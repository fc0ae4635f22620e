/** What to ask of a route, and the pieces that requests of every feature are made of. */
import type { Ask, Visitor } from './visitor'

export type Asking = (visitor: Visitor) => Promise<Ask> | Ask

export interface Route {
  /** A request that it serves; the visitor prepares what it needs. */
  readonly served: Asking
  readonly status: number
  /** Without a key it is refused with 400. */
  readonly needsKey?: boolean
  /** Further requests, by the status of their answers. */
  readonly others?: Readonly<Record<number, readonly Asking[]>>
}

export const LARGE = JSON.stringify({ body: 'x'.repeat(2 * 1024 * 1024) })
export const STALE = { 'If-Match': '"7-0"' }
export const BARE = { 'If-Match': 'bare' }
export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

export const NO_JSON = [
  '{',
  '{"a":1}}',
  "{'a':1}",
  `${'['.repeat(70)}${']'.repeat(70)}`,
  new Uint8Array([0x22, 0xff, 0x22]),
]
export const NO_OBJECT = ['', '[]', 'null', '"\\ud800"', '{"\\u0000":1}', '{"__proto__":{"a":1}}']

export const get =
  (path: string, headers = {}): Asking =>
  () => ({ path, headers })
export const post =
  (path: string, body: unknown, headers = {}): Asking =>
  () => ({ method: 'POST', path, body, headers })
/** The same Idempotency-Key came with another body before. */
export const keyReused =
  (asking: Asking, body: unknown): Asking =>
  async (visitor) => {
    const asked = await asking(visitor)
    const ask = { ...asked, headers: { ...asked.headers, 'Idempotency-Key': 'one' } }
    await visitor.send(ask)
    return { ...ask, body }
  }
