import { ItemFault } from '../../http/item-fault'
import { ArchiveFault, readDirectory, readEntryBytes, sourceOf, type ZipEntry } from '../../zip/read'
import { invalid, PackageFault, tooLarge } from './fault'
import type { PackageLimits } from './limits'
import { numberOf, readFields, textOf } from './protobuf'
import { unzstd } from './zstd'

/** `legacy1`, `legacy2`: schema 11, files raw. `latest`: schema 18, all packed with zstd. */
export type Layout = 'legacy1' | 'legacy2' | 'latest'

export interface PackedMedia {
  readonly name: string
  /** Throws ItemFault (corrupt_entry, too_large, missing_entry …), and PackageFault past the limit of all together. */
  read(): Uint8Array
}

/** An opened .apkg or .colpkg. */
export interface AnkiPackage {
  readonly layout: Layout
  /** A SQLite database that nobody vouches for. */
  readonly collection: Uint8Array
  readonly media: readonly PackedMedia[]
}

/** Better packed parts are taken for bombs if they are over 1 MiB. */
const MAX_RATIO = 100
const MAX_COLLECTION_RATIO = 200
const RATIO_FROM_BYTES = 1024 * 1024
/** Ten thousand names of the greatest length, with what stands beside each. */
const MAX_MAP_BYTES = 4 * 1024 * 1024
const COLLECTIONS: readonly [name: string, layout: Layout][] = [
  ['collection.anki21b', 'latest'],
  ['collection.anki21', 'legacy2'],
  ['collection.anki2', 'legacy1'],
]

/** Opens a package; media stays packed. Throws PackageFault. */
export function openPackage(bytes: Uint8Array, limits: PackageLimits): AnkiPackage {
  const parts = new Parts(bytes, limits)
  const version = readVersion(parts)
  const [name, layout] = chooseCollection(parts, version)
  const collection = parts.whole(name, limits.collection, layout === 'latest', MAX_COLLECTION_RATIO)
  return { layout, collection, media: readMedia(parts, layout, limits) }
}

/** The version that `meta` names, or null without one. */
function readVersion(parts: Parts): number | null {
  if (!parts.has('meta')) return null
  const version = numberOf(parts.whole('meta', MAX_MAP_BYTES, false), 1)
  if (version < 1 || version > 3)
    throw new PackageFault('unsupported_package', 'The package is of a version that is not known here.')
  return version
}

/** Newer layouts bring a collection of the old name that only asks for an update: it is never the one to read. */
function chooseCollection(parts: Parts, version: number | null): (typeof COLLECTIONS)[number] {
  const found = COLLECTIONS.find(([name]) => parts.has(name))
  if (!found) throw invalid('The package holds no collection.')
  const [, layout] = found
  const least = { 1: 'legacy1', 2: 'legacy2', 3: 'latest' }[version ?? 1]
  if (layout !== least && (layout === 'legacy1' || least === 'latest'))
    throw invalid('The package lacks the collection that its version promises.')
  return found
}

function readMedia(parts: Parts, layout: Layout, limits: PackageLimits): PackedMedia[] {
  if (!parts.has('media')) return []
  const map = parts.whole('media', MAX_MAP_BYTES, layout === 'latest')
  const names = layout === 'latest' ? namesOfMessage(map) : namesOfJson(map)
  if (names.length > limits.entries) throw tooLarge(`The package lists more than ${limits.entries} media files.`)
  return names.map(([entry, name]) => ({
    name,
    read: () => parts.read(entry, limits.mediaFile, layout === 'latest', MAX_RATIO),
  }))
}

function namesOfMessage(map: Uint8Array): [entry: string, name: string][] {
  const entries = [...readFields(map)].filter(({ number }) => number === 1)
  return entries.map(({ value }, index) => {
    if (typeof value === 'number') throw invalid('The list of media is broken.')
    return [String(index), textOf(value, 1)]
  })
}

function namesOfJson(map: Uint8Array): [entry: string, name: string][] {
  const names = parseJson(map)
  if (typeof names !== 'object' || names === null || Array.isArray(names)) throw invalid('The list of media is broken.')
  return Object.entries(names).map(([entry, name]) => {
    if (typeof name !== 'string') throw invalid('The list of media is broken.')
    return [entry, name]
  })
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalid('The list of media is broken.')
  }
}

/** The entries of a package that have a meaning, and how much of them was unpacked. */
class Parts {
  private readonly entries: ReadonlyMap<string, ZipEntry>
  private unpacked = 0

  constructor(
    private readonly bytes: Uint8Array,
    private readonly limits: PackageLimits,
  ) {
    const known = readZip(bytes, limits).filter(({ name }) => isCollection(name) || /^(meta|media|\d{1,9})$/.test(name))
    if (known.some(({ fault }) => fault?.code === 'duplicate_name'))
      throw invalid('The package holds two entries of one name.')
    this.entries = new Map(known.map((entry) => [entry.name, entry]))
  }

  has(name: string): boolean {
    return this.entries.has(name)
  }

  /** A part without which nothing can be read. Throws PackageFault. */
  whole(name: string, limit: number, packed: boolean, ratio = MAX_RATIO): Uint8Array {
    try {
      return this.read(name, limit, packed, ratio)
    } catch (error) {
      if (!(error instanceof ItemFault)) throw error
      throw error.code === 'too_large' ? tooLarge(error.detail) : invalid(error.detail)
    }
  }

  read(name: string, limit: number, packed: boolean, ratio: number): Uint8Array {
    const entry = this.entries.get(name)
    if (!entry) throw new ItemFault('missing_entry', 'The package does not hold the file.')
    if (entry.size > limit) throw new ItemFault('too_large', `A part of the package holds more than ${limit} bytes.`)
    const raw = readEntryBytes(sourceOf(this.bytes), entry)
    const content = packed ? unzstd(raw, Math.min(limit, Math.max(RATIO_FROM_BYTES, ratio * raw.length))) : raw
    this.unpacked += content.length
    if (this.unpacked > this.limits.unpacked)
      throw tooLarge(`The package holds more than ${this.limits.unpacked} bytes unpacked.`)
    return content
  }
}

function readZip(bytes: Uint8Array, limits: PackageLimits): ZipEntry[] {
  try {
    return readDirectory(sourceOf(bytes), {
      entries: limits.entries,
      bytes: limits.unpacked,
      ratio: (name) => (isCollection(name) ? MAX_COLLECTION_RATIO : MAX_RATIO),
    })
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error
    throw error.code === 'too_large' ? tooLarge(error.message) : invalid(error.message)
  }
}

function isCollection(name: string): boolean {
  return COLLECTIONS.some(([collection]) => collection === name)
}
