/** Bytes that an entry takes in addition to its content. They matter, since many workspaces have tiny segments. */
const ENTRY_BYTES = 1024

/**
 * A cache of data read from segments, by segment number. Segments never change, and no number is used twice. The
 * numbers come from rows of the caller's workspace, so the cache never returns data of another workspace.
 */
export class SegmentCache<T> {
  readonly #maxBytes: number
  /** The entries, the most recently used last. */
  readonly #entries = new Map<number, { readonly value: T; readonly bytes: number }>()
  #bytes = 0

  /** @param most bytes that are kept */
  constructor(most: number) {
    this.#maxBytes = most
  }

  get(segment: number): T | undefined {
    const found = this.#entries.get(segment)
    if (!found) return undefined
    this.#entries.delete(segment)
    this.#entries.set(segment, found)
    return found.value
  }

  /** Adds a value, unless it is larger than the whole cache. @param content bytes of the value */
  add(segment: number, value: T, content: number): void {
    const bytes = content + ENTRY_BYTES
    if (bytes > this.#maxBytes || this.#entries.has(segment)) return
    this.#entries.set(segment, { value, bytes })
    this.#bytes += bytes
    for (const [oldest, { bytes: freed }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      this.#entries.delete(oldest)
      this.#bytes -= freed
    }
  }
}
