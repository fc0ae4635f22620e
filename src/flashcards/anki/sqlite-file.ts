import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { invalidPackage } from './fault'

/** Changes to a SQLite database that nobody vouches for, before SQLite itself sees it. */

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
/** Bytes of the file that are looked through at once. */
const WINDOW = 4 * 1024 * 1024

/**
 * Checks the header of a database (sqlite.org/fileformat2.html) and makes it say that it has no write-ahead log: there is
 * none beside it. Throws FileFault.
 */
export function refuseWal(path: string): void {
  withFile(path, (handle) => {
    const head = Buffer.alloc(HEADER_BYTES)
    const { size } = fstatSync(handle)
    const read = readSync(handle, head, 0, HEADER_BYTES, 0)
    if (read < HEADER_BYTES || head.toString('latin1', 0, MAGIC.length) !== MAGIC)
      throw invalidPackage('The collection is no SQLite database.')
    const stored = head.readUInt16BE(16)
    const pageSize = stored === 1 ? 65_536 : stored
    if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0)
      throw invalidPackage('The collection has an impossible page size.')
    const pages = head.readUInt32BE(28)
    const isCounted = head.readUInt32BE(24) === head.readUInt32BE(92)
    if (isCounted && (pages === 0 || pages * pageSize > size)) throw invalidPackage('The collection is cut off.')
    writeSync(handle, new Uint8Array([1, 1]), 0, 2, 18)
  })
}

/** Replaces each of `texts` in the whole file by what `change` makes of it, which must have as many bytes. */
export function replaceTexts(path: string, texts: readonly string[], change: (text: string) => string): void {
  const changes = texts.map((text) => [Buffer.from(text), Buffer.from(change(text))] as const)
  const longest = Math.max(0, ...changes.map(([text]) => text.length))
  if (longest === 0) return
  withFile(path, (handle) => {
    const { size } = fstatSync(handle)
    const window = Buffer.alloc(Math.min(size, WINDOW + longest))
    // Windows overlap, so that no text lies in two.
    for (let from = 0; from < size; from += WINDOW) {
      const part = window.subarray(0, readSync(handle, window, 0, window.length, from))
      for (const [text, changed] of changes)
        for (let at = part.indexOf(text); at >= 0; at = part.indexOf(text, at + text.length))
          writeSync(handle, changed, 0, changed.length, from + at)
    }
  })
}

function withFile(path: string, work: (handle: number) => void): void {
  const handle = openSync(path, 'r+')
  try {
    work(handle)
  } finally {
    closeSync(handle)
  }
}
