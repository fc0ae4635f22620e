import { packageTooLarge } from '../../lib/anki/collection'
import { type CollectionWriter, createCollection } from '../../lib/anki/write-collection.sqlite'
import { toDay } from '../../lib/civil/day'
import { writeZip, type ZipFile } from '../../lib/zip/write'
import { clozeToField, markdownToField } from '../facts/field-html'
import type { NoteTypeContent } from '../facts/note-type'
import type { ParsedCard, ParsedFact, ParsedReview } from '../formats/parsed'
import type { DeckSettings } from '../scheduling/settings'
import { DAY_MS, type StudyClock, startOfStudyDay } from '../scheduling/study-day'
import {
  type AnkiDeckEntry,
  CREATED_DAY,
  confJson,
  DeckOptions,
  decksJson,
  PackageNoteTypes,
  type WholeCollection,
} from './anki-settings'
import { SATCHEL_NOTETYPES, writeSatchelField } from './content'
import { MAX_GUID_CHARS } from './facts'
import { LEECH_TAG } from './schedule'

// Packages have the layout legacy 1, which every program reads. The same content makes the same bytes.

/** A review, and the intervals before and after it in days. */
export interface ExportedReview extends ParsedReview {
  readonly last_scheduled_days: number
  readonly scheduled_days: number
}

/** A fact as an import would read it, with members that only we know. A fact without cards has none in Anki either. */
export interface ExportedFact extends Omit<ParsedFact, 'kind' | 'where' | 'external_modified_at' | 'log' | 'note'> {
  /** Its note type, and its HTML by the name of the field. The same note type is the same object. */
  readonly note?: { readonly noteType: NoteTypeContent; readonly fields: Readonly<Record<string, string>> }
  readonly id: string
  /** Milliseconds since 1970. */
  readonly created_at: number
  readonly updated_at: number
  readonly log: readonly ExportedReview[]
  /** Of the deck: the retention, 0.7 to 0.99, and the last weight of its scheduler. */
  readonly desired_retention: number
  readonly decay: number
  /** How many steps the deck has for cards that are learned, and for those that are relearned. */
  readonly steps: { readonly learning: number; readonly relearning: number }
}

export interface PackageContent {
  /** Today's study day, a civil date. */
  readonly today: string
  readonly clock: StudyClock
  /** The settings of a package that replaces a collection; null: one that is added to a collection. */
  readonly whole: WholeCollection | null
  readonly decks: Iterable<PackageDeck>
  readonly facts: AsyncIterable<ExportedFact> | Iterable<ExportedFact>
  readonly media: AsyncIterable<ExportedMedia> | Iterable<ExportedMedia>
  /** Returns the size of the media in bytes. Called after the facts are read and before the first byte is sent. */
  readonly mediaBytes?: () => Promise<number>
  /** The largest size of collection and media together, in bytes. */
  readonly limit: number
}

interface PackageDeck {
  readonly path: readonly string[]
  readonly description: string
  readonly settings: DeckSettings
}

interface ExportedMedia {
  readonly name: string
  readonly bytes: Uint8Array
}

const FIRST_DECK_ID = 1_577_851_200_000
const STATE_TYPES = { new: 0, learning: 1, review: 2, relearning: 3 }
const REVIEW_TYPES = { learning: 0, review: 1, relearning: 2, manual: 4 }
const DEFAULT_EASE_FACTOR = 2500

/** Writes an .apkg or a .colpkg, one chunk for each file in it. Throws FileFault too_large. */
export function writePackage(content: PackageContent): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return writeZip(listFiles(content))
}

async function* listFiles({ limit, media, mediaBytes, ...content }: PackageContent): AsyncGenerator<ZipFile> {
  let size = 0
  const counted = (file: ZipFile): ZipFile => {
    size += file.content.length
    if (size > limit) throw tooLarge(limit)
    return file
  }
  const collection = counted({ name: 'collection.anki2', content: await buildCollection(content, limit) })
  // A package that is too large is refused before its first byte is sent.
  if (mediaBytes && size + (await mediaBytes()) > limit) throw tooLarge(limit)
  yield collection
  const names: string[] = []
  for await (const { name, bytes } of media) {
    yield counted({ name: String(names.length), content: bytes })
    names.push(name)
  }
  yield counted({ name: 'media', content: Buffer.from(JSON.stringify({ ...names })) })
}

function tooLarge(limit: number) {
  return packageTooLarge(`The package would hold more than ${limit} bytes.`)
}

type CollectionContent = Pick<PackageContent, 'today' | 'clock' | 'whole' | 'decks' | 'facts'>

async function buildCollection(content: CollectionContent, limit: number): Promise<Uint8Array> {
  const collection = createCollection()
  try {
    const { today, clock, whole } = content
    const options = new DeckOptions(whole)
    const decks = new DeckIds(content.decks, options)
    const noteTypes = new PackageNoteTypes()
    const [ids, times] = [{ notes: new UniqueTimes(), cards: new UniqueTimes() }, new UniqueTimes()]
    const tags = new Set<string>()
    let nextPosition = 1
    for await (const fact of content.facts) {
      addFact(collection, fact, { ids, did: decks.of(fact.deck), today, times, noteTypes, tags })
      for (const { position } of fact.cards) nextPosition = Math.max(nextPosition, (position ?? 0) + 1)
      if (collection.countBytes() > limit) throw tooLarge(limit)
    }
    const modified = startOfStudyDay(toDay(today), clock) + DAY_MS / 2
    const days = toDay(today) - toDay(CREATED_DAY)
    collection.add('col', {
      crt: Math.floor(startOfStudyDay(toDay(CREATED_DAY), clock) / 1000),
      mod: modified,
      scm: modified,
      conf: confJson({ clock, days, nextPosition, whole }),
      models: noteTypes.json(),
      decks: decksJson(decks.all()),
      dconf: options.json(),
      tags: JSON.stringify(Object.fromEntries([...tags].sort().map((tag) => [tag, -1]))),
    })
    return collection.finish()
  } finally {
    collection.close()
  }
}

interface NotePlace {
  readonly ids: Readonly<Record<'notes' | 'cards', UniqueTimes>>
  readonly did: number
  readonly today: string
  readonly times: UniqueTimes
  readonly noteTypes: PackageNoteTypes
  readonly tags: Set<string>
}

function addFact(collection: CollectionWriter, fact: ExportedFact, place: NotePlace): void {
  const { ids, did, today, times } = place
  const id = ids.notes.take(fact.created_at)
  const { content, notetype, fields } = toFields(fact, place.noteTypes)
  const modified = Math.floor(fact.updated_at / 1000)
  const shown = (fields[0] ?? '').replace(/<[^>]*>/g, '')
  const tags = [...(content.tags ?? []), ...(fact.cards.some(({ leech }) => leech) ? [LEECH_TAG] : [])]
  for (const tag of tags) place.tags.add(tag)
  collection.add('notes', {
    id,
    guid: toGuid(fact),
    mid: notetype,
    mod: modified,
    tags: tags.length > 0 ? ` ${tags.join(' ')} ` : '',
    flds: fields.join('\x1f'),
    sfld: shown,
    csum: Number.parseInt(new Bun.CryptoHasher('sha1').update(shown).digest('hex').slice(0, 8), 16),
  })
  for (const card of fact.cards) {
    const cid = ids.cards.take(id)
    collection.add('cards', { id: cid, nid: id, did, mod: modified, ...toCardRow(card, fact, today) })
    for (const review of fact.log.filter(({ ordinal }) => ordinal === card.ordinal))
      collection.add('revlog', { id: times.take(review.reviewed_at), cid, ...toReviewRow(review) })
  }
}

/** Returns the guid of the note in Anki, else the id of the fact, by which an import recognizes it. */
function toGuid({ id, fact: { source } }: ExportedFact): string {
  return source?.system === 'anki' && source.id && source.id.length <= MAX_GUID_CHARS ? source.id : id
}

function toFields({ fact: content, note }: ExportedFact, noteTypes: PackageNoteTypes) {
  const { type, front, back, text, extra, hint } = content
  if (note) {
    const { noteType, fields } = note
    return { content, notetype: noteTypes.idOf(noteType), fields: noteType.fields.map((name) => fields[name] ?? '') }
  }
  if (type === 'custom') throw new Error('a custom fact has no note type')
  const sides = type === 'cloze' ? [clozeToField(text ?? '')] : [front, back].map((side) => markdownToField(side ?? ''))
  const visible = [...sides, ...[extra, hint].map((markdown) => markdownToField(markdown ?? ''))]
  const notetype = SATCHEL_NOTETYPES.find((own) => own.type === type)?.id ?? 0
  return { content, notetype, fields: [...visible, writeSatchelField({ ...content, type }, visible)] }
}

function toCardRow(card: ParsedCard, { desired_retention, decay, steps }: ExportedFact, today: string) {
  const isNew = card.state === 'new'
  const isBuried = card.buried_until !== null && card.buried_until > today
  const isLearning = card.state === 'learning' || card.state === 'relearning'
  const stepsLeft = Math.max(1, (card.state === 'learning' ? steps.learning : steps.relearning) - card.step)
  const data = {
    ...(isNew || card.position === null ? {} : { pos: card.position }),
    ...(card.stability === null || card.difficulty === null
      ? {}
      : { s: card.stability, d: card.difficulty, dr: desired_retention, decay }),
    ...(card.last_reviewed_at === null ? {} : { lrt: Math.floor(card.last_reviewed_at / 1000) }),
  }
  return {
    ord: card.ordinal,
    type: STATE_TYPES[card.state],
    queue: card.suspended ? -1 : isBuried ? -2 : isLearning ? 1 : STATE_TYPES[card.state],
    due: toDue(card),
    ivl: card.scheduled_days,
    factor: isNew ? 0 : Math.round((card.ease ?? DEFAULT_EASE_FACTOR / 1000) * 1000),
    // Other programs treat a card without answers as new.
    reps: isNew ? card.reps : Math.max(1, card.reps),
    lapses: card.lapses,
    // The steps that are left today, and those that are left in all.
    left: isLearning ? stepsLeft * 1001 : 0,
    flags: card.flag,
    data: JSON.stringify(data),
  }
}

/** Returns `due`. New: the position; learning: seconds since 1970; review: days since the collection was created. */
function toDue({ state, position, due_at, due_day }: ParsedCard): number {
  if (state === 'new') return position ?? 0
  if (state === 'review') return due_day === null ? 0 : toDay(due_day) - toDay(CREATED_DAY)
  return Math.floor((due_at ?? 0) / 1000)
}

function toReviewRow({ kind, rating, duration_ms, scheduled_days, last_scheduled_days }: ExportedReview) {
  return {
    ease: rating ?? 0,
    ivl: scheduled_days,
    lastIvl: last_scheduled_days,
    factor: kind === 'manual' ? 0 : DEFAULT_EASE_FACTOR,
    time: duration_ms,
    type: REVIEW_TYPES[kind],
  }
}

/** Assigns ids to decks and the decks above them, in the order in which they are used. */
class DeckIds {
  private readonly decks = new Map<string, AnkiDeckEntry>()

  constructor(decks: PackageContent['decks'], options: DeckOptions) {
    for (const { path, description, settings } of decks) this.add(path, description, options.idOf(settings))
  }

  of(path: readonly string[]): number {
    return path.length === 0 ? 1 : this.add(path, '', 1)
  }

  all(): AnkiDeckEntry[] {
    return [...this.decks.values()]
  }

  private add(path: readonly string[], description: string, options: number): number {
    for (let depth = 1; depth < path.length; depth++) this.place(path.slice(0, depth).join('::'), '', 1)
    return this.place(path.join('::'), description, options)
  }

  private place(name: string, description: string, options: number): number {
    const known = this.decks.get(name)
    if (known) return known.id
    const id = FIRST_DECK_ID + this.decks.size
    this.decks.set(name, { id, name, description, options })
    return id
  }
}

/** Unique milliseconds: `take` returns the next free one in nearly constant time (disjoint sets, Tarjan 1975). */
class UniqueTimes {
  private readonly next = new Map<number, number>()

  take(wanted: number): number {
    const passed: number[] = []
    let free = wanted
    for (let next = this.next.get(free); next !== undefined; next = this.next.get(free)) {
      passed.push(free)
      free = next
    }
    for (const time of [...passed, free]) this.next.set(time, free + 1)
    return free
  }
}
