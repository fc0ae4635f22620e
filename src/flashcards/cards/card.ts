import type { Change, RecordChange, RecordChanges } from '../../db/change-feed'
import type { Context, Reader, Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { changeOf, createLoad, hasMembers, revise, taken, writeTrashStamps } from '../../http/resource'
import type { Tagged } from '../../http/responses'
import { yieldTurn } from '../../lib/steps'
import { readInherited, type Study } from '../decks/study'
import { type CardFaces, makeCardFaces, type RightAnswers } from '../facts/fact'
import { type FactRow, getFactsByKeys } from '../facts/fact-store'
import type { NoteCard } from '../facts/note'
import type { NoteTypeContent } from '../facts/note-type'
import { loadNoteTypes } from '../facts/note-type-store'
import { retrievability } from '../scheduling/scheduler'
import { type CardSnapshot, showSnapshot } from '../scheduling/snapshot'
import { type StudyClock, startOfStudyDay, studyDay } from '../scheduling/study-day'
import type { Card } from './card-schema'
import { CARD_BYTES, type CardDraft, type CardRow, cardTable, getCard, updateMemory } from './card-store'
import { plainText } from './compare-answer'

type RenderNote = (fact: Pick<FactRow, 'note_type' | 'fields'>, ordinal: number) => NoteCard

/** Reads the note types of the custom ones of these facts, and returns what renders their cards. */
export async function loadNoteRenderer(
  reader: Reader,
  facts: readonly Pick<FactRow, 'type' | 'note_type'>[],
): Promise<RenderNote> {
  const custom = facts.filter(({ type }) => type === 'custom')
  if (custom.length === 0) return refuseNote
  const noteTypes = await loadNoteTypes(reader, custom)
  // Only notes need the HTML libraries, so they are loaded on first use.
  const { renderNoteCard } = await import('../facts/note')
  return ({ note_type, fields }, ordinal) => {
    const noteType = noteTypes.get(note_type ?? Number.NaN)
    return noteType ? renderNoteCard(noteType, JSON.parse(fields ?? '{}'), ordinal) : refuseNote()
  }
}

/** Pictures and sounds, which nobody types. */
const MEDIA = /!?\[[^[\]\n]{0,1000}\]\(media:[^()\s]{1,1000}\)/g

/** Returns the text of an answer in Markdown; if it has none, the names of its media, or its source. */
export function plainAnswer(markdown: string): string {
  const texts = [markdown.replace(MEDIA, ''), markdown].map((part) => plainText(part).trim())
  return texts.find((text) => text !== '') ?? markdown.trim()
}

/** Returns what the question of a card asks to type; null: nothing. */
export async function readTypedAnswer(
  { type, back, accepted, fields }: Pick<FactRow, 'type' | 'back' | 'accepted' | 'fields'>,
  noteType: NoteTypeContent | undefined,
  ordinal: number,
): Promise<RightAnswers | null> {
  const more = (JSON.parse(accepted) as string[]).map(plainAnswer)
  if (noteType && fields !== null) {
    // Only notes need the HTML libraries, so they are loaded on first use.
    const { readTypedField } = await import('../facts/note')
    const typed = readTypedField(noteType, JSON.parse(fields), ordinal)
    return typed && { ...typed, right: [...typed.right, ...more] }
  }
  return type === 'typed' ? { right: [plainAnswer(back ?? ''), ...more], ignores_accents: false } : null
}

function refuseNote(): never {
  throw new Error('a custom fact has no note type')
}

type Schedule = Omit<CardSnapshot, 'suspended' | 'leech'> & Pick<CardRow, 'suspended' | 'leech'>

/** Returns the snapshot of a card. Only one of due_at and due_day is stored; the other is computed. */
export function toSnapshot(card: CardRow, clock: StudyClock): CardSnapshot {
  const { due_at, due_day } = card
  return {
    ...toStoredSnapshot(card),
    due_at: due_at ?? (due_day === null ? null : startOfStudyDay(due_day, clock)),
    due_day: due_day ?? (due_at === null ? null : studyDay(due_at, clock)),
  }
}

/** Returns the snapshot of a card without the one of due_at and due_day that is not stored. */
export function toStoredSnapshot(card: CardRow): CardSnapshot {
  const { state, due_at, due_day, stability, difficulty, scheduled_days, step, reps, lapses } = card
  return {
    state,
    due_at,
    due_day,
    stability,
    difficulty,
    scheduled_days,
    step,
    reps,
    lapses,
    last_reviewed_at: card.last_reviewed_at,
    suspended: card.suspended === 1,
    leech: card.leech === 1,
    buried_until: card.buried_until,
  }
}

/** Converts a snapshot to columns. Of due_at and due_day, only the one that does not depend on the clock is stored. */
export function toScheduleColumns({ due_at, due_day, suspended, leech, ...rest }: CardSnapshot): Schedule {
  const kept = rest.state === 'review' ? { due_at: null, due_day } : { due_at, due_day: null }
  return { ...rest, ...kept, suspended: Number(suspended), leech: Number(leech) }
}

/** Converts a card to the API. Weights null: the default ones. */
function toCard(card: CardRow, faces: CardFaces, study: Study, weights: readonly number[] | null): Tagged<Card> {
  const { today, clock, revision } = study
  const snapshot = toSnapshot(card, clock)
  const { fact_id, deck_id, ordinal, flag, position } = card
  return {
    resource: {
      ...writeTrashStamps(card),
      fact_id,
      deck_id,
      ordinal,
      prompt: faces.prompt,
      answer: faces.answer,
      ...showSnapshot(snapshot),
      retrievability: retrievability(snapshot, today, weights, clock),
      flag,
      position,
    },
    etag: `"${card.revision}.${today}.${revision}"`,
  }
}

/** A card for the API, and the size of the texts of its fact in bytes. */
interface CardWithSize extends Tagged<Card> {
  readonly bytes: number
}

/** Bytes of a note of Anki above which it is rendered in a turn of the event loop of its own: about a millisecond. */
const TURN_BYTES = 4096

/** In the same order, with their chance of recall now. */
export async function showCards(session: Session, study: Study, cards: readonly CardRow[]): Promise<CardWithSize[]> {
  const own = Map.groupBy(cards, ({ fact }) => fact)
  const rows = await getFactsByKeys(session, [...own.keys()])
  const renderNotes = await loadNoteRenderer(session, rows)
  const facts = new Map<number, ReturnType<typeof makeFacesOfCards>>()
  for (const fact of rows) {
    if (facts.size > 0 && fact.type === 'custom' && fact.size_bytes > TURN_BYTES) await yieldTurn()
    facts.set(fact.key, makeFacesOfCards(fact, own.get(fact.key) ?? [], renderNotes))
  }
  const settings = await readInherited(
    session,
    study,
    cards.map(({ deck }) => deck),
  )
  return cards.map((card) => {
    const fact = facts.get(card.fact)
    if (!fact) throw new Error(`card ${card.id} has no fact`)
    const faces = fact.faces.get(card.ordinal) ?? makeEmptyFaces(card)
    const weights = settings.get(card.deck)?.effective.weights ?? null
    return { ...toCard(card, faces, study, weights), bytes: fact.bytes }
  })
}

export async function showCard(session: Session, study: Study, card: CardRow): Promise<CardWithSize> {
  const [shown] = await showCards(session, study, [card])
  if (!shown) throw new Error(`card ${card.id} is not shown`)
  return shown
}

function makeFacesOfCards(fact: FactRow, cards: readonly CardRow[], renderNote: RenderNote) {
  const ordinals = new Set(cards.map(({ ordinal }) => ordinal))
  const faces =
    fact.type === 'custom'
      ? [...ordinals].map((ordinal) => ({ ordinal, ...renderNote(fact, ordinal) }))
      : makeCardFaces(fact, ordinals)
  return { faces: new Map(faces.map((one) => [one.ordinal, one])), bytes: fact.size_bytes }
}

/** Returns the faces of a trashed card whose fact no longer has its side or number. */
function makeEmptyFaces({ ordinal }: CardRow): CardFaces {
  return { ordinal, prompt: '', answer: '' }
}

export const loadCard = createLoad('card', getCard)

/** Returns the card unless it is in the trash. Throws not_found. */
export async function requireUntrashedCard(session: Session, id: string): Promise<CardRow> {
  const card = await getCard(session, id)
  if (!card || card.deleted_at !== null) throw new ApiError('not_found', 'There is no card with this id.')
  return card
}

interface WriterDeps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly recordAll: RecordChanges
}

export type CardWriter = ReturnType<typeof createCardWriter>

/** The only writer of cards. Each call records the change. `session.db` must be a transaction. */
export function createCardWriter({ now, record, recordAll }: WriterDeps) {
  /** Stores an archived state of the card, with its revision, which must be higher, and its instants. */
  async function replace(session: Session, old: CardRow, asked: CardDraft): Promise<CardRow> {
    const card = await cardTable.update(session, { ...old, ...asked }, old)
    await record(session, changeOf('card', card, 0, 0))
    return card
  }

  return {
    replace,

    async insert(session: Session, draft: CardDraft): Promise<CardRow> {
      const card = await cardTable.insert(session, draft)
      if (!card) throw taken('A card with this id exists already.', draft.id)
      await record(session, changeOf('card', card, 0, CARD_BYTES))
      return card
    },

    /**
     * Stores the card with these members, at the next revision if one differs.
     * @param touched whether its faces changed, so that it gets its next revision even if no member differs
     */
    async save(session: Session, old: CardRow, members: Partial<CardRow>, touched = false): Promise<CardRow> {
      return hasMembers(old, members) && !touched ? old : replace(session, old, revise(old, members, now()))
    },

    /** Stores these cards, each at its next revision; of some only stability and difficulty may differ: `memory`. */
    async saveAll(session: Session, cards: readonly CardRow[], what: 'all' | 'memory'): Promise<void> {
      const at = now()
      const changes: Change[] = []
      for (const card of cards) {
        const next = revise(card, {}, at)
        await (what === 'memory' ? updateMemory : cardTable.update)(session, next)
        changes.push(changeOf('card', next, 0, 0))
      }
      await recordAll(session, changes)
    },
  }
}
