import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Database, Session } from '../src/db/database'
import { openDatabase } from '../src/db/open'
import { createCardWriter } from '../src/flashcards/cards/card'
import { deckResource } from '../src/flashcards/decks/deck'
import { readHistories } from '../src/flashcards/optimizing/log-store'
import { createQueues } from '../src/flashcards/queue/queue'
import { createReviewLog } from '../src/flashcards/reviews/review-log'
import { createReviewWriter } from '../src/flashcards/reviews/review-writer'
import { createReviews } from '../src/flashcards/reviews/reviews'
import { createStudyStatistics, PARTS } from '../src/flashcards/stats/stats'
import { createListeners } from '../src/workspace/processes'
import { createWorkspaces } from '../src/workspace/service'
import { WORKSPACE } from './corpus'
import { type Effort, percentile, type Row } from './figures'
import { makeFolder, removeFolder } from './server'

/**
 * The figures of flashcards, over a workspace of 100,000 cards in 50 decks: one in ten is due, one in ten is new, and
 * each of the rest was answered eight times within the last year.
 */

const NOW = Date.parse('2026-03-02T12:00:00.000Z')
const DAY = 86_400_000
/** The study day of NOW. */
const TODAY = Math.floor(NOW / DAY)
const DECKS = 50
const ANSWERS_PER_CARD = 8
/** As many bytes as the commit of an answer writes: some twenty pages. */
const COMMIT = Buffer.alloc(80 * 1024)
const ORDERS = ['due', 'retrievability', 'random'] as const

/** What one call took, in milliseconds of the clock and of the processor. Others on the machine lengthen the first. */
interface Taken {
  readonly clock: number
  readonly processor: number
}

/** By what was asked. */
type Times = Record<'queues' | 'wide queues' | 'answers' | 'fsyncs' | 'statistics' | 'turns', Taken[]>

interface Measured {
  readonly cards: number
  readonly times: Times
}

function servicesOf(db: Database) {
  let ids = 0
  const now = () => NOW
  const newId = () => `01910000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`
  const room = { resources: 1_000_000, size_bytes: 2 ** 40 }
  const { record, recordAll, usage } = createWorkspaces({
    db,
    now,
    listeners: createListeners(),
    quotas: { key: room, scratch: room },
    diskIsFull: () => false,
  })
  const cardWriter = createCardWriter({ now, record, recordAll })
  const reviewWriter = createReviewWriter({ now, ids: newId, record, recordAll, usage })
  return {
    deckWriter: deckResource.createRecords({ now, record }),
    reviews: createReviews({
      now,
      ids: newId,
      cardWriter,
      reviewWriter,
      reviewLog: createReviewLog({ cardWriter, reviewWriter }),
    }),
    queues: createQueues({ now, html: { add: async () => [] } }),
    statistics: createStudyStatistics({ now }),
  }
}

type Services = ReturnType<typeof servicesOf>

const idOf = (kind: number, n: number) => `01900000-0000-7000-8${kind}00-${n.toString(16).padStart(12, '0')}`

/** Every tenth deck stands at the top, with the nine behind it in it. */
async function fillDecks(session: Session, { deckWriter }: Services): Promise<void> {
  let top: number | null = null
  for (let n = 0; n < DECKS; n++) {
    const stamps = {
      id: idOf(0, n),
      revision: 1,
      created_at: NOW,
      updated_at: NOW,
      deleted_at: null,
      trashed_with: null,
    }
    const names = { name: `Deck ${n}`, name_key: `deck ${n}`, description: '', settings: '{}' }
    const parent: number | null = n % 10 === 0 ? null : top
    const deck = await deckWriter.insert(session, { ...stamps, ...names, parent })
    if (parent === null) top = deck.key
  }
}

const SNAPSHOT = JSON.stringify({
  state: 'review',
  due_at: NOW,
  due_day: TODAY,
  stability: 16.18802274,
  difficulty: 2.1043314,
  scheduled_days: 16,
  step: 0,
  reps: 3,
  lapses: 0,
  // Before all answers of the log: an answer that is older counts for nothing.
  last_reviewed_at: NOW - 400 * 86_400_000,
  suspended: false,
  leech: false,
  buried_until: null,
})
const NEW_SNAPSHOT = SNAPSHOT.replace('16.18802274', 'null').replace('2.1043314', 'null')

/** An id of SQLite's own making, by a number. */
const sqlId = (kind: number, n: string) => `'01900000-0000-7000-8${kind}00-' || printf('%012x', ${n})`

/** Facts with a card each, and the log: written as rows, since answering a million cards takes an hour. */
async function fillCards(session: Session, count: number): Promise<void> {
  const { db, workspace } = session
  const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $2)'
  await db.run(
    `${numbers} INSERT INTO study_facts (workspace, id, revision, created_at, updated_at, deck, type, front, back,
       accepted, tags, note_ids, duplicate_key, size_bytes)
     SELECT $1, ${sqlId(1, 'n')}, 1, $3, $3, (SELECT min(key) FROM study_decks) + n * 7919 % ${DECKS}, 'basic',
       'What is word ' || n || ' in the other language?', 'It is that.', '[]', '[]', '[]', printf('%064x', n), 60 FROM numbers`,
    [workspace.id, count, NOW],
  )
  // One in ten is new, one in ten due within the last month, and one in five hundred in learning.
  await db.run(
    `${numbers}, places AS (SELECT n, (SELECT min(key) FROM study_facts) - 1 + n AS fact,
         CASE WHEN n % 10 = 0 THEN 'new' WHEN n % 500 = 7 THEN 'learning' ELSE 'review' END AS state,
         1 + n * 31 % 90 AS days FROM numbers)
     INSERT INTO study_cards (workspace, id, revision, created_at, updated_at, fact, deck, ordinal, state, due_at,
       due_day, stability, difficulty, scheduled_days, step, reps, lapses, last_reviewed_at, suspended, flag, leech, position)
     SELECT $1, ${sqlId(2, 'n')}, 1, $3, $3, fact, (SELECT deck FROM study_facts WHERE key = fact), 0, state,
       CASE state WHEN 'learning' THEN $3 - 60000 * (n % 60) END,
       CASE state WHEN 'review' THEN CASE WHEN n % 10 = 1 THEN ${TODAY} - n % 30 ELSE ${TODAY} + days END END,
       CASE state WHEN 'new' THEN NULL ELSE days + n % 97 / 97.0 END,
       CASE state WHEN 'new' THEN NULL ELSE 1 + n % 90 / 10.0 END,
       CASE state WHEN 'review' THEN days ELSE 0 END, 0, CASE state WHEN 'new' THEN 0 ELSE ${ANSWERS_PER_CARD} END, 0,
       CASE state WHEN 'new' THEN NULL ELSE $3 - 86400000 * days END, 0, 0, 0, n FROM places`,
    [workspace.id, count, NOW],
  )
  await fillLog(session)
}

/** Answers of the last year, those to one card some weeks apart; of every tenth card the last one is of today. */
async function fillLog({ db, workspace }: Session): Promise<void> {
  await db.run(
    `WITH times (i) AS (SELECT value FROM json_each($2)), answers AS (
       SELECT key AS card, i, key * 8 + i AS n, CASE WHEN i = ${ANSWERS_PER_CARD - 1} AND key % 100 = 3 THEN 0
         ELSE 1 + key * 13 % 40 + 40 * (${ANSWERS_PER_CARD - 1} - i) END AS ago
       FROM study_cards JOIN times WHERE state <> 'new')
     INSERT INTO study_reviews (workspace, id, revision, created_at, updated_at, card, kind, rating, reviewed_at, study_day,
       duration_ms, elapsed_days, predicted_retrievability, params_id, was_new, interval_days, before, after)
     SELECT $1, ${sqlId(3, 'n')}, 1, $3, $3, card, CASE i WHEN 0 THEN 'learning' ELSE 'review' END,
       CASE n * 7 % 10 WHEN 0 THEN 1 WHEN 1 THEN 2 WHEN 2 THEN 4 ELSE 3 END, $3 - 86400000 * ago - n % 20000000,
       ${TODAY} - ago, n % 20000, CASE i WHEN 0 THEN 0 ELSE 40 END, CASE i WHEN 0 THEN NULL ELSE 0.5 + n % 500 / 1000.0 END,
       '0123456789abcdef.0123456789abcdef', i = 0, CASE i WHEN 0 THEN 0 ELSE 16 + n % 20 END,
       CASE i WHEN 0 THEN $4 ELSE $5 END, $5
     FROM answers ORDER BY i, card`,
    [workspace.id, JSON.stringify(Array.from({ length: ANSWERS_PER_CARD }, (_, i) => i)), NOW, NEW_SNAPSHOT, SNAPSHOT],
  )
}

/** How the workspace studies: in this order, with or without limits in the way. */
async function studyBy(
  { db, workspace }: Session,
  review_order: (typeof ORDERS)[number],
  wide: boolean,
): Promise<void> {
  const limits = wide ? { new_limit_per_day: 9999, review_limit_per_day: 9999 } : {}
  await db.run(
    `INSERT INTO study_settings VALUES ($1, 2, $2, $2, 'Europe/Berlin', 4, 20, $3, 60)
     ON CONFLICT (workspace) DO UPDATE SET deck_defaults = excluded.deck_defaults`,
    [workspace.id, NOW, JSON.stringify({ review_order, ...limits })],
  )
}

/** Decks, cards and a year's answers of a workspace. */
export async function fillStudy(session: Session & { readonly db: Database }, cards: number): Promise<void> {
  await session.db.transaction(async (db) => {
    await fillDecks({ ...session, db }, servicesOf(session.db))
    await fillCards({ ...session, db }, cards)
  })
}

async function measure(count: number, runs: number): Promise<Measured> {
  const folder = makeFolder()
  const db = openDatabase(join(folder, 'satchel.db'), 0, () => '')
  try {
    const session = { workspace: WORKSPACE, db }
    const services = servicesOf(db)
    await fillStudy(session, count)
    return { cards: count, times: await timesOf(session, services, { count, runs, folder }) }
  } finally {
    await db.close()
    removeFolder(folder)
  }
}

async function taken(work: () => unknown): Promise<Taken> {
  const [start, used] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(used)
  return { clock: performance.now() - start, processor: (user + system) / 1000 }
}

interface Plan {
  readonly count: number
  readonly runs: number
  /** Where the database lies: what an answer waits for is its disk. */
  readonly folder: string
}

async function timesOf(session: Session, services: Services, { count, runs, folder }: Plan): Promise<Times> {
  const { queues, reviews, statistics } = services
  const times: Times = { queues: [], 'wide queues': [], answers: [], fsyncs: [], statistics: [], turns: [] }
  const timed = async (kind: keyof Times, work: () => unknown) => times[kind].push(await taken(work))
  const file = openSync(join(folder, 'fsync'), 'w')
  for (let run = 0; run < runs; run++) {
    const deck = run % 2 === 0 ? {} : { deck_id: idOf(0, (run % 5) * 10) }
    for (const wide of [false, true]) {
      await studyBy(session, ORDERS[run % ORDERS.length] ?? 'due', wide)
      await timed(wide ? 'wide queues' : 'queues', () => queues.get(session, { ...deck, preview: 'true' }))
    }
    const card = idOf(2, 1 + ((run * 10) % count))
    await timed('answers', () => reviews.answer(session, card, { rating: 3, duration_ms: 4000 }))
    await timed('fsyncs', () => {
      writeSync(file, COMMIT)
      fdatasyncSync(file)
    })
    if (run % 10 > 0) continue
    for (const parts of PARTS) await timed('statistics', () => statistics.get(session, { ...deck, parts }))
  }
  closeSync(file)
  times.turns.push(...(await turnsWhileReading(session)))
  return times
}

/** How long others wait for their turn while the log is read for training. */
async function turnsWhileReading(session: Session): Promise<Taken[]> {
  const decks = new Set(Array.from({ length: DECKS }, (_, n) => n + 1))
  const turns: Taken[] = []
  let isRead = false
  const reading = readHistories(session, decks, { most: 200_000, signal: new AbortController().signal })
  const done = reading.then(() => {
    isRead = true
  })
  while (!isRead) turns.push(await taken(() => setImmediate()))
  await done
  return turns
}

let measured: Promise<Measured> | undefined

/**
 * A row of what one kind of request takes, in this many milliseconds at most. Beside the clock's time it shows the
 * processor's, which others on the machine change least.
 */
function row(kind: keyof Times, what: string, target: number): Row {
  return {
    name: what,
    target: `p99 under ${target} ms`,
    async measure({ quick }: Effort) {
      measured ??= quick ? measure(1000, 12) : measure(100_000, 600)
      const { cards, times } = await measured
      const { processor, clock } = lastPercent(times[kind])
      const alone = kind === 'answers' ? `; an fsync alone takes ${lastPercent(times.fsyncs).clock.toFixed(1)} ms` : ''
      return {
        of: `among ${cards} cards, 1 in 10 of them due, and ${(cards * 9 * ANSWERS_PER_CARD) / 10} answers`,
        measured: `p99 ${clock.toFixed(1)} ms, ${processor.toFixed(1)} ms of it the processor's${alone}`,
        reached: clock < target,
      }
    },
  }
}

function lastPercent(times: readonly Taken[]): Taken {
  const of = (name: keyof Taken) =>
    percentile(
      times.map((one) => one[name]),
      0.99,
    )
  return { clock: of('clock'), processor: of('processor') }
}

export const flashcardRows: readonly Row[] = [
  row('queues', 'The due queue by any order, with previews', 50),
  row('wide queues', 'The same where the limits are 9,999 a day', 50),
  row('answers', 'An answer to a card', 10),
  row('statistics', 'Each statistic, of a year and of all decks or some', 500),
  row('turns', 'The wait of others while 200,000 answers are read for training', 50),
]
