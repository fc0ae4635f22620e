import type { Static, TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import { parseJson } from '../../http/body'
import { invalid } from '../../http/problem'
import { createCheck } from '../../http/shape'
import {
  type ExportedCard,
  ExportedDeck,
  ExportedFact,
  ExportedMedia,
  type ExportedReview,
  FORMAT,
  VERSION,
} from './json-form'
import type { ParsedCard, ParsedDeck, ParsedFact, ParsedFault, ParsedItem, ParsedMedia, ParsedReview } from './parsed'
import { decodeText } from './text'

/** Our own export: it loses nothing but the bytes of media. */

export interface Exported {
  /** The study settings. */
  readonly settings: unknown
  readonly decks: readonly ExportedDeck[]
  readonly facts: AsyncIterable<ExportedFact> | Iterable<ExportedFact>
  /** Asked for behind the facts. */
  readonly media: AsyncIterable<ExportedMedia> | Iterable<ExportedMedia>
}

/** The file in pieces, one per fact. */
export async function* writeJson({ settings, decks, facts, media }: Exported): AsyncGenerator<string> {
  const head = JSON.stringify({ format: FORMAT, version: VERSION, settings, decks })
  yield `${head.slice(0, -1)},"facts":[`
  let between = '\n'
  for await (const fact of facts) {
    yield between + JSON.stringify(fact)
    between = ',\n'
  }
  yield `\n],"media":${JSON.stringify(await Array.fromAsync(media))}}\n`
}

/**
 * Reads the file; what of it is not in form is a fault. Throws invalid_request for another format or
 * version, invalid_json for what is not JSON.
 */
export function* readJson(bytes: Uint8Array): Generator<ParsedItem> {
  const file = checkedFile(parseJson(decodeText(bytes)))
  if (file.settings !== null && file.settings !== undefined) yield { kind: 'settings', settings: file.settings }
  yield* members(file.decks, { name: 'decks', type: 'deck' }, checkOfDeck(), toDeck)
  yield* members(file.facts, { name: 'facts', type: 'fact' }, checkOfFact(), toFact)
  yield* members(file.media, { name: 'media', type: 'media' }, checkOfMedia(), toMedia)
}

const checkOfDeck = createCheck(ExportedDeck)
const checkOfFact = createCheck(ExportedFact)
const checkOfMedia = createCheck(ExportedMedia)

type File = Readonly<Record<string, unknown>>

function checkedFile(value: unknown): File {
  const file = (value !== null && typeof value === 'object' ? value : {}) as File
  if (file.format !== FORMAT) throw invalid('/format', 'unknown_format', `The file must be an export: "${FORMAT}".`)
  if (file.version !== VERSION)
    throw invalid('/version', 'unknown_version', `The export must be of version ${VERSION}.`)
  return file
}

function* members<Schema extends TSchema, Item>(
  list: unknown,
  { name, type }: { readonly name: string; readonly type: ParsedFault['type'] },
  check: TypeCheck<Schema>,
  read: (value: Static<Schema>, where: string) => Item,
): Generator<Item | ParsedItem> {
  if (!Array.isArray(list)) throw invalid(`/${name}`, 'invalid_value', `${name} must be a list`)
  for (const [index, value] of list.entries()) {
    const where = `${name}[${index}]`
    const fault = check.Check(value) ? unrealDate(value as Members) : (check.Errors(value).First()?.path.slice(1) ?? '')
    if (fault === null) yield read(value as Static<Schema>, where)
    else yield { kind: 'fault', type, where, code: 'invalid_value', detail: `${fault || where} is not as exported.` }
  }
}

const DATES: readonly string[] = [
  'due_day',
  'due_at',
  'last_reviewed_at',
  'buried_until',
  'reviewed_at',
  'undone_at',
  'external_modified_at',
]

type Members = Readonly<Record<string, unknown>>

/**
 * The first member that has the form of a date and is none, such as 30 February; null if there is none. Lists of an item
 * are in form by now, whatever else it holds.
 */
function unrealDate(value: Members): string | null {
  const lists = [value.cards, value.reviews].flatMap((list) => (Array.isArray(list) ? (list as Members[]) : []))
  for (const item of [value, ...lists])
    for (const name of DATES) if (typeof item[name] === 'string' && !isReal(item[name])) return name
  return null
}

function isReal(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10))
}

function toDeck({ path, description, settings }: ExportedDeck): ParsedDeck {
  return { kind: 'deck', path, description, settings: settings ?? null }
}

function toMedia({ name, sha256 }: ExportedMedia): ParsedMedia {
  return { kind: 'media', name, bytes: null, sha256 }
}

function toFact(exported: ExportedFact, where: string): ParsedFact {
  const { type, front, back, text, extra, hint, accepted, tags, source_note_id, source_url } = exported
  return {
    kind: 'fact',
    where,
    id: exported.id,
    fact: {
      type,
      ...(type === 'cloze' ? { text: text ?? null } : { front: front ?? null, back: back ?? null }),
      extra: extra ?? null,
      hint: hint ?? null,
      accepted: accepted ?? [],
      tags: tags ?? [],
      source_note_id: source_note_id ?? null,
      source_url: source_url ?? null,
    },
    deck: exported.deck,
    external_id: exported.external_id ?? null,
    external_modified_at: time(exported.external_modified_at ?? null),
    cards: exported.cards.map(toCard),
    log: exported.reviews.map(toReview).sort((a, b) => a.reviewed_at - b.reviewed_at),
  }
}

function toCard(card: ExportedCard): ParsedCard {
  return {
    ordinal: card.ordinal,
    state: card.state,
    due_day: card.due_day,
    due_at: time(card.due_at),
    stability: card.stability,
    difficulty: card.difficulty,
    ease: null,
    scheduled_days: card.scheduled_days,
    step: card.step,
    reps: card.reps,
    lapses: card.lapses,
    last_reviewed_at: time(card.last_reviewed_at),
    suspended: card.suspended,
    buried_until: card.buried_until,
    flag: card.flag,
    leech: card.leech,
    position: card.position,
  }
}

/** What was imported before counts as what the card was then; one without rating was made by hand, or tells memory. */
function toReview({
  id,
  ordinal,
  kind,
  rating,
  reviewed_at,
  duration_ms,
  undone_at,
  before,
}: ExportedReview): ParsedReview {
  const state = before?.state === 'new' ? 'learning' : before?.state
  return {
    id,
    undone_at: time(undone_at),
    ordinal,
    reviewed_at: Date.parse(reviewed_at),
    kind: kind !== 'import' ? kind : rating === null && before?.state !== 'new' ? 'manual' : (state ?? 'review'),
    rating,
    duration_ms,
  }
}

function time(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant)
}
