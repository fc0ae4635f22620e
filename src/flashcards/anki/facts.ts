import { isStorable } from '../../http/body'
import type { ImportWarning } from '../../imports/kind'
import type { AnkiCard, AnkiDeck, AnkiNote, AnkiReview, Notetype } from '../../lib/anki/collection'
import { LAST_SECOND } from '../../lib/anki/collection'
import { UnreadableItem } from '../../lib/unreadable-item'
import type { FactContent, FactSourceInput } from '../fact-schema'
import type { ParsedFact, ParsedFault } from '../formats/parsed'
import { type NoteFact, splitNote } from './content'
import { holdsMuted } from './field-markdown'
import type { AnkiDays } from './schedule'
import { isLeech, toParsedCard, toParsedReview } from './schedule'

/** What a note is read with. */
export interface NoteContext {
  readonly notetypes: ReadonlyMap<number, Notetype>
  readonly decks: ReadonlyMap<number, AnkiDeck>
  readonly days: AnkiDays
  /** When the collection was last changed, in milliseconds since 1970. */
  readonly modified: number
  /** The log of a card, in order of time. */
  readonly log: (card: number) => readonly AnkiReview[]
}

const MAX_TEXT = 20_000
/** So that a name made of it fits. */
export const MAX_GUID = 490
const MAX_TAGS = 50
const MAX_TAG = 100
const MAX_CLOZE = 500
/** Answers of one note, the newest: what a note brings is written in one step. */
const MAX_LOG = 5000
const MAX_CLOZE_CARDS = 50

/** The facts of a note, or why there is none. Warnings about the note as a whole come with the first of them. */
export function* readNote(
  note: AnkiNote,
  given: readonly AnkiCard[],
  around: NoteContext,
): Generator<ParsedFact | ParsedFault> {
  const sorted = given.toSorted((a, b) => a.ord - b.ord)
  const cards = sorted.filter(({ ord }, index) => ord !== sorted[index - 1]?.ord)
  const fault = (code: string, detail: string): ParsedFault => ({
    ...{ kind: 'fault', type: 'fact', where: `note ${note.id}`, code, detail },
  })
  try {
    const notetype = around.notetypes.get(note.notetype)
    if (!notetype) throw new UnreadableItem('no_notetype', 'The package does not hold the notetype.')
    if (cards.length === 0) throw new UnreadableItem('no_cards', 'The note has no cards.')
    if (note.guid === '' || note.guid.length > MAX_GUID || !isStorable(note.guid))
      throw new UnreadableItem('no_guid', 'The note has no name of its own that could be kept.')
    const drafts = splitNote(note, notetype, cards)
    if (drafts.length === 0) throw new UnreadableItem('no_cards', 'The cards of the note are of no template.')
    let remarks = remarksOn(note, notetype, cards, drafts, given.length)
    for (const draft of drafts) {
      const { content, cut } = shortened(draft.content)
      const found = contentFault(content)
      if (found) yield fault(found.code, found.detail)
      else {
        yield factOf(note, { ...draft, content }, around, cut ? [...remarks, CUT] : remarks)
        remarks = []
      }
    }
  } catch (error) {
    if (!(error instanceof UnreadableItem)) throw error
    yield fault(error.code, error.detail)
  }
}

const CUT = { code: 'cut', detail: `What further fields hold was cut to ${MAX_TEXT} characters.` }

/** Warnings that a note gets once. */
function remarksOn(
  note: AnkiNote,
  notetype: Notetype,
  cards: readonly AnkiCard[],
  drafts: readonly NoteFact[],
  given: number,
): ImportWarning[] {
  const all: [applies: boolean, code: string, detail: string][] = [
    [drafts.length > 1, 'split', `The note became ${drafts.length} facts, one for each of its cards.`],
    [cards.length < given, 'card_dropped', `${given - cards.length} cards ask for what another one asks for.`],
    [notetype.isImageOcclusion, 'image_occlusion', 'The masks of the picture are kept as text only.'],
    [note.fields.some(holdsMuted), 'markup_dropped', 'Scripts and styles of the note are left out.'],
    [new Set(cards.map(homeDeckId)).size > 1, 'one_deck', 'The cards lie in several decks; the first one was taken.'],
  ]
  return all.filter(([applies]) => applies).map(([, code, detail]) => ({ code, detail }))
}

function factOf(note: AnkiNote, draft: NoteFact, around: NoteContext, remarks: readonly ImportWarning[]): ParsedFact {
  const warnings = [...remarks]
  const { tags, dropped } = tagsOf(note.tags.filter((tag) => !isLeech(tag)))
  if (dropped > 0)
    warnings.push({
      code: 'tags_dropped',
      detail: `${dropped} tags were left out: too long, or more than ${MAX_TAGS}.`,
    })
  const ordinals = ordinalsOf(draft.content)
  const own = draft.cards.filter(({ ordinal }) => ordinals.has(ordinal))
  const lost = draft.cards.length - own.length
  if (lost > 0) warnings.push({ code: 'card_dropped', detail: `${lost} cards ask for what the text does not hold.` })
  const log = own
    .flatMap(({ card, ordinal }) => around.log(card.id).map((review) => toParsedReview(review, ordinal)))
    .sort((a, b) => a.reviewed_at - b.reviewed_at)
  if (log.length > MAX_LOG)
    warnings.push({ code: 'review_dropped', detail: `${log.length - MAX_LOG} answers, the oldest, were left out.` })
  return {
    kind: 'fact',
    where: `note ${note.id}`,
    fact: { ...draft.content, tags, source: namedSource(note, draft) },
    deck: deckOf(own[0]?.card, around),
    external_modified_at: note.modified >= 0 && note.modified <= LAST_SECOND ? note.modified * 1000 : null,
    cards: own.map(({ card, ordinal }) => toParsedCard({ ...around, card, ordinal, tags: note.tags })),
    log: log.slice(-MAX_LOG),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

/** A name from our own export comes before that of the note. */
function namedSource({ guid }: AnkiNote, { content: { source }, part }: NoteFact): FactSourceInput {
  return { system: 'anki', id: `${guid}${part === null ? '' : `#${part}`}`, ...source }
}

function deckOf(card: AnkiCard | undefined, { decks }: NoteContext): readonly string[] {
  return (card && decks.get(homeDeckId(card))?.path) ?? []
}

/** A card in a filtered deck goes back where it came from. */
export function homeDeckId({ did, odid }: AnkiCard): number {
  return odid === 0 ? did : odid
}

/** What was put together from fields of several kinds may be cut; a question or an answer may not. */
function shortened(content: FactContent): { content: FactContent; cut: boolean } {
  const { extra } = content
  if (!extra || !isOver(extra, MAX_TEXT)) return { content, cut: false }
  return { content: { ...content, extra: extra.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '') }, cut: true }
}

function contentFault({ type, front, back, text, extra }: FactContent): UnreadableItem | null {
  const required = type === 'cloze' ? { text } : { front, back }
  for (const [name, value] of Object.entries(required)) {
    if (!value) return new UnreadableItem(`empty_${name}`, `The note shows nothing as ${name}.`)
    if (isOver(value, MAX_TEXT))
      return new UnreadableItem('too_long', `The ${name} has more than ${MAX_TEXT} characters.`)
  }
  if (![front, back, text, extra].every((value) => isStorable(value ?? '')))
    return new UnreadableItem('unstorable_text', 'The note holds NUL or half a surrogate pair.')
  return type === 'cloze' ? clozeFault(text ?? '') : null
}

function clozeFault(text: string): UnreadableItem | null {
  const numbers = clozeNumbers(text)
  if (numbers.size === 0) return new UnreadableItem('no_cloze', 'The note holds no cloze.')
  if (numbers.size > MAX_CLOZE_CARDS || Math.max(...numbers) > MAX_CLOZE)
    return new UnreadableItem(
      'too_many_clozes',
      `A fact has at most ${MAX_CLOZE_CARDS} clozes, numbered 1 to ${MAX_CLOZE}.`,
    )
  return null
}

function clozeNumbers(text: string): Set<number> {
  const marks = [...text.matchAll(/\{\{c([\d,]{1,200})::/g)]
  return new Set(marks.flatMap(([, list = '']) => list.split(',').map(Number)).filter((number) => number >= 1))
}

function ordinalsOf({ type, text }: FactContent): Set<number> {
  if (type === 'cloze') return new Set([...clozeNumbers(text ?? '')].map((number) => number - 1))
  return new Set(type === 'reversed' ? [0, 1] : [0])
}

/** Sorted, and each once whatever its case. */
function tagsOf(given: readonly string[]): { tags: string[]; dropped: number } {
  const byKey = new Map(given.map((tag) => [tag.normalize('NFC').toLowerCase(), tag.normalize('NFC')]))
  const fitting = [...byKey.values()].filter((tag) => !isOver(tag, MAX_TAG) && isStorable(tag))
  const tags = fitting.slice(0, MAX_TAGS)
  return { tags: tags.sort(), dropped: byKey.size - tags.length }
}

/** In code points. */
function isOver(text: string, limit: number): boolean {
  return text.length > limit && [...text].length > limit
}
