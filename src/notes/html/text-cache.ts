/** Bytes of one UTF-16 unit: what a text takes at most. */
const UNIT_BYTES = 2

/** Texts by name, up to so many bytes in all with their names; the one that was not read for longest goes first. */
export class TextCache {
  /** In the order in which they were last read. */
  private readonly texts = new Map<string, string>()
  private bytes = 0

  constructor(private readonly limit: number) {}

  get(name: string): string | undefined {
    const text = this.texts.get(name)
    if (text === undefined) return undefined
    this.texts.delete(name)
    this.texts.set(name, text)
    return text
  }

  /** A text above the limit is not kept, and puts no other out. */
  set(name: string, text: string): void {
    this.delete(name)
    const size = getSizeBytes(name, text)
    if (size > this.limit) return
    this.texts.set(name, text)
    this.bytes += size
    for (const oldest of this.texts.keys()) {
      if (this.bytes <= this.limit) break
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
