import type { ZipEntry } from '../../lib/zip/read'
import type { AttachedEntry } from './attached-files'
import { toLinkableName } from './parsed'

/** The pictures and recordings of Google Keep's notes, which lie beside them in the archive. */
export class KeepFiles {
  private readonly byPath = new Map<string, ZipEntry>()
  private readonly found = new Map<ZipEntry, AttachedEntry>()

  constructor(entries: readonly ZipEntry[]) {
    for (const entry of entries) {
      const ending = entry.name.replace(STEM, '')
      // A note says `jpeg` where its picture ends with `jpg`, so a file is found by the rest of its name, too.
      if (PICTURE_ENDING.test(ending)) this.byPath.set(`${entry.name.slice(0, -ending.length)}.`, entry)
    }
    for (const entry of entries) this.byPath.set(entry.name, entry)
  }

  /**
   * Finds a file that a note shows, which becomes an attachment. Returns the name by which the note can link to it; null
   * if the archive does not have it.
   * @param notePath the path of the note
   */
  find(notePath: string, filePath: string): string | null {
    const path = notePath.replace(/[^/]*$/, '') + filePath
    const stem = PICTURE_ENDING.test(path) ? path.replace(PICTURE_ENDING, '.') : null
    const entry = this.byPath.get(path) ?? (stem === null ? undefined : this.byPath.get(stem))
    if (!entry) return null
    const { name } = toLinkableName(entry.name)
    // Notes of Keep have no folders, so their files have none.
    this.found.set(entry, { entry, path: name })
    return name
  }

  isShown(entry: ZipEntry): boolean {
    return this.found.has(entry)
  }

  get shown(): Iterable<AttachedEntry> {
    const { found } = this
    return { [Symbol.iterator]: () => found.values() }
  }
}

const STEM = /^.*(?=\.[^./]*$)/s
const PICTURE_ENDING = /\.(?:jpe?g|png|gif|webp)$/i
