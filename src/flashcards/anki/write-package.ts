import { packageTooLarge } from '../../lib/anki/collection'
import { type CollectionWriter, createCollection } from '../../lib/anki/write-collection.sqlite'
import { toDay } from '../../lib/civil/day'
import { writeZip, type ZipFile } from '../../lib/zip/write'
import type { ParsedCard, ParsedFact, ParsedReview } from '../formats/parsed'
import { CONF, CREATED, CREATED_DAY, DCONF, decksJson, modelsJson } from './anki-settings'
import { OWN_NOTETYPES, writeOwn } from './content'
import { MAX_GUID } from './facts'
import { markdownToField } from './field-html'
import { LEECH } from './schedule'

/** Writes the layout that every program reads, legacy 1: the same content makes the same bytes. */

/** A review, and the intervals before and after it in days. */
export interface ExportedReview extends ParsedReview {
  readonly last_scheduled_days: number
  readonly scheduled_days: number
}

/** A fact as an import would find it, and what only we know of it. Without cards of its own it has none in Anki. */
export interface ExportedFact extends Omit<ParsedFact, 'kind' | 'where' | 'external_modified_at' | 'log'> {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly created_at: number
  readonly updated_at: number
  readonly log: readonly ExportedReview[]
  /** Of the deck: 0.7 to 0.99, and the last weight of its scheduler. */
  readonly desired_retention: number
  readonly decay: number
}

export interface PackageContent {
  /** The present study day, a civil date. */
  readonly today: string
  readonly decks: Iterable<{ readonly path: readonly string[]; readonly description: string }>
  /** In the order in which notes are numbered, mostly that of created_at. */
  readonly facts: AsyncIterable<ExportedFact> | Iterable<ExportedFact>
  readonly media: AsyncIterable<ExportedMedia> | Iterable<ExportedMedia>
  /** How many bytes the media will have; called once the facts are read, before the first byte. */
  readonly mediaBytes?: () => Promise<number>
  /** How many bytes collection and media may have together. */
  readonly limit: number
}

export interface ExportedMedia {
  readonly name: string
  readonly bytes: Uint8Array
}

const FIRST_DECK_ID = 1_577_851_200_000
const STATE_TYPES = { new: 0, learning: 1, review: 2, relearning: 3 }
const REVIEW_TYPES = { learning: 0, review: 1, relearning: 2, manual: 4 }
const USUAL_FACTOR = 2500

/** The bytes of an .apkg, a chunk for each file in it. Throws FileFault too_large. */
export function writePackage(content: PackageContent): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return writeZip(filesOf(content))
}

async function* filesOf({ limit, media, mediaBytes, ...content }: PackageContent): AsyncGenerator<ZipFile> {
  let size = 0
  const counted = (file: ZipFile): ZipFile => {
    size += file.content.length
    if (size > limit) throw over(limit)
    return file
  }
  const collection = counted({ name: 'collection.anki2', content: await collectionOf(content, limit) })
  // What is too large is refused before its first byte is sent.
  if (mediaBytes && size + (await mediaBytes()) > limit) throw over(limit)
  yield collection
  const names: string[] = []
  for await (const { name, bytes } of media) {
    yield counted({ name: String(names.length), content: bytes })
    names.push(name)
  }
  yield counted({ name: 'media', content: Buffer.from(JSON.stringify({ ...names })) })
}

function over(limit: number) {
  return packageTooLarge(`The package would hold more than ${limit} bytes.`)
}

type CollectionContent = Pick<PackageContent, 'today' | 'decks' | 'facts'>

async function collectionOf({ today, decks, facts }: CollectionContent, limit: number): Promise<Uint8Array> {
  const collection = createCollection()
  try {
    const ids = new DeckIds(decks)
    const times = new FreeTimes()
    let last = 0
    for await (const fact of facts) {
      const id = Math.max(fact.created_at, last + 1)
      last = addFact(collection, fact, { id, did: ids.of(fact.deck), today, times })
      if (collection.countBytes() > limit) throw over(limit)
    }
    collection.add('col', {
      crt: CREATED,
      mod: (toDay(today) * 86_400 + 43_200) * 1000,
      conf: CONF,
      models: modelsJson(),
      decks: decksJson(ids.all()),
      dconf: DCONF,
    })
    return collection.finish()
  } finally {
    collection.close()
  }
}

interface Place {
  readonly id: number
  readonly did: number
  readonly today: string
  readonly times: FreeTimes
}

/** Adds a note with its cards and their log; the last id that is taken then. */
function addFact(collection: CollectionWriter, fact: ExportedFact, { id, did, today, times }: Place): number {
  const { content, notetype, fields } = fieldsOf(fact)
  const modified = Math.floor(fact.updated_at / 1000)
  const shown = (fields[0] ?? '').replace(/<[^>]*>/g, '')
  const tags = [...(content.tags ?? []), ...(fact.cards.some(({ leech }) => leech) ? [LEECH] : [])]
  collection.add('notes', {
    id,
    guid: guidOf(fact),
    mid: notetype,
    mod: modified,
    tags: tags.length > 0 ? ` ${tags.join(' ')} ` : '',
    flds: fields.join('\x1f'),
    sfld: shown,
    csum: Number.parseInt(new Bun.CryptoHasher('sha1').update(shown).digest('hex').slice(0, 8), 16),
  })
  for (const [index, card] of fact.cards.entries()) {
    const cid = id + index
    collection.add('cards', { id: cid, nid: id, did, mod: modified, ...cardRow(card, fact, today) })
    for (const review of fact.log.filter(({ ordinal }) => ordinal === card.ordinal))
      collection.add('revlog', { id: times.take(review.reviewed_at), cid, ...reviewRow(review) })
  }
  return id + Math.max(0, fact.cards.length - 1)
}

/** What Anki called it; else its own id, by which an import knows it again. */
function guidOf({ id, fact: { source } }: ExportedFact): string {
  return source?.system === 'anki' && source.id && source.id.length <= MAX_GUID ? source.id : id
}

function fieldsOf({ fact: content }: ExportedFact) {
  const { type, front, back, text, extra, hint } = content
  const sides = type === 'cloze' ? [text] : [front, back]
  const visible = [...sides, extra, hint].map((markdown) => markdownToField(markdown ?? ''))
  const notetype = OWN_NOTETYPES.find((own) => own.type === type)?.id ?? 0
  return { content, notetype, fields: [...visible, writeOwn(content, visible)] }
}

function cardRow(card: ParsedCard, { desired_retention, decay }: ExportedFact, today: string) {
  const isNew = card.state === 'new'
  const isBuried = card.buried_until !== null && card.buried_until > today
  const isLearning = card.state === 'learning' || card.state === 'relearning'
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
    due: dueOf(card),
    ivl: card.scheduled_days,
    factor: isNew ? 0 : Math.round((card.ease ?? USUAL_FACTOR / 1000) * 1000),
    // Other programs do not take a card for learned that was never answered.
    reps: isNew ? card.reps : Math.max(1, card.reps),
    lapses: card.lapses,
    left: isLearning ? 1001 : 0,
    flags: card.flag,
    data: JSON.stringify(data),
  }
}

/** New: the position; learning: seconds since 1970; review: days since the collection was created. */
function dueOf({ state, position, due_at, due_day }: ParsedCard): number {
  if (state === 'new') return position ?? 0
  if (state === 'review') return due_day === null ? 0 : toDay(due_day) - toDay(CREATED_DAY)
  return Math.floor((due_at ?? 0) / 1000)
}

function reviewRow({ kind, rating, duration_ms, scheduled_days, last_scheduled_days }: ExportedReview) {
  return {
    ease: rating ?? 0,
    ivl: scheduled_days,
    lastIvl: last_scheduled_days,
    factor: kind === 'manual' ? 0 : USUAL_FACTOR,
    time: duration_ms,
    type: REVIEW_TYPES[kind],
  }
}

/** Numbers decks, and the decks above them, as they are met. */
class DeckIds {
  private readonly decks = new Map<string, { readonly id: number; readonly description: string }>()

  constructor(decks: PackageContent['decks']) {
    for (const { path, description } of decks) this.add(path, description)
  }

  of(path: readonly string[]): number {
    return path.length === 0 ? 1 : this.add(path, '')
  }

  all(): [id: number, name: string, description: string][] {
    return [...this.decks].map(([name, { id, description }]) => [id, name, description])
  }

  private add(path: readonly string[], description: string): number {
    for (let depth = 1; depth < path.length; depth++) this.place(path.slice(0, depth).join('::'), '')
    return this.place(path.join('::'), description)
  }

  private place(name: string, description: string): number {
    const known = this.decks.get(name)
    const id = known?.id ?? FIRST_DECK_ID + this.decks.size
    this.decks.set(name, { id, description: known?.description || description })
    return id
  }
}

/** Milliseconds, each given once: the next free one, found in nearly constant time (disjoint sets, Tarjan 1975). */
class FreeTimes {
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
