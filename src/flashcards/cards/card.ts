import type { Tagged } from '../../http/conditional'
import { writeInstant } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import type { CardFaces } from '../facts/fact'
import { retrievability } from '../scheduling/scheduler'
import type { CardSnapshot } from '../scheduling/snapshot'
import { type StudyClock, startOfStudyDay, studyDay } from '../scheduling/study-day'
import type { Study } from '../settings/study'
import type { Card } from './schema'
import type { CardRow } from './store'

/** The columns that a schedule is kept in. */
type Schedule = Omit<CardSnapshot, 'suspended' | 'leech'> & Pick<CardRow, 'suspended' | 'leech'>

/** What the scheduler knows of a card: of due_at and due_day both, whichever is stored. */
export function snapshotOf(card: CardRow, clock: StudyClock): CardSnapshot {
  const { state, due_at, due_day, stability, difficulty, scheduled_days, step, reps, lapses } = card
  return {
    state,
    due_at: due_at ?? (due_day === null ? null : startOfStudyDay(due_day, clock)),
    due_day: due_day ?? (due_at === null ? null : studyDay(due_at, clock)),
    stability,
    difficulty,
    scheduled_days,
    step,
    reps,
    lapses,
    last_reviewed_at: card.last_reviewed_at,
    suspended: card.suspended === 1,
    leech: card.leech === 1,
    buried_until: card.buried_until,
  }
}

/** A snapshot as columns: of due_at and due_day only what does not follow from the clock. */
export function scheduleOf({ due_at, due_day, suspended, leech, ...rest }: CardSnapshot): Schedule {
  const kept = rest.state === 'review' ? { due_at: null, due_day } : { due_at, due_day: null }
  return { ...rest, ...kept, suspended: Number(suspended), leech: Number(leech) }
}

/** Weights null are the default ones. */
export function toCard(card: CardRow, faces: CardFaces, study: Study, weights: readonly number[] | null): Tagged<Card> {
  const { today, clock, revision } = study
  const snapshot = snapshotOf(card, clock)
  const instant = (at: number | null) => (at === null ? null : writeInstant(at))
  const day = (of: number | null) => (of === null ? null : fromDay(of))
  const { id, fact_id, deck_id, ordinal, flag, position } = card
  return {
    resource: {
      id,
      revision: card.revision,
      created_at: writeInstant(card.created_at),
      updated_at: writeInstant(card.updated_at),
      trashed_at: instant(card.trashed_at),
      fact_id,
      deck_id,
      ordinal,
      prompt: faces.prompt,
      answer: faces.answer,
      ...snapshot,
      due_at: instant(snapshot.due_at),
      due_day: day(snapshot.due_day),
      last_reviewed_at: instant(snapshot.last_reviewed_at),
      buried_until: day(snapshot.buried_until),
      retrievability: retrievability(snapshot, today, weights, clock),
      flag,
      position,
    },
    etag: `"${card.revision}.${today}.${revision}"`,
  }
}
