import { ApiError } from '../../http/api-error'
import { isStorable } from '../../http/request'
import type { ImportWarning } from '../../imports/kind'
import {
  type AnkiCard,
  type AnkiDeck,
  type AnkiNote,
  type AnkiReview,
  homeDeckId,
  LAST_SECOND,
  type Notetype,
} from '../../lib/anki/collection'
import { cutCodePoints } from '../../lib/text'
import { listOrdinals, MAX_FACT_TAG_CHARS, MAX_FACT_TAGS, MAX_ORDINAL, readFact } from '../facts/fact'
import type { FactContent } from '../facts/fact-schema'
import { listAskedOrdinals, readNoteContent } from '../facts/note'
import {
  hashNoteType,
  MAX_NOTE_TYPE_BYTES,
  makeNoteType,
  measureNoteType,
  type NoteTypeContent,
  toNoteType,
} from '../facts/note-type'
import type { ParsedFact, ParsedNoteType } from '../formats/parsed'
import { readSatchelNote } from './content'
import { type AnkiDays, isLeechTag, toParsedCard, toParsedReview } from './schedule'

interface NoteContext {
  readonly notetypes: ReadonlyMap<number, Notetype>
  readonly decks: ReadonlyMap<number, AnkiDeck>
  readonly days: AnkiDays
  readonly isFirstScheduler: boolean
  /** When the collection was last changed, in milliseconds since 1970. */
  readonly modified: number
  /** The log of a card, in order of time. */
  readonly log: (card: number) => readonly AnkiReview[]
}

/** The longest guid that is kept, in UTF-16 units. */
export const MAX_GUID_CHARS = 490
/** Reviews that are kept of one note, the newest ones: all of them are written in one step. */
const MAX_LOG_ROWS = 5000

/**
 * Returns the fact of a note. Nothing is left out but what no fact can hold, which its warnings name.
 * @throws UnreadableItem
 */
export function readNote(note: AnkiNote, given: readonly AnkiCard[], context: NoteContext): NoteItem {
  const asking = given.filter(({ ord }) => ord >= 0 && ord <= MAX_ORDINAL)
  const cards = listCards(asking)
  const warnings: ImportWarning[] = []
  const warn = (applies: boolean, code: string, detail: string) => applies && warnings.push({ code, detail })
  const notetype = context.notetypes.get(note.notetype)
  warn(!notetype, 'no_notetype', 'The package does not hold the notetype: one was made that shows all fields.')
  warn(
    cards.length < asking.length,
    'card_dropped',
    `${asking.length - cards.length} cards ask for what another one asks for, which gets their answers.`,
  )
  warn(
    asking.length < given.length,
    'card_dropped',
    `${given.length - asking.length} cards were left out with their answers: no card can have their number.`,
  )
  warn(new Set(cards.map(homeDeckId)).size > 1, 'one_deck', 'The cards lie in several decks; the first one was taken.')
  const texts = note.fields.map(repairText)
  warn(
    texts.some((text, i) => text !== note.fields[i]),
    'text_repaired',
    'The note holds NUL or half a surrogate pair.',
  )
  const { content, unasked, ...read } = readContent(note, notetype, texts, cards)
  const suspended = cards.filter(({ ord }) => unasked.has(ord)).length
  warn(suspended > 0, 'card_suspended', `${suspended} cards ask for what the note does not hold: they are suspended.`)
  const { tags, dropped } = readTags(note.tags.filter((tag) => !isLeechTag(tag)))
  warn(dropped > 0, 'tags_dropped', `${dropped} tags were left out: too long, or more than ${MAX_FACT_TAGS}.`)
  const isNamed = note.guid !== '' && note.guid.length <= MAX_GUID_CHARS && isStorable(note.guid)
  warn(!isNamed, 'no_guid', 'The note has no name of its own that could be kept.')
  const log = asking
    .flatMap((card) => context.log(card.id).map((review) => toParsedReview(review, card.ord, context.isFirstScheduler)))
    .sort((a, b) => a.reviewed_at - b.reviewed_at)
  warn(log.length > MAX_LOG_ROWS, 'review_dropped', `${log.length - MAX_LOG_ROWS} answers, the oldest, were left out.`)
  const fact: ParsedFact = {
    kind: 'fact',
    where: `note ${note.id}`,
    fact: { ...content, tags, source: { ...(isNamed ? { system: 'anki', id: note.guid } : {}), ...content.source } },
    ...(read.note ? { note: read.note } : {}),
    ...(note.id > 0 && note.id <= LAST_SECOND * 1000 ? { created_at: note.id } : {}),
    deck: getDeckPath(cards[0], context),
    external_modified_at: note.modified >= 0 && note.modified <= LAST_SECOND ? note.modified * 1000 : null,
    cards: cards.map((card) => {
      const parsed = toParsedCard({ ...context, card, ordinal: card.ord, tags: note.tags })
      return unasked.has(card.ord) ? { ...parsed, suspended: true } : parsed
    }),
    log: log.slice(-MAX_LOG_ROWS),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
  return { noteType: read.noteType, fact }
}

interface NoteItem {
  readonly fact: ParsedFact
  readonly noteType: ParsedNoteType | null
}

/** Returns the cards by ordinal, the first one of each. */
function listCards(given: readonly AnkiCard[]): AnkiCard[] {
  const sorted = given.toSorted((a, b) => a.ord - b.ord)
  return sorted.filter(({ ord }, index) => ord !== sorted[index - 1]?.ord)
}

function repairText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

function readContent(
  note: AnkiNote,
  notetype: Notetype | undefined,
  texts: readonly string[],
  cards: readonly AnkiCard[],
): {
  readonly content: ParsedFact['fact']
  readonly note: ParsedFact['note'] | null
  readonly noteType: ParsedNoteType | null
  /** The ordinals of cards whose template or number the note does not have. */
  readonly unasked: ReadonlySet<number>
} {
  const own = notetype && readSatchelNote(notetype, texts)
  if (own && isReadable(own, cards)) return { content: own, note: null, noteType: null, unasked: new Set() }
  const { noteType, hash } =
    (notetype && readNoteType(notetype)) ??
    withHash(makeNoteType(note.notetype, notetype?.fields ?? texts.map((_, index) => `Field ${index + 1}`)))
  const names = noteType.fields
  const fields = Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']))
  const last = names.at(-1)
  // A note may have more fields than its notetype.
  if (last !== undefined && texts.length > names.length) fields[last] = texts.slice(names.length - 1).join('<br>')
  const asked = listAskedOrdinals(noteType, fields)
  const ordinals = cards.length > 0 ? cards.map(({ ord }) => ord) : asked
  const { ordinals: stored, ...content } = readNoteContent(noteType, { fields, cards: ordinals })
  return {
    content,
    note: { note_type: hash, fields, ordinals: stored },
    noteType: { kind: 'note_type', hash, noteType },
    unasked: new Set(ordinals.filter((ordinal) => !asked.includes(ordinal))),
  }
}

/** Whether a fact can hold the content, and has these cards. */
function isReadable(content: FactContent, cards: readonly AnkiCard[]): boolean {
  try {
    const ordinals = listOrdinals(readFact(content))
    return cards.every(({ ord }) => ordinals.includes(ord))
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

interface HashedNoteType {
  readonly noteType: NoteTypeContent
  readonly hash: string
}

const readNoteTypes = new WeakMap<Notetype, HashedNoteType | null>()

/** Returns the note type of a notetype; null if it is too large. Computed once for all its notes. */
function readNoteType(notetype: Notetype): HashedNoteType | null {
  const known = readNoteTypes.get(notetype)
  if (known !== undefined) return known
  const noteType = toNoteType(notetype)
  const read = measureNoteType(noteType) <= MAX_NOTE_TYPE_BYTES ? withHash(noteType) : null
  readNoteTypes.set(notetype, read)
  return read
}

function withHash(noteType: NoteTypeContent): HashedNoteType {
  return { noteType, hash: hashNoteType(noteType) }
}

function getDeckPath(card: AnkiCard | undefined, { decks }: NoteContext): readonly string[] {
  return (card && decks.get(homeDeckId(card))?.path) ?? []
}

/** Returns the valid tags, sorted; of tags that differ only by case, the last one. */
function readTags(given: readonly string[]): { tags: string[]; dropped: number } {
  const byKey = new Map(given.map((tag) => [tag.normalize('NFC').toLowerCase(), tag.normalize('NFC')]))
  const fitting = [...byKey.values()].filter((tag) => cutCodePoints(tag, MAX_FACT_TAG_CHARS) === tag && isStorable(tag))
  const tags = fitting.slice(0, MAX_FACT_TAGS)
  return { tags: tags.sort(), dropped: byKey.size - tags.length }
}
