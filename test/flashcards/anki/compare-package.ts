import { paged } from '../../support/paged'
import type { As } from '../../support/world'
import type { Shown } from '../support'
import { likeness, type makeTransferWorld } from '../transfer-support'
import { type PlainPackage, readPlainly } from './plain-reading'

type World = Awaited<ReturnType<typeof makeTransferWorld>>

/** What an import of a package shows, beside the plain reading of it. */
export interface Comparison {
  readonly plain: PlainPackage
  readonly shown: Omit<PlainPackage, 'modified'>
  /** The warnings of the report, by code. */
  readonly codes: Readonly<Record<string, number>>
  /** Whether the dry run told the same as the import. */
  readonly isDryRunTrue: boolean
  /** How many facts, cards and answers a second import changed. */
  readonly changedAgain: number
}

/** Imports a package twice into a workspace of its own, after a dry run. */
export async function comparePackage(world: World, bytes: Uint8Array): Promise<Comparison> {
  const plain = readPlainly(bytes)
  const log = plain.notes.flatMap(({ cards }) => cards.flatMap((card) => card.log.map(([at]) => at)))
  world.clock.now = log.reduce((last, at) => Math.max(last, at), plain.modified) + 3_600_000
  const me = world.stranger()
  const dry = await send(world, me, bytes, '&dry_run=true')
  const real = await send(world, me, bytes)
  const seq = await world.latestSeq(me)
  const again = await send(world, me, bytes)
  const codes: Record<string, number> = {}
  for (const { warnings = [] } of real.items as Shown[])
    for (const { code } of warnings) codes[code] = (codes[code] ?? 0) + 1
  return {
    plain,
    shown: await show(world, me),
    codes,
    isDryRunTrue: Bun.deepEquals(withoutIds(dry), withoutIds(real)),
    changedAgain: (await world.latestSeq(me)) - seq + again.totals.created + again.totals.updated,
  }
}

/** A deck that the import made as the parent of another has an id that the dry run cannot know. */
function withoutIds(report: Shown) {
  const { items, ...told } = likeness(report)
  return { ...told, items: items.map(({ id: _, ...item }: Shown) => item) }
}

async function send(world: World, me: As, bytes: Uint8Array, query = ''): Promise<Shown> {
  const { status, body } = await world.send(me, `format=apkg${query}`, bytes)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

const list = (world: World, me: As, path: string): Promise<Shown[]> =>
  paged((to) => world.call(me, 'GET', to), `${path}?limit=200`)

async function show(world: World, me: As): Promise<Comparison['shown']> {
  const [decks, facts, cards, reviews, noteTypes, media] = await Promise.all(
    ['/decks', '/facts', '/cards', '/reviews', '/note-types', '/media'].map((path) => list(world, me, path)),
  )
  const byId = new Map(decks?.map((deck) => [deck.id, deck]))
  const pathOf = (id: string | null): string => {
    const deck = byId.get(id)
    return deck ? [pathOf(deck.parent_id), deck.name].filter(Boolean).join('::') : ''
  }
  const cardsOf = Map.groupBy(cards ?? [], ({ fact_id }) => fact_id)
  const logOf = Map.groupBy((reviews ?? []).filter(isAnswer), ({ card_id }) => card_id)
  const notes = (facts ?? []).map((fact) => ({
    guid: fact.source?.id ?? '',
    fields: fact.fields,
    tags: fact.tags.toSorted(),
    deck: pathOf(fact.deck_id),
    cards: (cardsOf.get(fact.id) ?? [])
      .sort((a, b) => a.ordinal - b.ordinal)
      .map((card) => ({ ...showCard(card), log: showLog(logOf.get(card.id) ?? []) })),
  }))
  return {
    decks: Object.fromEntries((decks ?? []).map(({ id, description }) => [pathOf(id), description])),
    notes: notes.sort((a, b) => (a.guid < b.guid ? -1 : 1)),
    noteTypes: (noteTypes ?? [])
      .map(({ anki_id, name, fields, templates, css }) => ({
        ...{ anki_id, name, fields, css },
        templates: templates.map((one: Shown) => [one.name, one.question, one.answer]),
      }))
      .sort((a, b) => a.anki_id - b.anki_id),
    media: Object.fromEntries((media ?? []).map(({ name, size_bytes }) => [name, size_bytes])),
  }
}

function showCard({ ordinal, state, due_at, due_day, scheduled_days, ...card }: Shown) {
  const { reps, lapses, flag, suspended, leech, buried_until } = card
  const due = state === 'new' ? null : state === 'review' ? due_day : Date.parse(due_at) / 1000
  return { ordinal, state, due, days: scheduled_days, reps, lapses, flag, suspended, buried: !!buried_until, leech }
}

function showLog(log: readonly Shown[]): [number, number | null, number][] {
  return log
    .map(({ reviewed_at, rating, duration_ms }): [number, number | null, number] => [
      Date.parse(reviewed_at),
      rating,
      duration_ms,
    ])
    .sort((a, b) => a[0] - b[0])
}

/** Whether a row is from the file: a row that only holds the memory of a card begins at none and ends at some. */
function isAnswer({ rating, before, after }: Shown): boolean {
  return rating !== null || !(before.state === 'new' && after.stability !== null)
}
