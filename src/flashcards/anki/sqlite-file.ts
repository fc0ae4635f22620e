import { invalid } from './fault'

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100

/**
 * Checks the header of a database (sqlite.org/fileformat2.html) and returns a copy that says that it has no write-ahead
 * log: a database in that mode cannot be queried in memory. Throws PackageFault.
 */
export function withoutWal(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const file = Buffer.from(new Uint8Array(bytes).buffer)
  if (file.length < HEADER_BYTES || file.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw invalid('The collection is no SQLite database.')
  const stored = file.readUInt16BE(16)
  const pageSize = stored === 1 ? 65_536 : stored
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) throw invalid('The collection has an impossible page size.')
  const pages = file.readUInt32BE(28)
  const isCounted = file.readUInt32BE(24) === file.readUInt32BE(92)
  if (isCounted && (pages === 0 || pages * pageSize > file.length)) throw invalid('The collection is cut off.')
  file[18] = 1
  file[19] = 1
  return file
}

/** Replaces each of `texts` in the whole file by what `change` makes of it, which must have as many bytes. */
export function replaceTexts(file: Buffer, texts: readonly string[], change: (text: string) => string): void {
  for (const text of texts) {
    const changed = Buffer.from(change(text))
    for (let at = file.indexOf(text); at >= 0; at = file.indexOf(text, at + changed.length)) changed.copy(file, at)
  }
}
