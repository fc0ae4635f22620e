import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  answer,
  EMPTY,
  learn,
  leftIn,
  peekNext,
  putBack,
  type Rating,
  receive,
  type Session,
  type StudyItem,
  showNext,
  undoAnswer,
  withoutCards,
} from '../../app/study/session'
import { cardExample } from '../../src/flashcards/cards/card-schema'
import { previewExample } from '../../src/flashcards/reviews/review-schema'
import { runs } from '../support/full'

const START = Date.parse('2026-03-05T12:00:00.000Z')
const MINUTE = 60_000
const at = (minutes: number) => ({ now: START + minutes * MINUTE, aheadMs: 20 * MINUTE })

/** Again in one minute, hard in six, good in ten; easy leaves learning. */
const seconds = (interval_seconds: number) => ({ ...previewExample.again, interval_seconds })
const LEARNING = { again: seconds(60), hard: seconds(360), good: seconds(600), easy: previewExample.easy }

const item = (id: string, preview: StudyItem['preview'] = previewExample, last: string | null = null): StudyItem => ({
  card: { ...cardExample, id, fact_id: id, last_reviewed_at: last },
  preview,
})
const queue = (items: StudyItem[], more = 0) => ({
  items,
  counts: { new: 0, learning: 0, review: items.length + more },
})
const begin = (ids: string, preview = previewExample as StudyItem['preview']) =>
  receive(EMPTY, queue([...ids].map((id) => item(id, preview))), 50, at(0))
const rate = (session: Session, rating: Rating, minutes: number) =>
  answer(session, rating, { reviewId: `r${session.answers.length}`, at: START + minutes * MINUTE }, at(minutes))

const idsOf = ({ current, ready, learning }: Session) => [
  ...(current ? [current.card.id] : []),
  ...ready.map(({ card }) => card.id),
  ...learning.map(({ item }) => item.card.id),
]
const shown = ({ current }: Session) => current?.card.id ?? null

/** What the server says of the last answer to a card. */
function outcome(session: Session, id: string, dueAt: number | null) {
  const last = session.answers.findLast(({ item }) => item.card.id === id)
  const state: 'review' | 'learning' = dueAt === null ? 'review' : 'learning'
  const due_at = dueAt === null ? null : new Date(dueAt).toISOString()
  const last_reviewed_at = new Date(last?.at ?? 0).toISOString()
  return {
    ...{ index: 0, status: 201, merged: false, error: null, preview: LEARNING },
    card: { ...cardExample, id, state, due_at, last_reviewed_at },
    review: { id: last?.reviewId } as never,
  }
}

describe('a session', () => {
  test('shows the cards in the order of the server', () => {
    let session = begin('abc')
    const seen = [shown(session)]
    for (const minute of [1, 2, 3]) {
      session = rate(session, 3, minute)
      seen.push(shown(session))
    }
    expect(seen).toEqual(['a', 'b', 'c', null])
    expect(leftIn(session)).toBe(0)
  })

  test('brings back what stays in learning, the earliest due first, as soon as its preview is there', () => {
    let session = rate(rate(begin('abcd', LEARNING), 3, 0), 1, 1)
    expect(session.learning.map(({ item, dueAt }) => [item.card.id, dueAt - START])).toEqual([
      ['b', 2 * MINUTE],
      ['a', 10 * MINUTE],
    ])
    session = learn(session, [outcome(session, 'b', START + 2 * MINUTE)])
    expect(shown(rate(session, 4, 1.5))).toBe('d')
    expect(shown(rate(session, 4, 2))).toBe('b')
  })

  test('does not wait for a card of learning without a preview while there are others, but shows it at the end', () => {
    const session = rate(begin('abc', LEARNING), 1, 0)
    expect(shown(rate(session, 4, 5))).toBe('c')
    expect(shown(rate(rate(session, 4, 5), 4, 6))).toBe('a')
  })

  test('shows learning ahead of time only when the server has no more', () => {
    const one = rate(begin('a', LEARNING), 3, 0)
    expect(shown(one)).toBe('a')
    const more = receive(EMPTY, queue([item('a', LEARNING)], 5), 1, at(0))
    expect(shown(rate(more, 3, 0))).toBe(null)
    expect(leftIn(rate(more, 3, 0))).toBe(6)
  })

  test('does not show a card ahead of more than the settings allow', () => {
    const session = { ...EMPTY, learning: [{ item: item('a'), dueAt: START + 21 * MINUTE }] }
    expect(shown(showNext(session, at(0)))).toBe(null)
    expect(shown(showNext(session, at(1)))).toBe('a')
    expect(shown(showNext(session, { now: START + MINUTE, aheadMs: 0 }))).toBe(null)
  })

  test('comes back to a card whose answer is taken back, and then to the one that was shown', () => {
    const before = rate(begin('abc', LEARNING), 3, 1)
    const session = undoAnswer(rate(before, 1, 2))
    expect([shown(session), session.ready.map(({ card }) => card.id)]).toEqual(['b', ['c']])
    expect(session.learning.map(({ item }) => item.card.id)).toEqual(['a'])
    expect(undoAnswer(undoAnswer(session))).toMatchObject({ answers: [] })
    expect(undoAnswer(EMPTY)).toBe(EMPTY)
  })

  test('leaves out of a late queue what was answered meanwhile, and takes it when the server knows', () => {
    const session = rate(begin('abc'), 3, 1)
    const late = receive(session, queue([item('a'), item('b'), item('c')]), 50, at(2))
    expect(idsOf(late)).toEqual(['b', 'c'])
    const known = receive(
      session,
      queue([item('a', LEARNING, new Date(START + MINUTE).toISOString()), item('b')]),
      50,
      at(2),
    )
    expect(idsOf(known)).toEqual(['b', 'a'])
  })

  test('ignores what an answer came to that was taken back, or follows an older one', () => {
    const session = rate(begin('ab', LEARNING), 1, 0)
    const told = outcome(session, 'a', START + MINUTE)
    expect(learn(undoAnswer(session), [told])).toEqual(undoAnswer(session))
    expect(learn(session, [{ ...told, review: { id: 'other' } as never }])).toBe(session)
    expect(learn(session, [{ ...told, card: null, review: null }])).toBe(session)
    expect(learn(session, [told]).learning[0]?.item.preview).toEqual(LEARNING)
    expect(learn(session, [outcome(session, 'a', null)]).learning).toEqual([])
  })

  test('takes cards out and puts them back in front', () => {
    const session = begin('abc')
    const gone = showNext(
      withoutCards(session, ({ id }) => id === 'a'),
      at(0),
    )
    expect(idsOf(gone)).toEqual(['b', 'c'])
    expect(idsOf(putBack(gone, item('a')))).toEqual(['a', 'b', 'c'])
  })
})

type Step = { readonly do: 'rate'; readonly rating: Rating } | { readonly do: 'undo' | 'tell' | 'ask' | 'wait' }

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('rate' as const), rating: fc.constantFrom<Rating>(1, 2, 3, 4) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constantFrom('undo' as const, 'tell' as const, 'ask' as const, 'wait' as const) }),
    },
  ),
  { maxLength: 60 },
)

/** A server that knows what was answered before it was told, and gives what is left. */
function serverQueue(all: readonly string[], session: Session): StudyItem[] {
  const last = new Map(session.answers.map((one) => [one.item.card.id, one]))
  return all.flatMap((id) => {
    const given = last.get(id)
    if (!given) return [item(id, LEARNING)]
    return given.rating === 4 ? [] : [item(id, LEARNING, new Date(given.at).toISOString())]
  })
}

function take(session: Session, step: Step, all: readonly string[], minute: number): Session {
  switch (step.do) {
    case 'rate':
      return rate(session, step.rating, minute)
    case 'undo':
      return undoAnswer(session)
    case 'ask':
      return receive(session, queue(serverQueue(all, session)), 50, at(minute))
    case 'tell': {
      const told = session.learning.map(({ item, dueAt }) => outcome(session, item.card.id, dueAt))
      return learn(session, told)
    }
    case 'wait':
      return showNext(session, at(minute))
  }
}

test('whatever is done: no card is lost or in two places, the shown one stays, undo comes back to the answered card', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), steps, (count, list) => {
      const all = Array.from({ length: count }, (_, index) => `card-${index}`)
      let session = receive(EMPTY, queue(all.map((id) => item(id, LEARNING))), 50, at(0))
      for (const [index, step] of list.entries()) {
        const before = session
        const expected = peekNext(before, at(index))?.card.id ?? null
        session = take(before, step, all, index)
        const ids = idsOf(session)
        expect(new Set(ids).size).toBe(ids.length)
        const last = new Map(session.answers.map((one) => [one.item.card.id, one]))
        // Easy ends learning; what the others lead to is known only with a preview, but for “again”.
        for (const id of all) {
          const { rating = 0, item = null } = last.get(id) ?? {}
          const mayEnd = rating === 4 || (rating > 1 && item?.preview === null)
          if (!mayEnd) expect(ids).toContain(id)
        }
        if (step.do === 'undo') expect(shown(session)).toBe(before.answers.at(-1)?.item.card.id ?? shown(before))
        else if (step.do !== 'rate' && before.current) expect(shown(session)).toBe(shown(before))
        // What was made ahead is what is shown, but for learning that came due only now.
        else if (
          step.do === 'rate' &&
          before.ready.length > 0 &&
          !before.learning.some(({ dueAt }) => dueAt <= at(index).now)
        )
          expect(shown(session)).toBe(expected)
        const dues = session.learning.map(({ dueAt }) => dueAt)
        expect(dues).toEqual(dues.toSorted((a, b) => a - b))
      }
    }),
    { numRuns: runs(300) },
  )
})
