import { ApiError, invalid } from '../../http/api-error'
import { parseJson } from '../../http/body'
import type { ReadItem, SourceFile } from '../../imports/kind'
import { decodeText } from './parsed'

/**
 * Our own export: `{ format, version, resources }`. Each resource is its line in the archive of the workspace, under
 * its type: `{ "deck": { … } }`. Resources come before those that refer to them. The bytes of media are not included.
 */

export const EXPORT_FORMAT = 'satchel-flashcards'
/** The version, the only one that is read. It grows if a reader of before would misread the file. */
export const EXPORT_VERSION = 1

const TYPES = ['study_settings', 'deck', 'note_type', 'fact', 'card', 'review', 'media'] as const

/** A file that is read in pieces. */
interface Bytes extends Pick<SourceFile, 'size'> {
  read(offset: number, length: number): Uint8Array
}

interface JsonOptions {
  /** `drop` leaves out cards and reviews. */
  readonly scheduling?: 'keep' | 'drop'
  /** The id of the deck to put top-level decks into. */
  readonly deck_id?: string
}

/** A resource of the file, under its type. */
export type Exported = Partial<Readonly<Record<(typeof TYPES)[number], object>>>

/** Writes the file in pieces, one for each resource. */
export async function* writeJson(resources: AsyncIterable<Exported>): AsyncGenerator<string> {
  yield `{"format":"${EXPORT_FORMAT}","version":${EXPORT_VERSION},"resources":[`
  let between = '\n'
  for await (const resource of resources) {
    yield between + JSON.stringify(resource)
    between = ',\n'
  }
  yield '\n]}\n'
}

/**
 * Reads the file, one resource at a time. The merge validates the resources. Throws invalid_request for another format
 * or version, invalid_json, too_large.
 */
export function* readJsonExport(file: Bytes, params: JsonOptions): Generator<ReadItem> {
  let index = 0
  for (const { isResource, bytes } of split(file)) {
    const value = parseJson(decodeText(bytes))
    if (isResource) yield* itemsOf(value, `resources[${index++}]`, params)
    else requireFormat(value)
  }
}

function requireFormat(file: unknown): void {
  const { format, version, resources } = membersOf(file)
  if (format !== EXPORT_FORMAT)
    throw invalid('/format', 'unknown_format', `The file must be an export: "${EXPORT_FORMAT}".`)
  if (version !== EXPORT_VERSION)
    throw invalid('/version', 'unknown_version', `The export must be of version ${EXPORT_VERSION}.`)
  // A list that is too far after its name would not be found, so such a file is refused.
  if (!Array.isArray(resources) || resources.length > 0)
    throw invalid('/resources', 'invalid_value', 'resources must be a list right after its name')
}

function* itemsOf(resource: unknown, where: string, params: JsonOptions): Generator<ReadItem> {
  const [[name, value] = [], ...more] = Object.entries(membersOf(resource))
  const type = TYPES.find((one) => one === name)
  if (!type || more.length > 0)
    yield { where, type: 'resource', fault: { code: 'invalid_value', detail: `${where} is not as exported.` } }
  else if (params.scheduling !== 'drop' || (type !== 'card' && type !== 'review'))
    yield { where, type, value: type === 'deck' ? placed(value, params) : value }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {}
}

/** Puts a top-level deck into the deck that the request names. */
function placed(value: unknown, { deck_id }: JsonOptions): unknown {
  const deck = membersOf(value)
  return deck_id !== undefined && deck.parent_id === null ? { ...deck, parent_id: deck_id } : value
}

/** The bytes that are read at a time. */
const READ_BYTES = 1024 * 1024
/**
 * The most bytes of one resource, and of the rest of the file. A fact whose texts are all escapes has about 600 KiB.
 */
const PART_BYTES = 4 * 1024 * 1024

const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('",[\\]{}')

interface Part {
  readonly isResource: boolean
  readonly bytes: Uint8Array
}

/**
 * Yields each value of the list `resources`, and last the file with that list empty. Only one of these is held in
 * memory.
 */
function* split(file: Bytes): Generator<Part> {
  const [rest, value] = [new PieceBuffer(), new PieceBuffer()]
  let [depth, isText, isEscaped, isInList, isEmpty] = [0, false, false, false, true]
  for (let at = 0; at < file.size; ) {
    const bytes = file.read(at, READ_BYTES)
    at += bytes.length
    let from = 0
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]
      if (isText) {
        isText = byte !== QUOTE || isEscaped
        isEscaped = byte === BACKSLASH && !isEscaped
      } else if (byte === QUOTE) isText = true
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth++
        const opens =
          byte === OPEN_LIST && depth === 2 && /(?<!\\)"resources"\s*:\s*$/.test(rest.end(bytes.subarray(from, i)))
        if (opens) rest.add(bytes.subarray(from, i + 1))
        if (opens) from = i + 1
        isInList ||= opens
      } else if (isInList && depth === 2 && (byte === COMMA || byte === CLOSE_LIST)) {
        const one = value.take(bytes.subarray(from, i))
        isEmpty &&= byte === CLOSE_LIST && one.every((each) => each <= 0x20)
        if (!isEmpty) yield { isResource: true, bytes: one }
        isInList = byte === COMMA
        if (!isInList) depth--
        from = isInList ? i + 1 : i
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
    }
    const part = isInList ? value : rest
    part.add(bytes.subarray(from))
  }
  yield { isResource: false, bytes: rest.take(new Uint8Array()) }
}

/** Collects bytes in the pieces in which they were read. */
class PieceBuffer {
  #pieces: Uint8Array[] = []
  #size = 0

  add(bytes: Uint8Array): void {
    this.#size += bytes.length
    if (this.#size > PART_BYTES)
      throw new ApiError(
        'too_large',
        `A resource may have at most ${PART_BYTES} bytes, and so may the rest of the file.`,
      )
    if (bytes.length > 0) this.#pieces.push(bytes)
  }

  /** Returns all bytes, followed by these, and empties the buffer. */
  take(bytes: Uint8Array): Uint8Array {
    this.add(bytes)
    const all = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#size = 0
    return all
  }

  /** Returns the last NAME_BYTES, followed by these, as text. */
  end(bytes: Uint8Array): string {
    const last = [bytes.subarray(-NAME_BYTES)]
    for (const piece of this.#pieces.slice(-NAME_BYTES)) last.splice(-1, 0, piece.subarray(-NAME_BYTES))
    return Buffer.concat(last).toString('latin1')
  }
}

const NAME_BYTES = 64
