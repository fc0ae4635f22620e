import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { dryRun, type Session } from '../db/database'
import { ApiError, invalid } from '../http/api-error'
import { closed, Id } from '../http/schema'
import { readCivilDate } from '../http/values'
import { toDay } from '../lib/civil/day'
import { toScheduleColumns, toSnapshot } from './cards/card'
import { MAX_POSITION } from './cards/card-schema'
import { type CardRow, getCardsByIds } from './cards/card-store'
import type { StudyContext } from './context'
import { requireUntrashedDeck } from './decks/deck'
import { readInherited, readStudy, type Study } from './decks/study'
import { factTagKey, readFactTags } from './facts/fact'
import { type FactRow, getFactsByKeys } from './facts/fact-store'
import { findAhead, readStudyFilter, StudyFilters } from './filter/filter'
import type { FindFacts } from './filter/query'
import { listCards } from './filter/store'
import { paramsId } from './reviews/review'
import { atEndOfLog } from './reviews/review-log'
import { type CardSnapshot, resetSnapshot, setDue } from './scheduling/snapshot'

const MAX_IDS = 500
const MAX_MATCHED = 10_000

const named = <Name extends string>(name: Name, description: string) => t.Literal(name, { description })
const Action = t.Union(
  [
    named('suspend', 'Hides them until they are unsuspended.'),
    named('unsuspend', 'Shows them again.'),
    named('bury', 'Hides them until the next study day.'),
    named('unbury', 'Shows them again.'),
    named('flag', '`value` is 0 to 7.'),
    named('move', '`value` is the id of a deck. Cards of one fact move together.'),
    named('tag_add', '`value` is a tag for their facts.'),
    named('tag_remove', '`value` is a tag of their facts.'),
    named('reposition', '`value` is the position of the first; the others follow.'),
    named('reset', 'As if never answered. Can be undone.'),
    named('set_due', '`value` is a civil date: in review, due then. Can be undone.'),
  ],
  {
    error: 'must be suspend, unsuspend, bury, unbury, flag, move, tag_add, tag_remove, reposition, reset or set_due',
  },
)

const { leech: _, suspended: __, flag: ___, ...texts } = StudyFilters.properties
const CardFilter = t.Object(
  {
    ...texts,
    leech: t.Optional(t.Boolean()),
    suspended: t.Optional(t.Boolean()),
    flag: t.Optional(Type.Integer({ minimum: 0, maximum: 7 })),
  },
  { ...closed, description: 'The filters of the list of cards.' },
)

export const CardsAction = t.Object(
  {
    ids: t.Optional(
      t.Array(Id, {
        minItems: 1,
        maxItems: MAX_IDS,
        description: 'The cards. Either `ids` or `filter` must be given.',
      }),
    ),
    filter: t.Optional(CardFilter),
    action: Action,
    value: t.Optional(t.Union([t.String(), Type.Integer(), t.Null()], { error: 'must be text, an integer or null' })),
    dry_run: t.Optional(t.Boolean({ description: 'True: reports what would change, and changes nothing.' })),
  },
  {
    ...closed,
    examples: [
      { filter: { tag: 'geography', state: 'new' }, action: 'flag', value: 3, dry_run: true },
      { filter: { leech: true }, action: 'set_due', value: '2026-03-21' },
    ],
  },
)

export const CardsActionReport = t.Object(
  {
    matched: Type.Integer({ minimum: 0 }),
    changed: Type.Integer({ minimum: 0, description: 'Cards that the action changed.' }),
    dry_run: t.Boolean(),
  },
  { examples: [{ matched: 12, changed: 9, dry_run: true }] },
)

type CardFilter = Static<typeof CardFilter>
export type CardsAction = Static<typeof CardsAction>
export type CardsActionReport = Static<typeof CardsActionReport>

const MAX_DUE_DAYS = 36_500

// Readers of `value`, one for each kind. All of them throw invalid_request at /value.

function refuseValue({ action, value }: CardsAction): void {
  if (value != null) throw invalid('/value', 'not_allowed', `${action} takes no value`)
}

function readInteger({ action, value }: CardsAction, max: number): number {
  if (typeof value !== 'number' || value < 0 || value > max)
    throw invalid('/value', 'invalid_value', `for ${action} value must be a whole number from 0 to ${max}`)
  return value
}

function readFirstPosition(request: CardsAction, count: number): number {
  return readInteger(request, MAX_POSITION - Math.max(0, count - 1))
}

async function readDeckKey(session: Session, request: CardsAction): Promise<number> {
  return (await requireUntrashedDeck(session, readText(request), '/value')).key
}

function readTag(request: CardsAction): string {
  return atValue(() => readFactTags([readText(request)]))[0] ?? ''
}

/** Returns the tags with one more. Throws also if they become too many. */
function addTag(tags: readonly string[], tag: string): string[] {
  return atValue(() => readFactTags([...tags, tag]))
}

/** Reads a study day, as whole days since 1970-01-01. */
function readDueDay(request: CardsAction, today: number): number {
  const day = toDay(readCivilDate(readText(request), '/value'))
  if (Math.abs(day - today) > MAX_DUE_DAYS)
    throw invalid('/value', 'out_of_range', `value must be at most ${MAX_DUE_DAYS} days from today`)
  return day
}

function readText({ action, value }: CardsAction): string {
  if (typeof value !== 'string') throw invalid('/value', 'invalid_value', `for ${action} value must be text`)
  return value
}

function atValue<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof ApiError) throw invalid('/value', 'invalid_value', error.detail)
    throw error
  }
}

interface Deps extends StudyContext {
  readonly findFacts: FindFacts
}

export type CardActions = ReturnType<typeof createCardActions>

/** An action changes all of them or none. */
export function createCardActions({ now, ids, cardWriter, factWriter, reviewWriter, findFacts }: Deps) {
  /** Gives each card these members. Returns how many cards changed. */
  async function saveEach(session: Session, cards: readonly CardRow[], members: (i: number) => Partial<CardRow>) {
    let changed = 0
    for (const [i, card] of cards.entries()) if ((await cardWriter.save(session, card, members(i))) !== card) changed++
    return changed
  }

  /** Gives the fact of each card these members. Returns how many of the cards have a changed fact. */
  async function saveFacts(
    session: Session,
    cards: readonly CardRow[],
    members: (fact: FactRow) => Partial<FactRow>,
  ): Promise<number> {
    const keys = [...new Set(cards.map(({ fact }) => fact))]
    const changed = new Set<number>()
    for (const fact of await getFactsByKeys(session, keys))
      if ((await factWriter.save(session, fact, members(fact))) !== fact) changed.add(fact.key)
    return cards.filter(({ fact }) => changed.has(fact)).length
  }

  /** Sets the schedule of each card, and adds a manual review to the log. Returns how many cards changed. */
  async function reschedule(
    session: Session,
    cards: readonly CardRow[],
    study: Study,
    to: (of: CardSnapshot) => CardSnapshot,
  ) {
    const decks = cards.map(({ deck }) => deck)
    const settings = await readInherited(session, study, decks)
    let changed = 0
    for (const card of cards) {
      const before = toSnapshot(card, study.clock)
      const after = to(before)
      const saved = await cardWriter.save(session, card, toScheduleColumns(after))
      if (saved === card) continue
      changed++
      const params_id = paramsId(settings.get(card.deck)?.effective ?? study.defaults)
      const id = ids()
      await reviewWriter.insert(session, card, {
        ...MANUAL_REVIEW,
        reviewed_at: await atEndOfLog(session, study, card, id),
        study_day: study.today,
        id,
        params_id,
        before,
        after,
      })
    }
    return changed
  }

  function runAction(
    session: Session,
    request: CardsAction,
    cards: readonly CardRow[],
    study: Study,
  ): Promise<number> | number {
    const { today, clock } = study
    switch (request.action) {
      case 'suspend':
        return saveEach(session, cards, () => ({ suspended: 1 }))
      case 'unsuspend':
        return saveEach(session, cards, () => ({ suspended: 0 }))
      case 'bury':
        return saveEach(session, cards, () => ({ buried_until: today + 1 }))
      case 'unbury':
        return saveEach(session, cards, () => ({ buried_until: null }))
      case 'flag': {
        const flag = readInteger(request, 7)
        return saveEach(session, cards, () => ({ flag }))
      }
      case 'reposition': {
        const first = readFirstPosition(request, cards.length)
        return saveEach(session, cards, (i) => ({ position: first + i }))
      }
      case 'move':
        return readDeckKey(session, request).then((deck) => saveFacts(session, cards, () => ({ deck })))
      case 'tag_add': {
        const tag = readTag(request)
        return saveFacts(session, cards, ({ tags }) => ({ tags: JSON.stringify(addTag(JSON.parse(tags), tag)) }))
      }
      case 'tag_remove': {
        const key = factTagKey(readTag(request))
        const without = (tags: string[]) => tags.filter((tag) => factTagKey(tag) !== key)
        return saveFacts(session, cards, ({ tags }) => ({ tags: JSON.stringify(without(JSON.parse(tags))) }))
      }
      case 'reset':
        return reschedule(session, cards, study, resetSnapshot)
      case 'set_due': {
        const day = readDueDay(request, today)
        return reschedule(session, cards, study, (of) => setDue(of, day, today, clock))
      }
    }
  }

  return {
    /** Finds what the words of the filter need, before the transaction of the action. Throws invalid_request. */
    async findWords(session: Session, { filter }: CardsAction): Promise<FindFacts> {
      if (filter?.q === undefined) return findFacts
      return findAhead(session, filter.q, await readStudy(session, now()), findFacts)
    },

    /**
     * Runs the action in one transaction. With `dry_run` it changes nothing and reports the same counts.
     * @throws ApiError not_found for an id, too_many_affected for a filter, invalid_request, quota_exceeded
     */
    run(session: Session, request: CardsAction, found: FindFacts): Promise<CardsActionReport> {
      const { dry_run = false } = request
      if (ACTIONS_WITHOUT_VALUE.has(request.action)) refuseValue(request)
      const work = async (db: Session['db']): Promise<CardsActionReport> => {
        const tx = { ...session, db }
        const study = await readStudy(tx, now())
        const cards = await findMatchingCards(tx, request, study, found)
        return { matched: cards.length, changed: await runAction(tx, request, cards, study), dry_run }
      }
      return dry_run ? dryRun(session.db, work) : session.db.transaction(work)
    },
  }
}

const ACTIONS_WITHOUT_VALUE: ReadonlySet<CardsAction['action']> = new Set([
  'suspend',
  'unsuspend',
  'bury',
  'unbury',
  'reset',
])

const MANUAL_REVIEW = {
  kind: 'manual',
  rating: null,
  duration_ms: 0,
  elapsed_days: 0,
  predicted_retrievability: null,
  fingerprint: null,
} as const

/** Returns the cards in the order of the ids in the request, or by position. Throws not_found, too_many_affected. */
async function findMatchingCards(
  session: Session,
  { ids, filter }: CardsAction,
  study: Study,
  findFacts: FindFacts,
): Promise<CardRow[]> {
  if ((ids === undefined) === (filter === undefined))
    throw invalid('/ids', 'invalid_value', 'either ids or filter must be given')
  if (ids !== undefined) {
    const order = new Map([...new Set(ids)].map((id, i) => [id, i]))
    const cards = await getCardsByIds(session, [...order.keys()])
    if (cards.length < order.size) throw new ApiError('not_found', 'There is no card with one of these ids.')
    return cards.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
  }
  const read = await readStudyFilter(session, toListQuery(filter ?? {}), study, findFacts)
  const listing = { filter: read, trashed: false, ids: null, after: null, limit: MAX_MATCHED + 1 }
  const cards = await listCards(session, listing)
  if (cards.length > MAX_MATCHED) throw new ApiError('too_many_affected', 'The filter matches more than 10,000 cards.')
  return cards.toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))
}

function toListQuery({ leech, suspended, flag, ...texts }: CardFilter) {
  const flagged = (value: boolean) => (value ? ('true' as const) : ('false' as const))
  return {
    ...texts,
    ...(leech === undefined ? {} : { leech: flagged(leech) }),
    ...(suspended === undefined ? {} : { suspended: flagged(suspended) }),
    ...(flag === undefined ? {} : { flag: String(flag) }),
  }
}
