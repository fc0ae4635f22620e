import { parseJson } from '../../http/body'
import { FileFault } from '../../http/in-worker'
import { ItemFault } from '../../http/item-fault'
import { Refusal } from '../../http/problem'
import { readDirectory, readEntryElsewhere, type ZipEntry } from '../../zip/read'
import { type ArchiveLimits, dataFile, FORMAT, LINE_BYTES, MANIFEST, MANIFEST_BYTES, VERSION } from './archive'
import { faultOf, type LineFault } from './report'
import type { Line, Source } from './source'

const NEWLINE = 0x0a

/**
 * Opens the archive of a workspace, which anyone may have made. Everything but the lines themselves is looked at here:
 * what is wrong with the zip, its manifest or one of its data files refuses all of it.
 * @throws Refusal archive_refused
 */
export async function openArchive(bytes: Uint8Array, limits: ArchiveLimits, types: readonly string[]): Promise<Source> {
  try {
    const entries = new Map<string, ZipEntry>()
    // The second of two that have one name is shut, so the first one counts.
    for (const entry of readDirectory(bytes, limits)) if (!entries.has(entry.name)) entries.set(entry.name, entry)
    await checkManifest(bytes, entries.get(MANIFEST))
    const data = new Map<string, Uint8Array>()
    for (const type of types) {
      const entry = entries.get(dataFile(type))
      if (entry) data.set(type, await contentOf(bytes, entry))
    }
    refuseTooManyLines(data.values(), limits.lines)
    const known = new Set(types.map(dataFile))
    return {
      lines: (type) => linesOf(dataFile(type), data.get(type) ?? new Uint8Array()),
      file: async (name) => {
        const entry = entries.get(name)
        return entry ? readEntryElsewhere(bytes, entry).catch(nothingIfBroken) : null
      },
      unknown: [...entries.keys()].filter((name) => name.startsWith('data/') && !known.has(name)),
    }
  } catch (error) {
    throw error instanceof FileFault ? refused(error.message) : error
  }
}

async function checkManifest(bytes: Uint8Array, entry: ZipEntry | undefined): Promise<void> {
  if (!entry) throw refused(`This is no archive of a workspace: it has no ${MANIFEST}.`)
  if (entry.size > MANIFEST_BYTES) throw refused(`${MANIFEST} has more than ${MANIFEST_BYTES} bytes.`)
  const manifest = objectIn(await contentOf(bytes, entry))
  if (manifest?.format !== FORMAT)
    throw refused(`This is no archive of a workspace: ${MANIFEST} must be a JSON object with format ${FORMAT}.`)
  if (manifest.version !== VERSION) throw refused(`The archive is of a version that is not known here, not ${VERSION}.`)
}

function objectIn(content: Uint8Array): Readonly<Record<string, unknown>> | null {
  const line = read(content)
  return 'item' in line && typeof line.item === 'object' ? (line.item as Readonly<Record<string, unknown>>) : null
}

/** The bytes of a file without which nothing is imported. */
async function contentOf(bytes: Uint8Array, entry: ZipEntry): Promise<Uint8Array> {
  try {
    return await readEntryElsewhere(bytes, entry)
  } catch (error) {
    throw error instanceof ItemFault ? refused(`${entry.name}: ${error.detail}`) : error
  }
}

function refuseTooManyLines(contents: Iterable<Uint8Array>, most: number): void {
  let count = 0
  for (const content of contents)
    for (let at = content.indexOf(NEWLINE); at !== -1; at = content.indexOf(NEWLINE, at + 1))
      if (++count > most) throw refused(`The data files of an archive may have at most ${most} lines together.`)
}

async function* linesOf(name: string, content: Uint8Array): AsyncGenerator<Line> {
  let number = 0
  for (let at = 0; at < content.length; ) {
    const found = content.indexOf(NEWLINE, at)
    const end = found === -1 ? content.length : found
    number++
    // Who opened a file in an editor may have left an empty line at its end.
    if (end > at) yield { where: `${name}:${number}`, ...lineOf(content.subarray(at, end)) }
    at = end + 1
  }
}

function lineOf(bytes: Uint8Array): { item: unknown } | { fault: LineFault } {
  if (bytes.length <= LINE_BYTES) return read(bytes)
  return { fault: { code: 'too_long', detail: `A line may have at most ${LINE_BYTES} bytes.` } }
}

function read(bytes: Uint8Array): { item: unknown } | { fault: LineFault } {
  try {
    return { item: parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, detail } = faultOf(error)
      return { fault: { code, detail: detail.replace('The body', 'The line') } }
    }
    // The decoder's own: nothing else throws one here.
    if (error instanceof TypeError) return { fault: { code: 'invalid_json', detail: 'The line is not valid UTF-8.' } }
    throw error
  }
}

function nothingIfBroken(error: unknown): null {
  if (error instanceof ItemFault) return null
  throw error
}

function refused(detail: string): Refusal {
  return new Refusal('archive_refused', detail)
}
