import { invalid } from '../http/api-error'
import { isStorable } from '../http/body'
import { type Tagged, writeEtag } from '../http/conditional'
import { MAX_NOTE_IDS } from '../http/schema'
import { readInstant, requireLength, writeInstant } from '../http/values'
import { titleKey } from '../lib/text'
import { checkedCloze, clozeNumbers, facesOf } from './cloze'
import type { Fact, FactContent, FactSource, FactType, UpdateFact } from './fact-schema'
import { factSourceColumns, factSourceOf, patchSource, readFactSource, type SourceColumns } from './fact-source'
import type { FactRow } from './fact-store'

const MAX_FACT_TAGS = 50
/** In code points. */
const FACT_TAG_LENGTH = 100

/**
 * Tags in NFC, sorted by their folded form; of those that differ by case only, the first stays. Throws invalid_request
 * at the tag that is empty, too long, or holds white space, control characters or an empty level (`a::::b`).
 */
export function readFactTags(tags: readonly string[]): string[] {
  if (tags.length > MAX_FACT_TAGS) throw invalid('/tags', 'too_many', `tags must hold at most ${MAX_FACT_TAGS}`)
  const byKey = new Map<string, string>()
  tags.forEach((raw, index) => {
    const tag = checkedTag(raw, `/tags/${index}`)
    if (!byKey.has(factTagKey(tag))) byKey.set(factTagKey(tag), tag)
  })
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tag]) => tag)
}

/** The form in which tags are compared. */
export function factTagKey(tag: string): string {
  return titleKey(tag)
}

function checkedTag(raw: string, pointer: string): string {
  const tag = raw.normalize('NFC')
  requireLength(tag, FACT_TAG_LENGTH, pointer)
  if (tag === '') throw invalid(pointer, 'too_short', 'a tag must not be empty')
  if (/[\s\p{Cc}\p{Cs}]/u.test(tag)) throw invalid(pointer, 'invalid_tag', 'a tag must be without white space')
  if (tag.split('::').includes('')) throw invalid(pointer, 'invalid_tag', 'a level of a tag must not be empty')
  return tag
}

/** What a fact is: its limits, the cards that it has, and what makes two of them the same. */

/** In code points. */
const SIDE_LENGTH = 20_000
const HINT_LENGTH = 1000
const ACCEPTED_LENGTH = 500
const MAX_ACCEPTED = 20

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

/** The checked members of a fact, as they are stored. */
export interface FactMembers {
  readonly type: FactType
  readonly front: string | null
  readonly back: string | null
  readonly text: string | null
  readonly extra: string | null
  readonly hint: string | null
  readonly accepted: readonly string[]
  /** Sorted, each once. */
  readonly tags: readonly string[]
  /** Each once. */
  readonly note_ids: readonly string[]
  readonly source: FactSource | null
  /** Milliseconds since 1970. */
  readonly external_modified_at: number | null
}

/** One card of a fact. For cloze, the ordinal is the number less one. */
export interface CardFaces {
  readonly ordinal: number
  readonly prompt: string
  readonly answer: string
}

/** The members of a new fact. Throws invalid_request at the member that is not allowed. */
export function readFact(input: FactContent): FactMembers {
  const sides = input.type === 'cloze' ? clozeSides(input) : plainSides(input)
  return {
    type: input.type,
    ...sides,
    extra: optional(input.extra, 'extra', SIDE_LENGTH),
    hint: optional(input.hint, 'hint', HINT_LENGTH),
    accepted: checkedAccepted(input.accepted ?? [], input.type),
    tags: readFactTags(input.tags ?? []),
    note_ids: readNoteIds(input.note_ids),
    source: readFactSource(input.source),
    external_modified_at:
      input.external_modified_at == null ? null : readInstant(input.external_modified_at, '/external_modified_at'),
  }
}

/** The members after a merge patch. Throws like checkedFact, and at /type for a change to or from cloze. */
export function patchFact(old: FactMembers, patch: Omit<UpdateFact, 'deck_id'>): FactMembers {
  const type = patch.type ?? old.type
  if (!mayBecome(old.type, type))
    throw invalid('/type', 'type_fixed', `a ${old.type} fact cannot become ${type}: its cards have nothing in common`)
  const { external_modified_at: at, ...kept } = old
  return readFact({
    ...kept,
    accepted: [...kept.accepted],
    tags: [...kept.tags],
    note_ids: [...kept.note_ids],
    external_modified_at: at === null ? null : new Date(at).toISOString(),
    ...patch,
    source: patchSource(old.source, patch.source),
    type,
  })
}

/** Whether a change of type keeps the cards that both have. */
export function mayBecome(from: FactType, to: FactType): boolean {
  return (from === 'cloze') === (to === 'cloze')
}

/** Which cards a checked fact has: 0 and 1 for its sides, for cloze each number less one. Quick, also for long texts. */
export function listOrdinals({ type, text }: Pick<FactMembers, 'type' | 'text'>): number[] {
  if (type === 'cloze') return clozeNumbers(text ?? '').map((number) => number - 1)
  return type === 'reversed' ? [0, 1] : [0]
}

/**
 * The cards of a checked fact, by ordinal.
 * @param wanted those of a cloze that are worked out, since each is as long as the text; else all of them
 */
export function makeCardFaces(
  { type, front, back, text }: Pick<FactMembers, 'type' | 'front' | 'back' | 'text'>,
  wanted?: ReadonlySet<number>,
): CardFaces[] {
  if (type === 'cloze') {
    const cloze = checkedCloze(text ?? '')
    const ordinals = cloze.numbers.map((number) => number - 1).filter((ordinal) => wanted?.has(ordinal) ?? true)
    return ordinals.map((ordinal) => ({ ordinal, ...facesOf(cloze, ordinal + 1) }))
  }
  const forth = { ordinal: 0, prompt: front ?? '', answer: back ?? '' }
  return type === 'reversed' ? [forth, { ordinal: 1, prompt: forth.answer, answer: forth.prompt }] : [forth]
}

/** Equal for two facts of one type with the same front (or text) after NFC, case folding and joining white space. */
export function duplicateKey({ type, front, text }: Pick<FactMembers, 'type' | 'front' | 'text'>): string {
  return new Bun.CryptoHasher('sha256').update(`${type}\0${titleKey(front ?? text ?? '')}`).digest('hex')
}

function plainSides({ type, front, back, text }: FactContent) {
  if (text != null) throw invalid('/text', 'not_allowed', `text belongs to cloze, not to ${type}`)
  return { front: side(front, 'front', type), back: side(back, 'back', type), text: null }
}

function clozeSides({ front, back, text, type }: FactContent) {
  if (front != null) throw invalid('/front', 'not_allowed', 'front does not belong to cloze: use text')
  if (back != null) throw invalid('/back', 'not_allowed', 'back does not belong to cloze: use text')
  const checked = side(text, 'text', type)
  checkedCloze(checked)
  return { front: null, back: null, text: checked }
}

function side(value: string | null | undefined, name: string, type: FactType): string {
  if (value == null) throw invalid(`/${name}`, 'required', `${name} is required for ${type}`)
  if (value.trim() === '') throw invalid(`/${name}`, 'too_short', `${name} must not be blank`)
  return storable(value, name, SIDE_LENGTH)
}

/** Unset is null, never an empty text. */
function optional(value: string | null | undefined, name: string, max: number): string | null {
  if (value == null || value === '') return null
  return storable(value, name, max)
}

/** JSON of a request was looked through before; what a file holds was not. */
function storable(value: string, name: string, max: number): string {
  requireLength(value, max, `/${name}`)
  if (!isStorable(value))
    throw invalid(`/${name}`, 'unstorable_text', `${name} must not hold NUL or half a surrogate pair`)
  return value
}

function checkedAccepted(accepted: readonly string[], type: FactType): readonly string[] {
  if (accepted.length === 0) return []
  if (type !== 'typed') throw invalid('/accepted', 'not_allowed', `accepted belongs to typed, not to ${type}`)
  if (accepted.length > MAX_ACCEPTED)
    throw invalid('/accepted', 'too_many', `accepted must hold at most ${MAX_ACCEPTED} answers`)
  accepted.forEach((answer, index) => {
    const pointer = `/accepted/${index}`
    if (answer.trim() === '') throw invalid(pointer, 'too_short', 'an accepted answer must not be blank')
    if (CONTROL.test(answer) || !isStorable(answer))
      throw invalid(pointer, 'invalid_answer', 'an accepted answer must be one line without control characters')
    requireLength(answer, ACCEPTED_LENGTH, pointer)
  })
  return accepted
}

/** Each note once, as many as a fact may belong to. Throws invalid_request. */
export function readNoteIds(ids: readonly string[] | null | undefined): string[] {
  const distinct = [...new Set(ids)]
  if (distinct.length > MAX_NOTE_IDS)
    throw invalid('/note_ids', 'too_many', `note_ids must hold at most ${MAX_NOTE_IDS}`)
  return distinct
}

/** A fact as its row has it, as it is checked, and as it is shown. */

type Stored = 'accepted' | 'tags' | 'note_ids'
type FactColumns = Omit<FactMembers, Stored | 'source'> & Pick<FactRow, Stored> & SourceColumns

export function factColumns({ accepted, tags, note_ids, source, ...members }: FactMembers): FactColumns {
  return {
    ...members,
    accepted: JSON.stringify(accepted),
    tags: JSON.stringify(tags),
    note_ids: JSON.stringify(note_ids),
    ...factSourceColumns(source),
  }
}

export function factMembers(row: FactRow): FactMembers {
  const { type, front, back, text, extra, hint, external_modified_at } = row
  return {
    type,
    front,
    back,
    text,
    extra,
    hint,
    accepted: JSON.parse(row.accepted),
    tags: JSON.parse(row.tags),
    note_ids: JSON.parse(row.note_ids),
    source: factSourceOf(row),
    external_modified_at,
  }
}

export function toFact(row: FactRow): Tagged<Fact> {
  const { accepted, tags, note_ids, external_modified_at, ...members } = factMembers(row)
  const at = (instant: number | null) => (instant === null ? null : writeInstant(instant))
  return {
    resource: {
      id: row.id,
      revision: row.revision,
      created_at: writeInstant(row.created_at),
      updated_at: writeInstant(row.updated_at),
      deleted_at: at(row.deleted_at),
      deck_id: row.deck_id,
      ...members,
      accepted: [...accepted],
      tags: [...tags],
      note_ids: [...note_ids],
      external_modified_at: at(external_modified_at),
    },
    etag: writeEtag(row.revision),
  }
}
