import { invalid } from '../../http/api-error'
import { isStorable } from '../../http/request'
import { writeTrashStamps } from '../../http/resource'
import { type Tagged, writeEtag } from '../../http/responses'
import {
  CONTROL_CHARS,
  columnsOfSource,
  MAX_NOTE_IDS,
  patchSource,
  type ReadSource,
  readInstant,
  readSource,
  requireLength,
  type SourceColumns,
  sourceOfRow,
  writeOptional,
} from '../../http/values'
import { titleKey } from '../../lib/text'
import { makeFaces, requireCloze } from './cloze'
import type { Fact, FactContent, FactType, UpdateFact } from './fact-schema'
import type { FactRow } from './fact-store'

export const MAX_FACT_TAGS = 50
/** The longest tag, in code points. */
export const MAX_FACT_TAG_CHARS = 100

/**
 * Returns the tags in NFC, sorted by their folded form; of tags that differ only by case, the first. Throws
 * invalid_request at a tag that is empty, too long, or has white space, control characters or an empty level
 * (`a::::b`).
 */
export function readFactTags(tags: readonly string[]): string[] {
  if (tags.length > MAX_FACT_TAGS) throw invalid('/tags', 'too_many', `tags must hold at most ${MAX_FACT_TAGS}`)
  const byKey = new Map<string, string>()
  tags.forEach((raw, index) => {
    const tag = readTag(raw, `/tags/${index}`)
    if (!byKey.has(factTagKey(tag))) byKey.set(factTagKey(tag), tag)
  })
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tag]) => tag)
}

/** Returns the form in which tags are compared. */
export function factTagKey(tag: string): string {
  return titleKey(tag)
}

function readTag(raw: string, pointer: string): string {
  const tag = raw.normalize('NFC')
  requireLength(tag, MAX_FACT_TAG_CHARS, pointer)
  if (tag === '') throw invalid(pointer, 'too_short', 'a tag must not be empty')
  if (/[\s\p{Cc}\p{Cs}]/u.test(tag)) throw invalid(pointer, 'invalid_tag', 'a tag must be without white space')
  if (tag.split('::').includes('')) throw invalid(pointer, 'invalid_tag', 'a level of a tag must not be empty')
  return tag
}

// The limits of a fact, the cards that it has, and what makes two facts duplicates.

/** In code points. */
const MAX_SIDE_CHARS = 20_000
const MAX_HINT_CHARS = 1000
const MAX_ACCEPTED_CHARS = 500
const MAX_ACCEPTED = 20

/** What a fact has of the note that it was in Anki. All are null for other facts. */
export interface FactNoteMembers {
  /** The key of its note type. */
  readonly note_type: number | null
  /** HTML by the name of the field. */
  readonly fields: Readonly<Record<string, string>> | null
  /** The ordinals of the cards, ascending, of a custom fact. Of other facts the texts decide. */
  readonly ordinals: readonly number[] | null
}

export interface FactInput extends Omit<FactContent, 'type'>, Partial<FactNoteMembers> {
  readonly type: FactType
}

/** A merge patch. That of `fields` must be applied already; see patchNote. */
export type FactPatch = Omit<UpdateFact, 'deck_id' | 'fields' | 'type'> & Partial<FactNoteMembers> & { type?: FactType }

/** The checked members of a fact, as they are stored. */
export interface FactMembers extends FactNoteMembers {
  readonly type: FactType
  readonly front: string | null
  readonly back: string | null
  readonly text: string | null
  readonly extra: string | null
  readonly hint: string | null
  readonly accepted: string[]
  /** Sorted, without duplicates. */
  readonly tags: string[]
  /** Without duplicates. */
  readonly note_ids: string[]
  readonly source: ReadSource | null
  /** Milliseconds since 1970. */
  readonly external_modified_at: number | null
}

/** The prompt and the answer of one card. For cloze, the ordinal is the number minus one. */
export interface CardFaces {
  readonly ordinal: number
  readonly prompt: string
  readonly answer: string
}

/** What may be typed as the answer of a card: plain texts, at least one, the first as it is shown. */
export interface RightAnswers {
  readonly right: readonly string[]
  /** Whether a text without its accents, points and other combining marks is as right. */
  readonly ignores_accents: boolean
}

/** Throws invalid_request at the invalid member. */
export function readFact(input: FactInput): FactMembers {
  const sides = SIDE_READERS[input.type](input)
  return {
    type: input.type,
    ...sides,
    extra: readOptional(input.extra, 'extra', MAX_SIDE_CHARS),
    hint: readOptional(input.hint, 'hint', MAX_HINT_CHARS),
    ...readNoteMembers(input),
    accepted: readAccepted(input.accepted ?? [], input.type),
    tags: readFactTags(input.tags ?? []),
    note_ids: readNoteIds(input.note_ids),
    source: readSource(input.source),
    external_modified_at:
      input.external_modified_at == null ? null : readInstant(input.external_modified_at, '/external_modified_at'),
  }
}

/** Returns the members after a merge patch. Throws like readFact, and at /type for a change to or from cloze. */
export function patchFact(old: FactMembers, patch: FactPatch): FactMembers {
  const type = patch.type ?? old.type
  if (!canChangeType(old.type, type))
    throw invalid('/type', 'type_fixed', `a ${old.type} fact cannot become ${type}: its cards have nothing in common`)
  const { external_modified_at: at, ...kept } = old
  return readFact({
    ...kept,
    external_modified_at: at === null ? null : new Date(at).toISOString(),
    ...patch,
    source: patchSource(old.source, patch.source),
    type,
  })
}

/** Whether a fact may change between these types: the cards that both have are kept. */
export function canChangeType(from: FactType, to: FactType): boolean {
  return from === 'custom' || to === 'custom' || (from === 'cloze') === (to === 'cloze')
}

/** The ordinals of a checked fact: 0 and 1 for its sides, for cloze each number less one. Fast for long texts, too. */
export function listOrdinals({
  type,
  text,
  ordinals,
}: Pick<FactMembers, 'type' | 'text'> & { readonly ordinals: string | readonly number[] | null }): readonly number[] {
  if (type === 'custom') return typeof ordinals === 'string' ? JSON.parse(ordinals) : (ordinals ?? [])
  if (type === 'cloze') return requireCloze(text ?? '').numbers.map((number) => number - 1)
  return type === 'reversed' ? [0, 1] : [0]
}

/**
 * Returns the faces of a checked fact, by ordinal. Those of a custom fact need its note type: see renderNoteCard.
 * @param wanted the ordinals of a cloze fact to render, since each is as long as the text; by default all
 */
export function makeCardFaces(
  { type, front, back, text }: Pick<FactMembers, 'type' | 'front' | 'back' | 'text'>,
  wanted?: ReadonlySet<number>,
): CardFaces[] {
  if (type === 'cloze') {
    const cloze = requireCloze(text ?? '')
    const ordinals = cloze.numbers.map((number) => number - 1).filter((ordinal) => wanted?.has(ordinal) ?? true)
    return ordinals.map((ordinal) => ({ ordinal, ...makeFaces(cloze, ordinal + 1) }))
  }
  if (type === 'custom') return []
  const forth = { ordinal: 0, prompt: front ?? '', answer: back ?? '' }
  return type === 'reversed' ? [forth, { ordinal: 1, prompt: forth.answer, answer: forth.prompt }] : [forth]
}

/** A key that is equal for facts of a type with the same front (or text) but for case, NFC and white space. */
export function duplicateKey({
  type,
  front,
  text,
  fields,
}: Pick<FactMembers, 'type' | 'front' | 'text'> & { readonly fields: string | FactNoteMembers['fields'] }): string {
  const shown = front ?? text ?? (typeof fields === 'string' ? fields : JSON.stringify(fields))
  return new Bun.CryptoHasher('sha256').update(`${type}\0${titleKey(shown)}`).digest('hex')
}

const SIDE_READERS = {
  basic: readPlainSides,
  reversed: readPlainSides,
  typed: readPlainSides,
  cloze: readClozeSides,
  custom: readCustomSides,
}

/** The largest size of the fields of a note, in bytes of JSON. */
const MAX_FIELDS_BYTES = 256 * 1024
/** The highest ordinal of a card: that of the cloze number 500. */
export const MAX_ORDINAL = 499

/** Reads the members of a note. The names of the fields are those of its note type. Throws invalid_request. */
function readNoteMembers({ type, note_type, fields, ordinals }: FactInput): FactNoteMembers {
  if (note_type == null || fields == null) return { note_type: null, fields: null, ordinals: null }
  const json = JSON.stringify(fields)
  if (Buffer.byteLength(json) > MAX_FIELDS_BYTES)
    throw invalid('/fields', 'too_long', `fields must have at most ${MAX_FIELDS_BYTES} bytes`)
  if (!Object.values(fields).every(isStorable))
    throw invalid('/fields', 'unstorable_text', 'fields must not hold NUL or half a surrogate pair')
  return { note_type, fields, ordinals: type === 'custom' ? readOrdinals(ordinals ?? []) : null }
}

function readOrdinals(ordinals: readonly number[]): number[] {
  if (!ordinals.every((ordinal) => Number.isInteger(ordinal) && ordinal >= 0 && ordinal <= MAX_ORDINAL))
    throw invalid('/ordinals', 'invalid_value', `ordinals must be whole numbers from 0 to ${MAX_ORDINAL}`)
  return [...new Set(ordinals)].sort((a, b) => a - b)
}

function readCustomSides({ front, back, text, extra, note_type, fields }: FactInput) {
  const [name] = Object.entries({ front, back, text, extra }).find(([, value]) => value != null) ?? []
  if (name !== undefined) throw invalid(`/${name}`, 'not_allowed', `${name} does not belong to custom: use fields`)
  if (note_type == null || fields == null) throw invalid('/fields', 'required', 'fields is required for custom')
  return { front: null, back: null, text: null }
}

function readPlainSides({ type, front, back, text }: FactInput) {
  if (text != null) throw invalid('/text', 'not_allowed', `text belongs to cloze, not to ${type}`)
  return { front: readSide(front, 'front', type), back: readSide(back, 'back', type), text: null }
}

function readClozeSides({ front, back, text, type }: FactInput) {
  if (front != null) throw invalid('/front', 'not_allowed', 'front does not belong to cloze: use text')
  if (back != null) throw invalid('/back', 'not_allowed', 'back does not belong to cloze: use text')
  const checked = readSide(text, 'text', type)
  requireCloze(checked)
  return { front: null, back: null, text: checked }
}

function readSide(value: string | null | undefined, name: string, type: FactType): string {
  if (value == null) throw invalid(`/${name}`, 'required', `${name} is required for ${type}`)
  if (value.trim() === '') throw invalid(`/${name}`, 'too_short', `${name} must not be blank`)
  return requireStorable(value, name, MAX_SIDE_CHARS)
}

/** Reads an optional text. An empty one becomes null. */
function readOptional(value: string | null | undefined, name: string, max: number): string | null {
  if (value == null || value === '') return null
  return requireStorable(value, name, max)
}

/** Throws invalid_request for text that cannot be stored. JSON of requests was checked before, but files were not. */
function requireStorable(value: string, name: string, max: number): string {
  requireLength(value, max, `/${name}`)
  if (!isStorable(value))
    throw invalid(`/${name}`, 'unstorable_text', `${name} must not hold NUL or half a surrogate pair`)
  return value
}

function readAccepted(accepted: string[], type: FactType): string[] {
  if (accepted.length === 0) return []
  if (type !== 'typed') throw invalid('/accepted', 'not_allowed', `accepted belongs to typed, not to ${type}`)
  if (accepted.length > MAX_ACCEPTED)
    throw invalid('/accepted', 'too_many', `accepted must hold at most ${MAX_ACCEPTED} answers`)
  accepted.forEach((answer, index) => {
    const pointer = `/accepted/${index}`
    if (answer.trim() === '') throw invalid(pointer, 'too_short', 'an accepted answer must not be blank')
    if (CONTROL_CHARS.test(answer) || !isStorable(answer))
      throw invalid(pointer, 'invalid_answer', 'an accepted answer must be one line without control characters')
    requireLength(answer, MAX_ACCEPTED_CHARS, pointer)
  })
  return accepted
}

/** Returns the ids of notes without duplicates. Throws invalid_request if there are too many. */
export function readNoteIds(ids: readonly string[] | null | undefined): string[] {
  const distinct = [...new Set(ids)]
  if (distinct.length > MAX_NOTE_IDS)
    throw invalid('/note_ids', 'too_many', `note_ids must hold at most ${MAX_NOTE_IDS}`)
  return distinct
}

// Conversions between the row of a fact, its checked members, and its form in the API.

type Stored = 'accepted' | 'tags' | 'note_ids' | 'fields' | 'ordinals'
type FactColumns = Omit<FactMembers, Stored | 'source'> & Pick<FactRow, Stored> & SourceColumns

export function toFactColumns({
  accepted,
  tags,
  note_ids,
  source,
  fields,
  ordinals,
  ...members
}: FactMembers): FactColumns {
  return {
    ...members,
    fields: fields && JSON.stringify(fields),
    ordinals: ordinals && JSON.stringify(ordinals),
    accepted: JSON.stringify(accepted),
    tags: JSON.stringify(tags),
    note_ids: JSON.stringify(note_ids),
    ...columnsOfSource(source),
  }
}

export function toFactMembers(row: FactRow): FactMembers {
  const { type, front, back, text, extra, hint, note_type, external_modified_at } = row
  return {
    type,
    front,
    back,
    text,
    extra,
    hint,
    note_type,
    fields: parseOptional(row.fields),
    ordinals: parseOptional(row.ordinals),
    accepted: JSON.parse(row.accepted),
    tags: JSON.parse(row.tags),
    note_ids: JSON.parse(row.note_ids),
    source: sourceOfRow(row),
    external_modified_at,
  }
}

function parseOptional(json: string | null) {
  return json === null ? null : JSON.parse(json)
}

export function toFact(row: FactRow): Tagged<Fact> {
  const { external_modified_at, note_type: _, fields, ordinals: __, ...members } = toFactMembers(row)
  return {
    resource: {
      ...writeTrashStamps(row),
      deck_id: row.deck_id,
      ...members,
      note_type_id: row.note_type_id,
      fields: fields && { ...fields },
      external_modified_at: writeOptional(external_modified_at),
    },
    etag: writeEtag(row.revision),
  }
}

/** Returns the id of one card's part of a note of several cards, as CSV has it. */
export function writePartId(guid: string, ordinal: number): string {
  return `${guid}#${ordinal}`
}

/** Returns the guid of the note whose part has this id; null if it is not the id of a part. */
export function readWholeId(id: string): string | null {
  return /^(.+)#\d{1,3}$/s.exec(id)?.[1] ?? null
}
