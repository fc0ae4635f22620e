/** The number at the start of every zstd frame. `0xb5` after `(` is no UTF-8, so no text begins like this. */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd]

/** Text as it is kept: compressed with zstd (RFC 8878) or, where that is no gain, as plain UTF-8. */
export function pack(text: string): Uint8Array {
  const raw = Buffer.from(text)
  const compressed = Bun.zstdCompressSync(raw)
  return compressed.length < raw.length ? compressed : raw
}

/** The text that `pack` was given. */
export function unpack(packed: Uint8Array): string {
  const isCompressed = ZSTD_MAGIC.every((byte, i) => packed[i] === byte)
  return Buffer.from(isCompressed ? Bun.zstdDecompressSync(packed) : packed).toString()
}
