import { isStorable } from '../../http/body'
import { ItemFault } from '../../http/item-fault'
import type { FactContent } from '../schema'
import type { ParsedFact, ReportLine } from '../transfer/parsed'
import type { Days } from './calendar'
import type { AnkiCard, AnkiDeck, AnkiNote, AnkiReview, Notetype } from './collection'
import { type Draft, draftsOf } from './content'
import { holdsMuted } from './field-markdown'
import { isLeech, LAST_SECOND, toParsedCard, toParsedReview } from './schedule'

/** What a note is read with. */
export interface Around {
  readonly notetypes: ReadonlyMap<number, Notetype>
  readonly decks: ReadonlyMap<number, AnkiDeck>
  readonly days: Days
  /** When the collection was last changed, in milliseconds since 1970. */
  readonly modified: number
  /** The log of a card, in order of time. */
  log(card: AnkiCard): readonly AnkiReview[]
}

const MAX_TEXT = 20_000
/** So that a name made of it fits. */
const MAX_GUID = 200
const MAX_TAGS = 50
const MAX_TAG = 100
const MAX_CLOZE = 500
const MAX_CLOZE_CARDS = 50

/** The facts of a note, and what there is to tell of it. */
export function* factsOf(
  note: AnkiNote,
  given: readonly AnkiCard[],
  around: Around,
): Generator<ParsedFact | ReportLine> {
  const sorted = given.toSorted((a, b) => a.ord - b.ord)
  const cards = sorted.filter(({ ord }, index) => ord !== sorted[index - 1]?.ord)
  const where = `note ${note.id}`
  const line = (code: string, detail: string): ReportLine => ({ kind: 'line', where, code, detail })
  try {
    const notetype = around.notetypes.get(note.notetype)
    if (!notetype) throw new ItemFault('no_notetype', 'The package does not hold the notetype.')
    if (cards.length === 0) throw new ItemFault('no_cards', 'The note has no cards.')
    if (note.guid === '' || note.guid.length > MAX_GUID || !isStorable(note.guid))
      throw new ItemFault('no_guid', 'The note has no name of its own that could be kept.')
    const drafts = draftsOf(note, notetype, cards)
    if (drafts.length === 0) throw new ItemFault('no_cards', 'The cards of the note are of no template.')
    for (const [code, detail] of remarks(note, notetype, cards, drafts, given.length)) yield line(code, detail)
    for (const draft of drafts) yield* factOf(note, draft, around, line)
  } catch (error) {
    if (!(error instanceof ItemFault)) throw error
    yield line(error.code, error.detail)
  }
}

/** What is told once for a note. */
function remarks(
  note: AnkiNote,
  notetype: Notetype,
  cards: readonly AnkiCard[],
  drafts: readonly Draft[],
  given: number,
): [code: string, detail: string][] {
  const all: [told: boolean, code: string, detail: string][] = [
    [drafts.length > 1, 'split', `The note became ${drafts.length} facts, one for each of its cards.`],
    [cards.length < given, 'card_dropped', `${given - cards.length} cards ask for what another one asks for.`],
    [notetype.isImageOcclusion, 'image_occlusion', 'The masks of the picture are kept as text only.'],
    [note.fields.some(holdsMuted), 'markup_dropped', 'Scripts and styles of the note are left out.'],
    [new Set(cards.map(deckId)).size > 1, 'one_deck', 'The cards lie in several decks; the first one was taken.'],
  ]
  return all.filter(([told]) => told).map(([, code, detail]) => [code, detail])
}

function* factOf(
  note: AnkiNote,
  draft: Draft,
  around: Around,
  line: (code: string, detail: string) => ReportLine,
): Generator<ParsedFact | ReportLine> {
  const { content, cut } = shortened(draft.content)
  const fault = contentFault(content)
  if (fault) {
    yield line(fault.code, fault.detail)
    return
  }
  if (cut) yield line('cut', `What further fields hold was cut to ${MAX_TEXT} characters.`)
  const { tags, dropped } = tagsOf(note.tags.filter((tag) => !isLeech(tag)))
  if (dropped > 0) yield line('tags_dropped', `${dropped} tags were left out: too long, or more than ${MAX_TAGS}.`)
  const ordinals = ordinalsOf(content)
  const own = draft.cards.filter(({ ordinal }) => ordinals.has(ordinal))
  if (own.length < draft.cards.length)
    yield line('card_dropped', `${draft.cards.length - own.length} cards ask for what the text does not hold.`)
  yield {
    kind: 'fact',
    where: `note ${note.id}`,
    fact: { ...content, tags },
    deck: deckOf(own[0]?.card, around),
    external_id: draft.external_id ?? `anki:${note.guid}${draft.part === null ? '' : `#${draft.part}`}`,
    external_modified_at: note.modified >= 0 && note.modified <= LAST_SECOND ? note.modified * 1000 : null,
    cards: own.map(({ card, ordinal }) => toParsedCard({ ...around, card, ordinal, tags: note.tags })),
    log: own
      .flatMap(({ card, ordinal }) => around.log(card).map((review) => toParsedReview(review, ordinal)))
      .sort((a, b) => a.reviewed_at - b.reviewed_at),
  }
}

function deckOf(card: AnkiCard | undefined, { decks }: Around): readonly string[] {
  return (card && decks.get(deckId(card))?.path) ?? []
}

/** A card in a filtered deck goes back where it came from. */
export function deckId({ did, odid }: AnkiCard): number {
  return odid === 0 ? did : odid
}

/** What was put together from fields of several kinds may be cut; a question or an answer may not. */
function shortened(content: FactContent): { content: FactContent; cut: boolean } {
  const { extra } = content
  if (!extra || !isOver(extra, MAX_TEXT)) return { content, cut: false }
  return { content: { ...content, extra: extra.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '') }, cut: true }
}

function contentFault({ type, front, back, text, extra }: FactContent): ItemFault | null {
  const required = type === 'cloze' ? { text } : { front, back }
  for (const [name, value] of Object.entries(required)) {
    if (!value) return new ItemFault(`empty_${name}`, `The note shows nothing as ${name}.`)
    if (isOver(value, MAX_TEXT)) return new ItemFault('too_long', `The ${name} has more than ${MAX_TEXT} characters.`)
  }
  if (![front, back, text, extra].every((value) => isStorable(value ?? '')))
    return new ItemFault('unstorable_text', 'The note holds NUL or half a surrogate pair.')
  return type === 'cloze' ? clozeFault(text ?? '') : null
}

function clozeFault(text: string): ItemFault | null {
  const numbers = clozeNumbers(text)
  if (numbers.size === 0) return new ItemFault('no_cloze', 'The note holds no cloze.')
  if (numbers.size > MAX_CLOZE_CARDS || Math.max(...numbers) > MAX_CLOZE)
    return new ItemFault('too_many_clozes', `A fact has at most ${MAX_CLOZE_CARDS} clozes, numbered 1 to ${MAX_CLOZE}.`)
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
