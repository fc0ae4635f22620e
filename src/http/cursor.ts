import { ApiError } from './api-error'

/**
 * Cursors of lists, opaque to the caller. A cursor holds the sort keys of the last item shown, and a digest of the sort
 * and the filters that it belongs to, so that it is refused with others.
 */

export type Key = string | number | null

export interface Page<Item> {
  readonly items: Item[]
  readonly next_cursor: string | null
}

/** Writes a cursor. @param binding a text that identifies the sort and the filters */
export function writeCursor(binding: string, keys: readonly Key[]): string {
  return Buffer.from(JSON.stringify([digest(binding), ...keys])).toString('base64url')
}

/** @param kinds the types of its keys @throws ApiError invalid_cursor, also for one of another sort or filter */
export function readCursor(cursor: string, binding: string, kinds: readonly ('string' | 'number')[]): Key[] {
  const [bindingDigest, ...keys] = decodeCursor(cursor)
  const fits = keys.length === kinds.length && keys.every((key, i) => key === null || typeof key === kinds[i])
  if (bindingDigest !== digest(binding) || !fits)
    throw new ApiError('invalid_cursor', 'This cursor does not belong to this list, sort and filters.')
  return keys as Key[]
}

/** The end of the year 9999, in milliseconds since 1970: instants are written with four digits of a year. */
export const LAST_INSTANT_MS = 253_402_300_799_999

/** Reads a key that is an instant. @throws ApiError invalid_cursor */
export function readCursorInstant(key: Key): number {
  if (typeof key === 'number' && Number.isInteger(key) && Math.abs(key) <= LAST_INSTANT_MS) return key
  throw new ApiError('invalid_cursor', 'This cursor is not one of this list.')
}

/** A row beyond `limit` means that there is another page. @param keysOf in the order of readCursor's kinds */
export function toPage<Row, Item = Row>(
  rows: readonly Row[],
  limit: number,
  binding: string,
  keysOf: (row: Row) => readonly Key[],
  toItem: (row: Row) => Item = (row) => row as never,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(toItem),
    next_cursor: last && rows.length > limit ? writeCursor(binding, keysOf(last)) : null,
  }
}

/** Returns the first items whose sizes add up to at most `most`; always at least one. */
export function takeWithin<Item>(
  items: readonly Item[],
  most: number,
  getSize: (item: Item) => number,
): readonly Item[] {
  let sum = 0
  const beyond = items.findIndex((item, i) => {
    sum += getSize(item)
    return sum > most && i > 0
  })
  return beyond < 0 ? items : items.slice(0, beyond)
}

function decodeCursor(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function digest(text: string): string {
  return Bun.hash(text).toString(36)
}
