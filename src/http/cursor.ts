import { ApiError } from './api-error'

/**
 * Cursors of lists: opaque to the caller, a keyset to us. A cursor holds the sort keys of the last item shown and a
 * digest of the sort and the filters it belongs to, so that it cannot be used with others.
 */

export type Key = string | number | null

/** A page of a list, in the form that every list answers with. */
export interface Page<Item> {
  readonly items: Item[]
  readonly next_cursor: string | null
}

/** Writes a cursor. `binding` is any text that names the sort and the filters. */
export function writeCursor(binding: string, keys: readonly Key[]): string {
  return Buffer.from(JSON.stringify([digest(binding), ...keys])).toString('base64url')
}

/**
 * Reads a cursor back.
 * @param kinds the types of its keys, in order
 * @throws ApiError invalid_cursor, if it is not ours or belongs to another sort or filter
 */
export function readCursor(cursor: string, binding: string, kinds: readonly ('string' | 'number')[]): Key[] {
  const [mark, ...keys] = parts(cursor)
  const fits = keys.length === kinds.length && keys.every((key, i) => key === null || typeof key === kinds[i])
  if (mark !== digest(binding) || !fits)
    throw new ApiError('invalid_cursor', 'This cursor does not belong to this list, sort and filters.')
  return keys as Key[]
}

/**
 * Cuts `limit + 1` rows to a page: the extra row tells whether there is another page.
 * @param keysOf the sort keys of an item, in the order of readCursor's kinds
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  binding: string,
  keysOf: (row: Row) => readonly Key[],
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(toItem),
    next_cursor: last && rows.length > limit ? writeCursor(binding, keysOf(last)) : null,
  }
}

function parts(cursor: string): unknown[] {
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
