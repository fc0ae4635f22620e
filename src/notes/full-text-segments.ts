/** A segment of an FTS5 table, with the first and the last of the commits, by their count, whose rows it may hold. */
export interface Segment {
  readonly oldest: number
  readonly newest: number
  /** Rows, and how many of them were deleted. */
  readonly rows: number
  readonly deleted: number
}

/** What a structure record with these counts begins with, behind four bytes of a cookie. */
const MARK = [0xff, 0, 0, 1] as const

/**
 * The segments of an FTS5 table, by its structure record: the row with the id 10 of its data table. Throws if it is not of
 * a table with `contentless_delete`. Source: fts5_index.c of SQLite 3.54, "Structure Records" and fts5StructureDecode.
 */
export function readSegments(block: Uint8Array): Segment[] {
  if (MARK.some((byte, i) => block[4 + i] !== byte))
    throw new Error('the full text has no structure record of a known form')
  let at = 4 + MARK.length
  const next = (): number => {
    let value = 0
    for (let length = 0; length < 9; length++) {
      const byte = block[at++] ?? 0
      value = value * 128 + (byte & 127)
      if (byte < 128) break
    }
    return value
  }
  const skip = (count: number) => {
    for (let i = 0; i < count; i++) next()
  }
  const found: Segment[] = []
  const levels = next()
  // How many segments there are in all, and how many pages were ever written.
  skip(2)
  for (let level = 0; level < levels; level++) {
    // How many of them are being merged.
    skip(1)
    for (let left = next(); left > 0; left--) {
      // Its id, its first page and its last.
      skip(3)
      const [oldest, newest] = [next(), next()]
      // How many pages tell of deleted rows.
      skip(1)
      const deleted = next()
      found.push({ oldest, newest, deleted, rows: next() })
    }
  }
  return found
}
