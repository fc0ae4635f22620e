import { closeSync, openSync, writeSync } from 'node:fs'
import type { SourceFile } from '../../imports/kind'
import { createSourceFile } from '../../imports/read-file'
import { invalidPackage, type PackageLimits, packageTooLarge, unsupportedPackage } from '../../lib/anki/collection'
import { readFields, readNumberField, readTextField } from '../../lib/anki/protobuf'
import { unzstd, unzstdParts } from '../../lib/anki/zstd'
import { UnreadableItem } from '../../lib/file-fault'
import {
  readDirectory,
  readEntryBytes,
  readEntryParts,
  type ZipEntry,
  ZipFault,
  type ZipSource,
} from '../../lib/zip/read'

/** The layout of a package. `legacy1`, `legacy2`: schema 11, not packed. `latest`: schema 18, all packed with zstd. */
export type Layout = 'legacy1' | 'legacy2' | 'latest'

export interface PackedMedia {
  readonly name: string
  /**
   * Unpacks the file.
   * @throws UnreadableItem corrupt_entry, too_large, missing_entry …; FileFault once all files exceed their common
   * limit
   */
  read(): Uint8Array
}

interface AnkiPackage {
  readonly layout: Layout
  readonly media: readonly PackedMedia[]
}

/** Files over RATIO_FROM_BYTES that unpack by more than this ratio are refused as zip bombs. */
const MAX_RATIO = 100
/** The same limit for the collection. */
const MAX_COLLECTION_RATIO = 200
const RATIO_FROM_BYTES = 1024 * 1024
/** The largest list of media names: a package has at most 65,535 files, with some bytes of metadata each. */
const MAX_MAP_BYTES = 16 * 1024 * 1024
const COLLECTIONS: readonly [name: string, layout: Layout][] = [
  ['collection.anki21b', 'latest'],
  ['collection.anki21', 'legacy2'],
  ['collection.anki2', 'legacy1'],
]

/**
 * Opens a package; media stays packed.
 * @param collection the path to write its collection to, an untrusted SQLite database. A file with that path and
 * `.packed` may be left over.
 * @throws FileFault
 */
export async function openPackage(file: SourceFile, limits: PackageLimits, collection: string): Promise<AnkiPackage> {
  const parts = new PackageParts(file, limits)
  const version = readVersion(parts)
  const [name, layout] = chooseCollection(parts, version)
  await parts.unpack(name, collection, layout === 'latest')
  return { layout, media: readMedia(parts, layout, limits) }
}

function readVersion(parts: PackageParts): number | null {
  if (!parts.has('meta')) return null
  const version = readNumberField(parts.readRequired('meta', false), 1)
  if (version < 1 || version > 3) throw unsupportedPackage('The package is of a version that is not known here.')
  return version
}

/** Newer packages have a dummy collection under the old name, whose only note tells the user to update Anki. */
function chooseCollection(parts: PackageParts, version: number | null): (typeof COLLECTIONS)[number] {
  const found = COLLECTIONS.find(([name]) => parts.has(name))
  if (!found) throw invalidPackage('The package holds no collection.')
  const [, layout] = found
  const expected = { 1: 'legacy1', 2: 'legacy2', 3: 'latest' }[version ?? 1]
  if (layout !== expected && (layout === 'legacy1' || expected === 'latest'))
    throw invalidPackage('The package lacks the collection that its version promises.')
  return found
}

function readMedia(parts: PackageParts, layout: Layout, limits: PackageLimits): PackedMedia[] {
  if (!parts.has('media')) return []
  const map = parts.readRequired('media', layout === 'latest')
  const names = layout === 'latest' ? readMessageNames(map) : readJsonNames(map)
  if (names.length > limits.entries) throw packageTooLarge(`The package lists more than ${limits.entries} media files.`)
  return names.map(([entry, name]) => ({
    name,
    read: () => parts.read(entry, limits.mediaFile, layout === 'latest'),
  }))
}

function readMessageNames(map: Uint8Array): [entry: string, name: string][] {
  const entries = [...readFields(map)].filter(({ number }) => number === 1)
  return entries.map(({ value }, index) => {
    if (typeof value === 'number') throw invalidPackage('The list of media is broken.')
    return [String(index), readTextField(value, 1)]
  })
}

function readJsonNames(map: Uint8Array): [entry: string, name: string][] {
  const names = parseJson(map)
  if (typeof names !== 'object' || names === null || Array.isArray(names))
    throw invalidPackage('The list of media is broken.')
  return Object.entries(names).map(([entry, name]) => {
    if (typeof name !== 'string') throw invalidPackage('The list of media is broken.')
    return [entry, name]
  })
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalidPackage('The list of media is broken.')
  }
}

/** The known entries of a package. Counts the bytes that were unpacked. */
class PackageParts {
  private readonly entries: ReadonlyMap<string, ZipEntry>
  private unpacked = 0

  constructor(
    private readonly file: ZipSource,
    private readonly limits: PackageLimits,
  ) {
    const known = readZip(file, limits).filter(({ name }) => isCollection(name) || /^(meta|media|\d{1,9})$/.test(name))
    if (known.some(({ fault }) => fault?.code === 'duplicate_name'))
      throw invalidPackage('The package holds two entries of one name.')
    this.entries = new Map(known.map((entry) => [entry.name, entry]))
  }

  has(name: string): boolean {
    return this.entries.has(name)
  }

  /** Reads an entry without which the package cannot be read. Throws FileFault. */
  readRequired(name: string, packed: boolean): Uint8Array {
    try {
      return this.read(name, MAX_MAP_BYTES, packed)
    } catch (error) {
      throw toFileFault(error)
    }
  }

  read(name: string, limit: number, packed: boolean): Uint8Array {
    const entry = this.entry(name, limit)
    const raw = readEntryBytes(this.file, entry)
    const content = packed ? unzstd(raw, Math.min(limit, maxUnpackedBytes(raw.length, MAX_RATIO))) : raw
    this.count(content.length)
    return content
  }

  /** Writes the collection to a file, since it may be larger than memory. Throws FileFault. */
  async unpack(name: string, path: string, packed: boolean): Promise<void> {
    const limit = this.limits.collection
    try {
      const raw = readEntryParts(this.file, this.entry(name, limit))
      if (!packed) return await this.write(path, raw)
      await this.write(`${path}.packed`, raw)
      const handle = openSync(`${path}.packed`, 'r')
      try {
        const source = createSourceFile(`${path}.packed`, handle)
        await this.write(
          path,
          unzstdParts(source, Math.min(limit, maxUnpackedBytes(source.size, MAX_COLLECTION_RATIO))),
        )
      } finally {
        closeSync(handle)
      }
    } catch (error) {
      throw toFileFault(error)
    }
  }

  private async write(path: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
    const handle = openSync(path, 'w', 0o600)
    try {
      for await (const part of parts) {
        this.count(part.length)
        for (let at = 0; at < part.length; ) at += writeSync(handle, part, at)
      }
    } finally {
      closeSync(handle)
    }
  }

  private entry(name: string, limit: number): ZipEntry {
    const entry = this.entries.get(name)
    if (!entry) throw new UnreadableItem('missing_entry', 'The package does not hold the file.')
    if (entry.size > limit)
      throw new UnreadableItem('too_large', `A part of the package holds more than ${limit} bytes.`)
    return entry
  }

  private count(bytes: number): void {
    this.unpacked += bytes
    const limit = maxTotalUnpackedBytes(this.file, this.limits)
    if (this.unpacked > limit) throw packageTooLarge(`The package holds more than ${limit} bytes unpacked.`)
  }
}

/** Returns the limit for all files together. Media hardly compress, so twice the size of a large package is enough. */
function maxTotalUnpackedBytes({ size }: ZipSource, { unpacked }: PackageLimits): number {
  return Math.max(unpacked, 2 * size)
}

function maxUnpackedBytes(packed: number, ratio: number): number {
  return Math.max(RATIO_FROM_BYTES, ratio * packed)
}

function toFileFault(error: unknown): unknown {
  if (!(error instanceof UnreadableItem)) return error
  return error.code === 'too_large' ? packageTooLarge(error.detail) : invalidPackage(error.detail)
}

function readZip(file: ZipSource, limits: PackageLimits): ZipEntry[] {
  try {
    return readDirectory(file, {
      entries: limits.entries,
      bytes: maxTotalUnpackedBytes(file, limits),
      ratio: (name) => (isCollection(name) ? MAX_COLLECTION_RATIO : MAX_RATIO),
    })
  } catch (error) {
    if (!(error instanceof ZipFault)) throw error
    throw error.why === 'too_large' ? packageTooLarge(error.detail) : invalidPackage(error.detail)
  }
}

function isCollection(name: string): boolean {
  return COLLECTIONS.some(([collection]) => collection === name)
}
