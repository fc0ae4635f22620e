import { Elysia, type Static, t } from 'elysia'
import { readWholeBlob } from '../../blobs/blob'
import type { Context, Reader, Session, Snapshot } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, busy, invalid } from '../../http/api-error'
import { refuseTrashed } from '../../http/resource'
import { sendAttachment, streamExport } from '../../http/responses'
import { AS_FLAG, closed, Flag, Id } from '../../http/schema'
import { fromDay } from '../../lib/civil/day'
import { FileFault } from '../../lib/file-fault'
import { createSlots } from '../../lib/steps'
import { loadDeck } from '../decks/deck'
import { readStudy } from '../decks/study'
import type { MediaRow } from '../media/store'
import {
  type FactWithCards,
  listDecksWithPaths,
  listMediaNamesOfFact,
  readAllMedia,
  readFactsWithCards,
  settingsOf,
  toAnkiFact,
  toTextFacts,
} from './content'

const ExportQuery = t.Object(
  {
    format: t.Union([t.Literal('apkg'), t.Literal('colpkg'), t.Literal('csv')], {
      description:
        'apkg: what Anki adds to a collection, and updates in it; its cards that exist keep their schedule. colpkg: a whole collection, which **replaces** the one that it is imported into, so it takes neither `deck_id` nor `scheduling=false`.',
      error: 'must be apkg, colpkg or csv',
    }),
    deck_id: t.Optional(t.String({ ...Id, description: 'Exports only this deck and its subdecks.' })),
    scheduling: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description: 'Includes schedules and the log, unless `false`.',
      }),
    ),
    media: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description: 'Includes media, unless `false`.',
      }),
    ),
  },
  closed,
)

type ExportQuery = Static<typeof ExportQuery>

const MAX_BYTES = 128 * 1024 * 1024
/** Packages that are built at the same time, in all workspaces. Each is held in memory as a whole. */
const MAX_PACKAGES = 2

interface Deps extends Pick<Context, 'now'> {
  readonly snapshot: () => Promise<Snapshot>
  readonly limit?: number
}

interface ExportOptions {
  /** The id of a deck, to export only it and its subdecks; null: all decks. */
  readonly deck: string | null
  readonly scheduling: boolean
  readonly media: boolean
  /** Whether a package replaces a collection, or is added to one. */
  readonly whole?: boolean
}

export type StudyExports = ReturnType<typeof createStudyExports>

/**
 * Creates the exports of flashcards as one file. They read one snapshot, and yield to other requests every few facts.
 */
export function createStudyExports({ now, snapshot, limit = MAX_BYTES }: Deps) {
  const slots = createSlots(MAX_PACKAGES)

  async function* csv(reader: Reader, { deck }: ExportOptions): AsyncGenerator<string> {
    const { csvHeader, csvLine } = await import('../formats/csv')
    yield csvHeader()
    for await (const fact of readFactsWithCards(reader, await listDecksWithPaths(reader, deck), false))
      for (const line of await toTextFacts(fact)) yield csvLine(line, fact.deck.path)
  }

  async function* ankiPackage(reader: Reader, asked: ExportOptions): AsyncGenerator<Uint8Array> {
    const { deck, scheduling, media, whole = false } = asked
    const study = await readStudy(reader, now())
    const decks = await listDecksWithPaths(reader, deck)
    const used = trackUsedMedia(reader, deck)
    const facts = used.from(readFactsWithCards(reader, decks, scheduling))
    // Only packages need the HTML libraries, so they are loaded on first use.
    const { writePackage } = await import('../anki/write-package')
    yield* writePackage({
      today: fromDay(study.today),
      clock: study.clock,
      whole: whole ? study : null,
      decks: decks.map((one) => ({ ...one, settings: settingsOf(one, study) })),
      facts: mapEach(facts, (fact) => toAnkiFact(fact, study, scheduling)),
      media: media ? withBytes(reader, used.media()) : [],
      mediaBytes: async () => {
        let bytes = 0
        // The package also contains a list of the names.
        if (media)
          for await (const { name, size_bytes } of used.media()) bytes += size_bytes + Buffer.byteLength(name) * 2 + 12
        return bytes
      },
      limit,
    })
  }

  /** Writes text twice: the first time only to check its size before the first byte is sent. */
  async function* text(write: () => AsyncGenerator<string>) {
    let bytes = 0
    for await (const piece of write()) {
      bytes += Buffer.byteLength(piece)
      if (bytes > limit) throw new ApiError('too_large', `The export would have more than ${limit} bytes.`)
    }
    for await (const piece of joinPieces(write())) yield Buffer.from(piece)
  }

  async function* packed(reader: Reader, asked: ExportOptions) {
    try {
      yield* slots.use(() => ankiPackage(reader, asked))
    } catch (error) {
      throw error instanceof FileFault ? new ApiError('too_large', error.detail) : error
    }
  }

  return {
    /**
     * Streams the file, which is built while it is read. It must be read to its end or cancelled.
     * @throws ApiError invalid_request, not_found, conflict for a deck in the trash, too_large, unavailable; all before
     * the first byte
     */
    async export(session: Session, query: ExportQuery): Promise<ReadableStream<Uint8Array>> {
      const { format, deck_id: deck = null } = query
      const whole = format === 'colpkg'
      if (whole) requireWhole(query)
      if (deck !== null) refuseTrashed(await loadDeck(session, deck), 'deck')
      const asked = { deck, scheduling: query.scheduling !== 'false', media: query.media !== 'false', whole }
      const isPackage = format === 'apkg' || format === 'colpkg'
      if (isPackage && !slots.isFree()) throw busy('Other packages are being made. Try again in a moment.')
      const { workspace, deadline } = session
      return streamExport(
        { now, snapshot },
        (db) => (isPackage ? packed({ db, workspace }, asked) : text(() => csv({ db, workspace }, asked))),
        deadline,
      )
    },

    /** Waits for a free slot. Throws too_large before the first bytes. It must be read to its end or returned. */
    packageOf: (reader: Reader): AsyncGenerator<Uint8Array> =>
      packed(reader, { deck: null, scheduling: true, media: true }),
  }
}

/** Throws invalid_request if a collection that replaces another would lack what that has. */
function requireWhole({ deck_id, scheduling }: ExportQuery): void {
  const why = 'a colpkg replaces the whole collection in Anki'
  if (deck_id !== undefined) throw invalid('/deck_id', 'not_allowed', `${why}: take apkg for some of the decks`)
  if (scheduling === 'false')
    throw invalid('/scheduling', 'not_allowed', `${why}, with the log: take apkg to leave that out`)
}

/** Tracks the media to export: those used by the facts that pass through `from`, or all if no deck is given. */
function trackUsedMedia(reader: Reader, deck: string | null) {
  const names = deck === null ? null : new Set<string>()
  return {
    async *from(facts: AsyncIterable<FactWithCards>): AsyncGenerator<FactWithCards> {
      for await (const whole of facts) {
        if (names) for (const name of listMediaNamesOfFact(whole.fact)) names.add(name)
        yield whole
      }
    },
    async *media() {
      for await (const media of readAllMedia(reader)) if (names === null || names.has(media.name)) yield media
    },
  }
}

async function* withBytes(reader: Reader, media: AsyncIterable<MediaRow>) {
  for await (const { name, sha256 } of media) {
    const bytes = await readWholeBlob(reader, sha256)
    if (bytes) yield { name, bytes }
  }
}

async function* mapEach<From, To>(items: AsyncIterable<From>, change: (item: From) => To): AsyncGenerator<To> {
  for await (const item of items) yield change(item)
}

/** Joins the chunks of facts to pieces of at least PIECE_CHARS. */
async function* joinPieces(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = ''
  for await (const piece of pieces) {
    waiting += piece
    if (waiting.length < PIECE_CHARS) continue
    yield waiting
    waiting = ''
  }
  yield waiting
}

const PIECE_CHARS = 64 * 1024

/** May take longer than other paths: the largest package is built before its first byte is sent. */
export const STUDY_EXPORT_PATH = '/api/flashcards/export'

const FILES = {
  apkg: { type: 'application/octet-stream', name: 'flashcards.apkg' },
  colpkg: { type: 'application/octet-stream', name: 'flashcards.colpkg' },
  csv: { type: 'text/csv; charset=utf-8', name: 'flashcards.csv', compressible: true },
} as const

const file = { type: 'string', format: 'binary', description: 'The file as it is.' } as const

export function exportFlashcardsRoutes({ exports, api }: { exports: StudyExports; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Flashcards in and out'] })
    .use(api)
    .get(
      '/export',
      async ({ request, query, session }) =>
        sendAttachment(request, await exports.export(session, query), FILES[query.format]),
      {
        query: ExportQuery,
        response: {
          200: t.Any({ description: 'The flashcards as one file.' }),
        },
        detail: {
          operationId: 'exportFlashcards',
          summary: 'Export flashcards',
          description:
            'All facts outside the trash as of one moment: an Anki package that every version reads, a whole collection for Anki, or CSV (content alone). Each can be imported again. At most 128 MiB. CSV comes with `Content-Encoding: gzip` to those who accept it; imports take it, too. `GET /api/export` has all of them as JSON.',
          responses: {
            200: {
              description: 'The file.',
              content: {
                'application/octet-stream': { schema: file },
                'text/csv': { schema: file },
              },
            },
            404: {},
            409: {},
          },
        } as object,
      },
    )
}
