import { replay } from '../../../src/flashcards/scheduling/scheduler'
import { NEW_SNAPSHOT } from '../../../src/flashcards/scheduling/snapshot'
import { ANSWER, type CardColumns, fill, NEW_CARD, type ReviewColumns } from '../log-rows'
import { sampleLog } from './sample'

const DAY = 86_400_000
const FIRST_DAY = 20_000
/** An interval that no weights make. */
const DUE_IN = 7
/** Of a card that was answered before, only that it had memory counts. */
const KNOWN = { ...NEW_SNAPSHOT, state: 'review', stability: 1, difficulty: 5 }

const sample = await sampleLog()

/** Puts cards of the sample log into a deck, all in review, as the default weights left them. */
export async function fillSample(folder: string, deck: string, from: number, to: number) {
  const logs = sample.slice(from, to).map((steps) => steps.map((step) => ({ ...step, day: FIRST_DAY + step.day })))
  const cards = logs.map((steps): CardColumns => {
    const last = steps.at(-1)?.day ?? FIRST_DAY
    const memory = replay(steps, null)
    const due = { due_day: last + DUE_IN, scheduled_days: DUE_IN, last_reviewed_at: last * DAY + DAY / 2 }
    return { ...NEW_CARD, ...memory, ...due, state: 'review', reps: steps.length }
  })
  const reviews = logs.flatMap((steps, card) =>
    steps.map(({ day, rating, elapsed }, i): ReviewColumns => {
      const at = { study_day: day, reviewed_at: day * DAY + DAY / 2 + i, elapsed_days: elapsed }
      const [kind, before] = i === 0 ? (['learning', NEW_SNAPSHOT] as const) : (['review', KNOWN] as const)
      return { ...ANSWER, ...at, card, rating, was_new: Number(i === 0), kind, before }
    }),
  )
  await fill(folder, deck, cards, reviews)
  return { logs, answers: reviews.length, items: reviews.filter(({ elapsed_days }) => elapsed_days > 0).length }
}
