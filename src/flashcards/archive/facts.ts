import { type ArchivedType, readPages } from '../../archive/archived-type'
import { type ByteSource, readBlob } from '../../blobs/blob'
import type { StagingProgress } from '../../blobs/staging'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { writeStamps } from '../../http/resource'
import { createValidator } from '../../http/validation'
import { readStamps } from '../../http/values'
import { listCardsOfFact } from '../cards/card-store'
import type { StudyContext } from '../context'
import { type DeckRow, getDeck } from '../decks/deck-store'
import { readAllMedia } from '../export/content'
import { compareFaces, type UnsizedFact } from '../fact-writer'
import { canChangeType, readFact, toFact, toFactColumns, toFactMembers } from '../facts/fact'
import { type FactRow, getFact, listFactsAfter } from '../facts/fact-store'
import { isStorableSettings, MAX_NOTE_TYPE_BYTES, measureNoteType } from '../facts/note-type'
import { listNoteTypesAfter, type NoteTypeRow, noteTypeTable } from '../facts/note-type-store'
import { MEDIA_LIMITS } from '../media/media'
import { readMediaName } from '../media/media-file'
import { getMedia, type MediaRow, mediaTable } from '../media/store'
import { showNoteType } from '../note-types'
import { FactLine, MediaLine, NoteTypeLine, readLineStamps, readTrashState } from './lines'

/** Note types that are read at a time, with at most 10 MiB of templates. */
const NOTE_TYPES_READ = 10

const readNoteTypeLine = createValidator(NoteTypeLine, 'the note type')

/** The archive of note types. They never change, so one that is here already is kept. */
export function archivedNoteTypes({ noteTypeWriter }: StudyContext): ArchivedType {
  return {
    type: 'note_type',

    async *items(reader) {
      const list = (after: string) => listNoteTypesAfter(reader, after, NOTE_TYPES_READ)
      for await (const rows of readPages('', list, ({ id }) => id))
        for (const row of rows) yield showNoteType(row).resource
    },

    async merge(session, item) {
      const { id, revision, created_at, updated_at, settings, ...content } = readNoteTypeLine(item)
      const noteType = { ...content, settings: settings && isStorableSettings(settings) ? settings : null }
      if (await noteTypeTable.get(session, id)) return 'unchanged'
      if (measureNoteType(noteType) > MAX_NOTE_TYPE_BYTES)
        throw invalid('/templates', 'too_long', `a note type must have at most ${MAX_NOTE_TYPE_BYTES} bytes`)
      await noteTypeWriter.insert(session, { id, revision, ...readLineStamps({ created_at, updated_at }) }, noteType)
      return 'created'
    },
  }
}

/** Facts that are read at a time, with at most 10 MiB of texts. */
const FACTS_READ = 50

const readLine = createValidator(FactLine, 'the fact')
const toMedia = createValidator(MediaLine, 'the medium')

interface FactRemainder {
  readonly touched: readonly (readonly [id: string, revision: number])[]
  readonly lacksNote: boolean
}

/** Cards have their own lines; those without one are created at the end. Missing notes are left out and reported. */
export function archivedFacts({ factWriter, missingNotes }: StudyContext): ArchivedType {
  async function replace(session: Session, old: FactRow, next: UnsizedFact): Promise<FactRemainder['touched']> {
    if (!canChangeType(old.type, next.type))
      throw invalid('/type', 'type_fixed', `a ${old.type} fact cannot become ${next.type}`)
    const cards = await listCardsOfFact(session, old.key)
    const isOther = compareFaces(old, await factWriter.replace(session, old, next))
    return cards.filter(({ ordinal }) => isOther(ordinal)).map(({ id, revision }) => [id, revision])
  }

  return {
    type: 'fact',

    async *items(reader) {
      const list = (after: string) => listFactsAfter(reader, after, FACTS_READ)
      for await (const rows of readPages('', list, ({ id }) => id)) for (const row of rows) yield factLine(row)
    },

    async merge(session, item) {
      const fact = readLine(item)
      const old = await getFact(session, fact.id)
      // An import that stopped earlier may have left the fact without cards.
      if (old && old.revision >= fact.revision) return { action: 'unchanged', pending: NO_REMAINDER }
      const deck = await getDeck(session, fact.deck_id)
      if (!deck) throw invalid('/deck_id', 'unknown_deck', 'deck_id must be the id of a deck')
      const missing = await missingNotes(session, fact.note_ids)
      const lacksNote = missing.length > 0
      const noteType = fact.note_type_id === null ? null : await noteTypeTable.get(session, fact.note_type_id)
      if (fact.note_type_id !== null && !noteType)
        throw invalid('/note_type_id', 'unknown_note_type', 'note_type_id must be the id of a note type')
      const note_ids = fact.note_ids.filter((id) => !missing.includes(id))
      const row = readRow({ ...fact, note_ids }, deck, noteType)
      if (old) return { action: 'updated', pending: { touched: await replace(session, old, row), lacksNote } }
      await factWriter.insertWithoutCards(session, row)
      return { action: 'created', pending: { touched: [], lacksNote } }
    },

    async relate(session, item, left) {
      const { touched, lacksNote } = left as FactRemainder
      const revisions = new Map(touched)
      const fact = await getFact(session, readLine(item).id)
      // A card that was merged at a newer revision has recorded the change already.
      if (fact) await factWriter.syncCards(session, fact, (card) => revisions.get(card.id) === card.revision)
      return lacksNote ? [invalid('/note_ids', 'unknown_note', 'note_ids must be ids of notes')] : []
    },
  }
}

const NO_REMAINDER: FactRemainder = { touched: [], lacksNote: false }

function factLine(row: FactRow): FactLine {
  const { id, revision, created_at, updated_at, deleted_at, ...rest } = toFact(row).resource
  const { ordinals } = toFactMembers(row)
  const known = { trashed_with: row.trashed_with, ordinals: ordinals && [...ordinals] }
  return { id, revision, created_at, updated_at, deleted_at, ...known, ...rest }
}

/** Throws invalid_request. */
function readRow(fact: FactLine, deck: DeckRow, noteType: NoteTypeRow | null): UnsizedFact {
  const stamps = readStamps(fact)
  return {
    ...stamps,
    ...readTrashState({ ...stamps, trashed_with: fact.trashed_with }, deck),
    ...toFactColumns(readFact({ ...fact, note_type: noteType?.key ?? null })),
    deck: deck.key,
  }
}

/** The archive of media. Their bytes are separate files of it, and their types are detected again from the bytes. */
export function archivedMedia({ mediaWriter, blobs }: StudyContext): ArchivedType {
  return {
    type: 'media',

    async *items(reader) {
      for await (const row of readAllMedia(reader)) yield mediaLine(row)
    },

    async *files(reader) {
      for await (const { name, sha256 } of readAllMedia(reader)) {
        yield { name: `media/${name}`, content: readBlob(reader, sha256) }
      }
    },

    async merge(session, item, bytes, earlier) {
      const medium = toMedia(item)
      const { id, revision, sha256 } = medium
      const name = readMediaName(medium.name)
      const old = await mediaTable.get(session, id)
      if (old && old.revision >= revision) return 'unchanged'
      const holder = await getMedia(session, name)
      // The name already has the same bytes, so references to it work.
      if (!old && holder?.sha256 === sha256) return 'unchanged'
      if (old?.name !== holder?.name)
        throw new ApiError('conflict', 'The name is that of another medium here.', { existing_id: holder?.id ?? id })
      requireBytes(bytes, sha256, MEDIA_LIMITS[session.workspace.kind].file)
      const content = await blobs.stageStep(session, bytes, (earlier ?? null) as StagingProgress | null)
      if ('steps' in content) return { action: 'unchanged', pending: content, again: true }
      await mediaWriter.putStored(session, { id, revision, ...readLineStamps(medium), name, content }, old)
      return old ? 'updated' : 'created'
    },
  }
}

/** Throws invalid_request or too_large unless these are the bytes of the medium. */
function requireBytes(bytes: ByteSource | null, sha256: string, most: number): asserts bytes is ByteSource {
  if (!bytes) throw invalid('/name', 'missing_file', 'the archive holds no file of this medium, or a broken one')
  if (bytes.size > most) throw new ApiError('too_large', `A medium may have at most ${most} bytes.`)
  if (bytes.sha256 !== sha256) throw invalid('/sha256', 'invalid_value', 'sha256 must be that of the bytes')
}

function mediaLine(row: MediaRow): MediaLine {
  return { ...writeStamps(row), name: row.name, sha256: row.sha256 }
}
