/** The most bytes that one UTF-16 unit of a text takes in memory. */
const UNIT_BYTES = 2

/** A cache of texts by name (LRU). `maxBytes` limits all texts with their names. */
export class TextCache {
  /** In the order in which they were last read. */
  private readonly texts = new Map<string, string>()
  private bytes = 0

  constructor(private readonly maxBytes: number) {}

  /** Returns a text and marks it as the most recently read. */
  get(name: string): string | undefined {
    const text = this.texts.get(name)
    if (text === undefined) return undefined
    this.texts.delete(name)
    this.texts.set(name, text)
    return text
  }

  /** Stores a text. A text above the limit is not stored, and evicts no other. */
  set(name: string, text: string): void {
    this.delete(name)
    const size = getSizeBytes(name, text)
    if (size > this.maxBytes) return
    this.texts.set(name, text)
    this.bytes += size
    for (const oldest of this.texts.keys()) {
      if (this.bytes <= this.maxBytes) break
      this.delete(oldest)
    }
  }

  private delete(name: string): void {
    const text = this.texts.get(name)
    if (text === undefined) return
    this.texts.delete(name)
    this.bytes -= getSizeBytes(name, text)
  }
}

function getSizeBytes(name: string, text: string): number {
  return UNIT_BYTES * (name.length + text.length)
}
