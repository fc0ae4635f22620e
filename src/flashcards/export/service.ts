import type { ReadQueries } from '../../archive/archived-type'
import type { Context } from '../../db/context'
import type { Session, Snapshot, Workspace, WorkspaceId } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { refuseTrashed } from '../../http/resource'
import { streamChunks } from '../../http/responses'
import { fromDay } from '../../lib/civil/day'
import { FileFault } from '../../lib/file-fault'
import { deckLine, settingsLine } from '../archive/decks'
import { mediaLine } from '../archive/facts'
import { loadDeck } from '../deck-tree'
import { toFact } from '../fact'
import { csvHeader, csvLine } from '../formats/csv'
import { type Exported, writeJson } from '../formats/json'
import { getBlob } from '../media/store'
import { getSettings } from '../settings-store'
import { readStudy } from '../study'
import {
  type ExportSource,
  listExportedMedia,
  listMediaNames,
  listPlacedDecks,
  readWholeFacts,
  type WholeFact,
} from './content'
import { toAnkiFact, toArchiveLines } from './forms'
import type { ExportQuery } from './schema'

/** How many bytes an export may have. */
const MAX_BYTES = 128 * 1024 * 1024
/** How long an export may take, in milliseconds: its snapshot keeps the database's log from being tidied. */
const EXPORT_MS = 30 * 60 * 1000
/** Packages that are made at the same time, in all workspaces: each is in memory as a whole. */
const MAX_PACKAGES = 2

interface Deps extends Pick<Context, 'now'> {
  readonly snapshot: () => Promise<Snapshot>
  /** Bytes; for tests. */
  readonly limit?: number
}

/** What to export. */
interface Asked {
  /** The id of the only deck, with its subdecks; null: all. */
  readonly deck: string | null
  readonly scheduling: boolean
  readonly media: boolean
}

export type StudyExports = ReturnType<typeof createStudyExports>

/** Exports flashcards as one file, all as they were at one moment, a turn of the event loop for every few facts. */
export function createStudyExports({ now, snapshot, limit = MAX_BYTES }: Deps) {
  const slots = createSlots(MAX_PACKAGES)

  async function* csv(source: ExportSource, { deck }: Asked): AsyncGenerator<string> {
    yield csvHeader()
    for await (const { fact, deck: own } of readWholeFacts(source, await listPlacedDecks(source, deck), false))
      yield csvLine(toFact(fact).resource, own.path)
  }

  /** What the archive of the workspace has of these decks, but for what is in the trash. */
  async function* archived(source: ExportSource, { deck, scheduling, media }: Asked): AsyncGenerator<Exported> {
    const settings = deck === null ? await getSettings(source.read, source.workspace.id) : null
    const decks = await listPlacedDecks(source, deck)
    const used = usedNames(source, deck)
    // An import of one deck keeps the settings of its workspace, and needs the decks above this one.
    if (settings) yield { study_settings: settingsLine(settings) }
    for (const above of decks[0]?.chain.slice(1).reverse() ?? []) yield { deck: deckLine(above) }
    for (const one of decks) yield { deck: deckLine(one) }
    for await (const fact of used.from(readWholeFacts(source, decks, scheduling)))
      yield* toArchiveLines(fact, scheduling)
    if (media) for await (const medium of used.media()) yield { media: mediaLine(medium) }
  }

  async function* apkg(source: ExportSource, { deck, scheduling, media }: Asked): AsyncGenerator<Uint8Array> {
    const { read, workspace } = source
    const study = await readStudy({ db: read, workspace }, now())
    const decks = await listPlacedDecks(source, deck)
    const used = usedNames(source, deck)
    const facts = used.from(readWholeFacts(source, decks, scheduling))
    // Only packages hold HTML: the libraries for it are not loaded at the start.
    const { writePackage } = await import('../anki/write-package')
    yield* writePackage({
      today: fromDay(study.today),
      decks,
      facts: mapped(facts, (fact) => toAnkiFact(fact, study, scheduling)),
      media: media ? withBytes(source, used.media()) : [],
      mediaBytes: async () => {
        let bytes = 0
        // The package has a list of the names as well.
        if (media)
          for await (const { name, size_bytes } of used.media()) bytes += size_bytes + Buffer.byteLength(name) * 2 + 12
        return bytes
      },
      limit,
    })
  }

  function timed(read: ReadQueries, { id }: Pick<Workspace, 'id'>): ExportSource {
    const end = now() + EXPORT_MS
    const goOn = () => {
      if (now() > end) throw new Error('an export took too long')
    }
    return { read, workspace: { id }, goOn }
  }

  /** Runs a writer on a snapshot of this moment. */
  async function* onSnapshot<Chunk>(session: Session, write: (source: ExportSource) => AsyncGenerator<Chunk>) {
    const read = await snapshot()
    try {
      yield* write(timed(read, session.workspace))
    } finally {
      read.close()
    }
  }

  /** Text is made twice: once to know that it is not too large before its first byte is sent. */
  async function* text(source: ExportSource, write: (source: ExportSource) => AsyncGenerator<string>) {
    let bytes = 0
    for await (const piece of write(source)) {
      bytes += Buffer.byteLength(piece)
      if (bytes > limit) throw new ApiError('too_large', `The export would have more than ${limit} bytes.`)
    }
    for await (const piece of gathered(write(source))) yield Buffer.from(piece)
  }

  async function* packed(source: ExportSource, asked: Asked) {
    await slots.take()
    try {
      yield* apkg(source, asked)
    } catch (error) {
      throw error instanceof FileFault ? new ApiError('too_large', error.detail) : error
    } finally {
      slots.give()
    }
  }

  return {
    /**
     * The file, made while it is read; it must be read to its end or cancelled.
     * @throws ApiError not_found, conflict for a deck in the trash, too_large, unavailable: before the first byte
     */
    async export(session: Session, query: ExportQuery): Promise<ReadableStream<Uint8Array>> {
      const { format, deck_id: deck = null } = query
      if (deck !== null) refuseTrashed(await loadDeck(session, deck), 'deck')
      const asked = { deck, scheduling: query.scheduling !== 'false', media: query.media !== 'false' }
      const write = { csv, json: (from: ExportSource, what: Asked) => writeJson(archived(from, what)) }
      if (format === 'apkg' && !slots.isFree()) throw busy()
      return streamChunks(
        onSnapshot(
          session,
          (source): AsyncGenerator<Uint8Array> =>
            format === 'apkg' ? packed(source, asked) : text(source, (again) => write[format](again, asked)),
        ),
      )
    },

    /**
     * All of a workspace with its schedules and media as a package, as a snapshot shows it. It waits for its turn. Throws
     * too_large before the first bytes. It must be read to its end or returned.
     */
    packageOf(read: ReadQueries, workspace: WorkspaceId): AsyncGenerator<Uint8Array> {
      return packed(timed(read, { id: workspace }), { deck: null, scheduling: true, media: true })
    },
  }
}

function busy(): ApiError {
  const detail = 'Other packages are being made. Try again in a moment.'
  return new ApiError('unavailable', detail, {}, { 'Retry-After': '5' })
}

/** The media that go along: all, or those that the facts of one deck name. */
function usedNames(source: ExportSource, deck: string | null) {
  const names = deck === null ? null : new Set<string>()
  return {
    async *from(facts: AsyncIterable<WholeFact>): AsyncGenerator<WholeFact> {
      for await (const whole of facts) {
        if (names) for (const name of listMediaNames(whole.fact)) names.add(name)
        yield whole
      }
    },
    media: () => listExportedMedia(source, names),
  }
}

async function* withBytes({ read, workspace }: ExportSource, media: ReturnType<typeof listExportedMedia>) {
  for await (const { name, sha256 } of media) {
    const bytes = await getBlob(read, workspace.id, sha256)
    if (bytes) yield { name, bytes }
  }
}

async function* mapped<From, To>(items: AsyncIterable<From>, change: (item: From) => To): AsyncGenerator<To> {
  for await (const item of items) yield change(item)
}

/** Pieces of some kilobytes instead of a chunk for each fact. */
async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = ''
  for await (const piece of pieces) {
    waiting += piece
    if (waiting.length < PIECE_LENGTH) continue
    yield waiting
    waiting = ''
  }
  yield waiting
}

const PIECE_LENGTH = 64 * 1024

/** Lets so many run at a time: callers that cannot retry later wait in a queue. */
interface Slots {
  isFree(): boolean
  /** Resolves once there is room, first come, first served. */
  take(): Promise<void>
  /** Must follow on each `take`. */
  give(): void
}

function createSlots(count: number): Slots {
  const line: (() => void)[] = []
  let taken = 0
  return {
    isFree: () => taken < count,
    async take() {
      if (taken === count) return new Promise((resolve) => line.push(resolve))
      taken += 1
    },
    give() {
      const next = line.shift()
      if (next) next()
      else taken -= 1
    },
  }
}
