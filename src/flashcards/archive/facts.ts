import type { ArchivedType } from '../../archive/archived-type'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { WorkspaceUsage } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { readOptional, writeInstant } from '../../http/values'
import { listCardsOfFact } from '../card-store'
import { type DeckRow, getDeck } from '../deck-store'
import { factColumns, mayBecome, readFact, toFact } from '../fact'
import { withSource } from '../fact-source'
import { type FactRow, getFact, listFactsAfter } from '../fact-store'
import { type FactWriter, otherFaces, type UnsizedFact } from '../fact-writer'
import { checkedMediaName } from '../media/media-file'
import { countMediaBytes, getBlob, getMedia, getMediaById, listMedia, type MediaRow } from '../media/store'
import { MEDIA_LIMITS, type MediaWriter, sha256Of } from '../media/writer'
import { FactLine, inTrashOf, MediaLine, readLineStamps } from './lines'

/** Facts that are read at a time: 10 MiB of texts at most. */
const FACTS_READ = 50
/** Names that are read at a time. */
const MEDIA_READ = 500

const checkedLine = createValidator(FactLine, 'the fact')
const toMedia = createValidator(MediaLine, 'the medium')

/** What a fact leaves: ids and revisions of the cards that show something else of it, and whether it lost a note that is not here. */
interface LeftOfFact {
  readonly touched: readonly (readonly [id: string, revision: number])[]
  readonly lacksNote: boolean
}

interface FactDeps {
  readonly factWriter: FactWriter
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/**
 * Facts. Their cards come on their own; those that do not come are made in the end. A note that is not here is left out, and
 * reported.
 */
export function archivedFacts({ factWriter, missingNotes }: FactDeps): ArchivedType {
  async function replace(session: Session, old: FactRow, next: UnsizedFact): Promise<LeftOfFact['touched']> {
    if (!mayBecome(old.type, next.type))
      throw invalid('/type', 'type_fixed', `a ${old.type} fact cannot become ${next.type}`)
    const cards = await listCardsOfFact(session.db, session.workspace.id, old.key)
    const isOther = otherFaces(old, await factWriter.replace(session, old, next))
    return cards.filter(({ ordinal }) => isOther(ordinal)).map(({ id, revision }) => [id, revision])
  }

  return {
    type: 'fact',

    async *items(db, workspace) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const rows: FactRow[] = await listFactsAfter(db, workspace, after, FACTS_READ)
        for (const row of rows) yield factLine(row)
        after = rows.length < FACTS_READ ? undefined : rows.at(-1)?.id
      }
    },

    async merge(session, item) {
      const fact = toShape(item)
      const { db, workspace } = session
      const old = await getFact(db, workspace.id, fact.id)
      // An import that was stopped may have left it without its cards.
      if (old && old.revision >= fact.revision) return { action: 'unchanged', pending: NOTHING }
      const deck = await getDeck(db, workspace.id, fact.deck_id)
      if (!deck) throw invalid('/deck_id', 'unknown_deck', 'deck_id must be the id of a deck')
      const missing = await missingNotes(session, fact.note_ids)
      const lacksNote = missing.length > 0
      const row = rowOf({ ...fact, note_ids: fact.note_ids.filter((id) => !missing.includes(id)) }, deck)
      if (old) return { action: 'updated', pending: { touched: await replace(session, old, row), lacksNote } }
      await factWriter.insertAlone(session, row)
      return { action: 'created', pending: { touched: [], lacksNote } }
    },

    async relate(session, item, left) {
      const { touched, lacksNote } = left as LeftOfFact
      const revisions = new Map(touched)
      const fact = await getFact(session.db, session.workspace.id, toShape(item).id)
      // A card that came with a revision of its own has recorded the change already.
      if (fact) await factWriter.settle(session, fact, (card) => revisions.get(card.id) === card.revision)
      return lacksNote ? [invalid('/note_ids', 'unknown_note', 'note_ids must be ids of notes')] : []
    },
  }
}

const NOTHING: LeftOfFact = { touched: [], lacksNote: false }

/** A line, which may be of an older version. Throws invalid_request. */
function toShape(item: unknown): FactLine {
  return checkedLine(withSource(item))
}

export function factLine(row: FactRow): FactLine {
  const { id, revision, created_at, updated_at, deleted_at, ...rest } = toFact(row).resource
  return { id, revision, created_at, updated_at, deleted_at, trashed_with: row.trashed_with, ...rest }
}

/** Throws invalid_request. */
function rowOf(fact: FactLine, deck: DeckRow): UnsizedFact {
  const { id, revision, created_at, updated_at, deleted_at, trashed_with, deck_id: _, ...content } = fact
  return {
    id,
    revision,
    ...readLineStamps({ created_at, updated_at }),
    ...inTrashOf({ deleted_at: readOptional(deleted_at, '/deleted_at'), trashed_with }, deck),
    ...factColumns(readFact(content)),
    deck: deck.key,
  }
}

interface MediaDeps {
  readonly mediaWriter: MediaWriter
  /** What the workspace holds. */
  readonly usage: (session: Session) => Promise<Pick<WorkspaceUsage, 'size_bytes'>>
}

/** Media, whose bytes are files of the archive: what they are is read from the bytes again. */
export function archivedMedia({ mediaWriter, usage }: MediaDeps): ArchivedType {
  async function requireRoom(session: Session): Promise<void> {
    const { all } = MEDIA_LIMITS[session.workspace.kind]
    // A workspace that is smaller than that holds no more media either: only others are counted.
    if ((await usage(session)).size_bytes <= all) return
    if ((await countMediaBytes(session.db, session.workspace.id)) > all)
      throw new ApiError('quota_exceeded', `The media of this workspace may have at most ${all} bytes together.`)
  }

  return {
    type: 'media',

    async *items(db, workspace) {
      for await (const row of allMedia(db, workspace)) yield mediaLine(row)
    },

    async *files(db, workspace) {
      for await (const { name, sha256 } of allMedia(db, workspace)) {
        const content = await getBlob(db, workspace, sha256)
        if (!content) throw new Error(`medium ${name} has no bytes`)
        yield { name: `media/${name}`, content }
      }
    },

    async merge(session, item, bytes) {
      const medium = toMedia(item)
      const { db, workspace } = session
      const { id, revision, sha256 } = medium
      const name = checkedMediaName(medium.name)
      const old = await getMediaById(db, workspace.id, id)
      if (old && old.revision >= revision) return 'unchanged'
      const holder = await getMedia(db, workspace.id, name)
      // The same bytes under the same name: references to it still work.
      if (!old && holder?.sha256 === sha256) return 'unchanged'
      if (old?.name !== holder?.name)
        throw new ApiError('conflict', 'The name is that of another medium here.', { existing_id: holder?.id ?? id })
      requireBytes(bytes, sha256, MEDIA_LIMITS[workspace.kind].file)
      await mediaWriter.putStored(session, { id, revision, ...readLineStamps(medium), name, sha256, bytes }, old)
      await requireRoom(session)
      return old ? 'updated' : 'created'
    },
  }
}

/** By name. */
export async function* allMedia(...[db, workspace]: Parameters<ArchivedType['items']>): AsyncGenerator<MediaRow> {
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const rows: MediaRow[] = await listMedia(db, workspace, { after, limit: MEDIA_READ })
    yield* rows
    after = rows.length < MEDIA_READ ? undefined : rows.at(-1)?.name
  }
}

/** Throws invalid_request, too_large. */
function requireBytes(bytes: Uint8Array | null, sha256: string, most: number): asserts bytes is Uint8Array {
  if (!bytes) throw invalid('/name', 'missing_file', 'the archive holds no file of this medium, or a broken one')
  if (bytes.length > most) throw new ApiError('too_large', `A medium may have at most ${most} bytes.`)
  if (sha256Of(bytes) !== sha256) throw invalid('/sha256', 'invalid_value', 'sha256 must be that of the bytes')
}

export function mediaLine({ id, revision, created_at, updated_at, name, sha256 }: MediaRow): MediaLine {
  const stamps = { created_at: writeInstant(created_at), updated_at: writeInstant(updated_at) }
  return { id, revision, ...stamps, name, sha256 }
}
