import { isStorable } from '../../http/body'
import type { SourceInput } from '../../http/source'
import type { ImportWarning } from '../../imports/kind'
import type { AnkiCard, AnkiDeck, AnkiNote, AnkiReview, Notetype } from '../../lib/anki/collection'
import { LAST_SECOND } from '../../lib/anki/collection'
import { UnreadableItem } from '../../lib/unreadable-item'
import type { FactContent } from '../fact-schema'
import type { ParsedFact, ParsedFault } from '../formats/parsed'
import { type NoteFact, splitNote } from './content'
import { hasScriptOrStyle } from './field-markdown'
import type { AnkiDays } from './schedule'
import { isLeechTag, toParsedCard, toParsedReview } from './schedule'

/** The parts of the collection that are needed to read a note. */
export interface NoteContext {
  readonly notetypes: ReadonlyMap<number, Notetype>
  readonly decks: ReadonlyMap<number, AnkiDeck>
  readonly days: AnkiDays
  /** When the collection was last changed, in milliseconds since 1970. */
  readonly modified: number
  /** The log of a card, in order of time. */
  readonly log: (card: number) => readonly AnkiReview[]
}

const MAX_TEXT_CHARS = 20_000
/** The longest guid: `guid#part` must fit into a source id. In UTF-16 units. */
export const MAX_GUID_CHARS = 490
const MAX_TAGS = 50
const MAX_TAG_CHARS = 100
const MAX_CLOZE_NUMBER = 500
/** Reviews that are kept of one note, the newest ones: all of them are written in one step. */
const MAX_LOG_ROWS = 5000
const MAX_CLOZE_CARDS = 50

/** Yields the facts of a note, or why it has none. The first fact carries the warnings about the note as a whole. */
export function* readNote(
  note: AnkiNote,
  given: readonly AnkiCard[],
  context: NoteContext,
): Generator<ParsedFact | ParsedFault> {
  const sorted = given.toSorted((a, b) => a.ord - b.ord)
  const cards = sorted.filter(({ ord }, index) => ord !== sorted[index - 1]?.ord)
  const fault = (code: string, detail: string): ParsedFault => ({
    ...{ kind: 'fault', type: 'fact', where: `note ${note.id}`, code, detail },
  })
  try {
    const notetype = context.notetypes.get(note.notetype)
    if (!notetype) throw new UnreadableItem('no_notetype', 'The package does not hold the notetype.')
    if (cards.length === 0) throw new UnreadableItem('no_cards', 'The note has no cards.')
    if (note.guid === '' || note.guid.length > MAX_GUID_CHARS || !isStorable(note.guid))
      throw new UnreadableItem('no_guid', 'The note has no name of its own that could be kept.')
    const drafts = splitNote(note, notetype, cards)
    if (drafts.length === 0) throw new UnreadableItem('no_cards', 'The cards of the note are of no template.')
    let remarks = listWarnings(note, notetype, cards, drafts, given.length)
    for (const draft of drafts) {
      const { content, cut } = cutExtra(draft.content)
      const found = findContentFault(content)
      if (found) yield fault(found.code, found.detail)
      else {
        yield toParsedFact(note, { ...draft, content }, context, cut ? [...remarks, CUT_WARNING] : remarks)
        remarks = []
      }
    }
  } catch (error) {
    if (!(error instanceof UnreadableItem)) throw error
    yield fault(error.code, error.detail)
  }
}

const CUT_WARNING = { code: 'cut', detail: `What further fields hold was cut to ${MAX_TEXT_CHARS} characters.` }

/** Lists the warnings about the note as a whole. */
function listWarnings(
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
    [note.fields.some(hasScriptOrStyle), 'markup_dropped', 'Scripts and styles of the note are left out.'],
    [new Set(cards.map(homeDeckId)).size > 1, 'one_deck', 'The cards lie in several decks; the first one was taken.'],
  ]
  return all.filter(([applies]) => applies).map(([, code, detail]) => ({ code, detail }))
}

function toParsedFact(
  note: AnkiNote,
  draft: NoteFact,
  context: NoteContext,
  remarks: readonly ImportWarning[],
): ParsedFact {
  const warnings = [...remarks]
  const { tags, dropped } = readTags(note.tags.filter((tag) => !isLeechTag(tag)))
  if (dropped > 0)
    warnings.push({
      code: 'tags_dropped',
      detail: `${dropped} tags were left out: too long, or more than ${MAX_TAGS}.`,
    })
  const ordinals = listOrdinals(draft.content)
  const own = draft.cards.filter(({ ordinal }) => ordinals.has(ordinal))
  const lost = draft.cards.length - own.length
  if (lost > 0) warnings.push({ code: 'card_dropped', detail: `${lost} cards ask for what the text does not hold.` })
  const log = own
    .flatMap(({ card, ordinal }) => context.log(card.id).map((review) => toParsedReview(review, ordinal)))
    .sort((a, b) => a.reviewed_at - b.reviewed_at)
  if (log.length > MAX_LOG_ROWS)
    warnings.push({
      code: 'review_dropped',
      detail: `${log.length - MAX_LOG_ROWS} answers, the oldest, were left out.`,
    })
  return {
    kind: 'fact',
    where: `note ${note.id}`,
    fact: { ...draft.content, tags, source: toSource(note, draft) },
    deck: getDeckPath(own[0]?.card, context),
    external_modified_at: note.modified >= 0 && note.modified <= LAST_SECOND ? note.modified * 1000 : null,
    cards: own.map(({ card, ordinal }) => toParsedCard({ ...context, card, ordinal, tags: note.tags })),
    log: log.slice(-MAX_LOG_ROWS),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

/** Returns the source: the one of our own export if there is one, else the guid of the note. */
function toSource({ guid }: AnkiNote, { content: { source }, part }: NoteFact): SourceInput {
  return { system: 'anki', id: `${guid}${part === null ? '' : `#${part}`}`, ...source }
}

function getDeckPath(card: AnkiCard | undefined, { decks }: NoteContext): readonly string[] {
  return (card && decks.get(homeDeckId(card))?.path) ?? []
}

/** Returns the id of the card's deck; for a card in a filtered deck, of the deck that it was taken from. */
export function homeDeckId({ did, odid }: AnkiCard): number {
  return odid === 0 ? did : odid
}

/** Cuts `extra`, which is joined from several fields. Questions and answers are never cut. */
function cutExtra(content: FactContent): { content: FactContent; cut: boolean } {
  const { extra } = content
  if (!extra || !isLongerThan(extra, MAX_TEXT_CHARS)) return { content, cut: false }
  return { content: { ...content, extra: extra.slice(0, MAX_TEXT_CHARS).replace(/[\ud800-\udbff]$/, '') }, cut: true }
}

function findContentFault({ type, front, back, text, extra }: FactContent): UnreadableItem | null {
  const required = type === 'cloze' ? { text } : { front, back }
  for (const [name, value] of Object.entries(required)) {
    if (!value) return new UnreadableItem(`empty_${name}`, `The note shows nothing as ${name}.`)
    if (isLongerThan(value, MAX_TEXT_CHARS))
      return new UnreadableItem('too_long', `The ${name} has more than ${MAX_TEXT_CHARS} characters.`)
  }
  if (![front, back, text, extra].every((value) => isStorable(value ?? '')))
    return new UnreadableItem('unstorable_text', 'The note holds NUL or half a surrogate pair.')
  return type === 'cloze' ? findClozeFault(text ?? '') : null
}

function findClozeFault(text: string): UnreadableItem | null {
  const numbers = listClozeNumbers(text)
  if (numbers.size === 0) return new UnreadableItem('no_cloze', 'The note holds no cloze.')
  if (numbers.size > MAX_CLOZE_CARDS || Math.max(...numbers) > MAX_CLOZE_NUMBER)
    return new UnreadableItem(
      'too_many_clozes',
      `A fact has at most ${MAX_CLOZE_CARDS} clozes, numbered 1 to ${MAX_CLOZE_NUMBER}.`,
    )
  return null
}

function listClozeNumbers(text: string): Set<number> {
  const marks = [...text.matchAll(/\{\{c([\d,]{1,200})::/g)]
  return new Set(marks.flatMap(([, list = '']) => list.split(',').map(Number)).filter((number) => number >= 1))
}

function listOrdinals({ type, text }: FactContent): Set<number> {
  if (type === 'cloze') return new Set([...listClozeNumbers(text ?? '')].map((number) => number - 1))
  return new Set(type === 'reversed' ? [0, 1] : [0])
}

/** Returns the valid tags, sorted; of tags that differ only by case, the last one. */
function readTags(given: readonly string[]): { tags: string[]; dropped: number } {
  const byKey = new Map(given.map((tag) => [tag.normalize('NFC').toLowerCase(), tag.normalize('NFC')]))
  const fitting = [...byKey.values()].filter((tag) => !isLongerThan(tag, MAX_TAG_CHARS) && isStorable(tag))
  const tags = fitting.slice(0, MAX_TAGS)
  return { tags: tags.sort(), dropped: byKey.size - tags.length }
}

/** Whether the text has more than `limit` code points. */
function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && [...text].length > limit
}
