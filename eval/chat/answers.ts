import { slowness } from '../../test/support/cost'
import { type Count, computeShare, type Figure, toLimitFigure, toShareFigure } from '../figures'
import type { NoteText } from '../satchel'
import { createFts5 } from '../search/fts5'
import { startAsker } from './asker'
import type { AskedQuestion, Passages } from './passages'

/** The targets of a collection; null for none. */
export interface AnswerGoals {
  /** How far the share of right notes has to be above that of FTS5. */
  readonly above: number
  readonly inside: number | null
}

/** Shares of the questions that the notes answer, at least, and of those that they do not, at most. */
const [LEAST_KEPT, MOST_FOREIGN] = [0.93, 0.15]
/** Weights of the title for FTS5; the best one on these very questions is compared with. */
const TITLE_WEIGHTS = [1, 2, 3, 5, 10]

interface Counts {
  readonly of: number
  readonly first: number
  readonly inside: number
  readonly kept: number
  readonly foreign: Count
  /** Right ones of FTS5, by the weight of the title. */
  readonly peer: readonly number[]
}

/** Stores every passage as a note of its workspace, and asks the questions; FTS5 is asked the same. */
export async function measureAnswers(
  name: string,
  workspaces: readonly Passages[],
  goals: AnswerGoals,
): Promise<Figure[]> {
  const counted: Counts[] = []
  for (const passages of workspaces) counted.push(await count(passages))
  const sum = (pick: (one: Counts) => number) => counted.reduce((all, one) => all + pick(one), 0)
  const [of, foreign] = [sum((one) => one.of), sum(({ foreign }) => foreign.of)]
  const peers = Math.max(...TITLE_WEIGHTS.map((_, i) => computeShare({ right: sum(({ peer }) => peer[i] ?? 0), of })))
  const first = { right: sum((one) => one.first), of }
  const target = peers + goals.above
  const figures = [
    {
      ...toShareFigure(`${name}: right note first`, first, target),
      target: `≥ ${target.toFixed(3)} (FTS5 ${peers.toFixed(3)})`,
    },
    ...(workspaces.some(({ own }) => own.some(({ answers }) => answers.length > 0))
      ? [toShareFigure(`${name}: answer in the first quote`, { right: sum((one) => one.inside), of }, goals.inside)]
      : []),
  ]
  if (foreign === 0) return figures
  return [
    ...figures,
    toShareFigure(`${name}: answerable, and answered`, { right: sum((one) => one.kept), of }, LEAST_KEPT),
    toLimitFigure(
      `${name}: questions of other articles, answered`,
      { right: sum(({ foreign }) => foreign.right), of: foreign },
      MOST_FOREIGN,
    ),
  ]
}

async function count({ notes, own, foreign }: Passages): Promise<Counts> {
  const asker = await startAsker(notes)
  const peer = createFts5(notes)
  try {
    const peers = TITLE_WEIGHTS.map(
      (weight) => own.filter(({ question, note }) => peer.find(question, weight)[0] === note).length,
    )
    let [first, inside, kept, answered] = [0, 0, 0, 0]
    for (const { question, note, answers } of own) {
      const { quotes, grounded } = await asker.ask(question)
      const [top] = quotes
      if (grounded) kept++
      if (top?.id === asker.ids[note]) first++
      if (answers.some((text) => top?.quote.includes(text))) inside++
    }
    for (const question of foreign) if ((await asker.ask(question)).grounded) answered++
    return { of: own.length, first, inside, kept, foreign: { right: answered, of: foreign.length }, peer: peers }
  } finally {
    peer.close()
    await asker.close()
  }
}

/** Notes of the workspace in which answers are timed. */
const TIMED_AT = 1000
const TIMED_QUESTIONS = 200
const MEDIAN_MS = 8

/** Measures the median time of an answer, with the whole request, in a workspace of a thousand notes. */
export async function measureAnswerTime({
  notes,
  own,
}: {
  notes: readonly NoteText[]
  own: readonly Pick<AskedQuestion, 'question'>[]
}): Promise<Figure> {
  const many = Array.from({ length: TIMED_AT }, (_, i) => {
    const note = notes[i % notes.length]
    return { title: `${note?.title} ${i}`, body: note?.body ?? '' }
  })
  const asker = await startAsker(many)
  const asked = own.slice(0, TIMED_QUESTIONS)
  // The first ones wait for the index and the compiler.
  for (const { question } of asked) await asker.ask(question)
  const times: number[] = []
  for (const { question } of asked) {
    const start = performance.now()
    await asker.ask(question)
    times.push(performance.now() - start)
  }
  await asker.close()
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
  // Relative to how slow this machine is at the moment, as in the tests.
  const fair = median / slowness()
  const what = `local answer at ${TIMED_AT} notes, median with all of a request`
  const measured = `${fair.toFixed(1)} ms (${median.toFixed(1)} ms by the clock of this machine)`
  return { what, target: `< ${MEDIAN_MS} ms`, measured, reached: fair < MEDIAN_MS }
}
