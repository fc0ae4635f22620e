/** What an entry takes beside its content, in bytes: very many workspaces have a segment of a note or two. */
const ENTRY_BYTES = 1024

/**
 * What was read of segments, kept in memory: these never change, and no number of one is given twice. The numbers come from
 * the rows of a workspace, so nothing of another workspace is reached through it.
 */
export class SegmentCache<T> {
  readonly #maxBytes: number
  /** Those used last at the end. */
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

  /** What is larger than all that may be kept is not. @param content bytes of it */
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
