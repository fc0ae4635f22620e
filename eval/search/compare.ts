import type { Figure } from '../figures'
import { startSatchel } from '../satchel'
import type { Collection, Question, QuestionSet } from './collections'
import { createFts5 } from './fts5'
import { MEASURES, type MeasureName, PAGE_RESULTS } from './score'

export type Part = 'dev' | 'held-out'

/** The result of a set of questions. */
export interface SetResult {
  readonly figures: readonly Figure[]
  /** The number of questions for which FTS5 finds something. */
  readonly answerable: number
  /** The number of these for which Satchel finds nothing. */
  readonly unanswered: number
  /** The score of Satchel, by the first goal of the set. */
  readonly satchel: number
  readonly floor: number
}

/** Weights of the title for FTS5. The best one on the dev part is used, to compare with FTS5 at its best. */
const TITLE_WEIGHTS = [1, 2, 3, 5, 10, 20]

/** The margin over FTS5 to reach with meaning, for questions as people type them. */
const MEANING_GAIN = 0.03
/** Tries of a question until the answer is ranked by meaning: on a loaded machine the model may be too slow. */
const MAX_TRIES = 20

/**
 * Gives the texts to both engines, and asks both every question of the part.
 * @param meaning whether to ask a Satchel with search by meaning as well
 */
export async function compare({ name, texts, sets }: Collection, part: Part, meaning = false): Promise<SetResult[]> {
  const satchel = await startSatchel(texts)
  const withMeaning = meaning ? await startSatchel(texts, true) : null
  const peer = createFts5(texts)
  try {
    const compared: SetResult[] = []
    for (const set of sets) {
      const questions = set.questions.filter(({ number }) => partOf(number) === part)
      const weight = chooseWeight(peer, set)
      const found = await findAll(satchel, questions)
      const theirs = questions.map(({ query }) => peer.find(query, weight))
      const title = `${name} (${texts.length} notes)`
      compared.push(toCompared(title, set, questions, found, theirs))
      if (!withMeaning) continue
      const near = await findAll(withMeaning, questions)
      const goals = set.goals.map((goal) => ({ ...goal, ...(goal.above ? { above: MEANING_GAIN } : {}) }))
      compared.push(
        toCompared(title, { ...set, kind: `${set.kind}, with meaning`, goals, floor: 0 }, questions, near, theirs),
      )
    }
    return compared
  } finally {
    peer.close()
    await satchel.close()
    await withMeaning?.close()
  }
}

const partOf = (number: number): Part => (number % 2 === 0 ? 'dev' : 'held-out')

type Satchel = Awaited<ReturnType<typeof startSatchel>>

/** Finds the first page of each question, as indexes of texts; null for a query that was refused. */
async function findAll(satchel: Satchel, asked: readonly Question[]): Promise<(number[] | null)[]> {
  const places = new Map(satchel.ids.map((id, place) => [id, place]))
  const found: (number[] | null)[] = []
  for (const { query } of asked) found.push(await find(satchel, places, query))
  return found
}

async function find(
  satchel: Satchel,
  places: ReadonlyMap<string, number>,
  query: string,
  tries = MAX_TRIES,
): Promise<number[] | null> {
  const answer = await satchel.get(
    `/api/notes/search?${new URLSearchParams({ q: query, limit: String(PAGE_RESULTS) })}`,
  )
  if (answer.status >= 500) throw new Error(`searching for ${query} answered ${answer.status}: ${await answer.text()}`)
  if (!answer.ok) return null
  const { items, ...rest }: { items: { id: string }[]; meaning: boolean } = await answer.json()
  if (satchel.meaning && !rest.meaning && items.length > 0 && tries > 1)
    return await find(satchel, places, query, tries - 1)
  return items.map(({ id }) => places.get(id) ?? -1)
}

function chooseWeight(peer: ReturnType<typeof createFts5>, { questions, goals: [goal] }: QuestionSet): number {
  const dev = questions.filter(({ number }) => partOf(number) === 'dev')
  const scores = TITLE_WEIGHTS.map((weight) =>
    mean(
      goal?.measure ?? 'MRR@10',
      dev,
      dev.map(({ query }) => peer.find(query, weight)),
    ),
  )
  return TITLE_WEIGHTS[scores.indexOf(Math.max(...scores))] ?? 1
}

function mean(measure: MeasureName, asked: readonly Question[], found: readonly (readonly number[] | null)[]): number {
  const sum = asked.reduce((sum, { right }, i) => sum + MEASURES[measure](found[i] ?? [], right), 0)
  return asked.length === 0 ? 0 : sum / asked.length
}

function toCompared(
  name: string,
  { kind, goals, floor = 0 }: QuestionSet,
  asked: readonly Question[],
  found: readonly (readonly number[] | null)[],
  theirs: readonly (readonly number[])[],
): SetResult {
  const refused = found.filter((page) => page === null).length
  const empty = found.filter((page) => page?.length === 0).length
  const answerable = theirs.filter(({ length }) => length > 0).length
  const unanswered = theirs.filter(({ length }, i) => length > 0 && !found[i]?.length).length
  const figures = goals.map(({ measure, least = 0, above = 0 }) => {
    const [ours, peers] = [mean(measure, asked, found), mean(measure, asked, theirs)]
    const target = Math.max(least, peers + above)
    return {
      what: `${name}: ${kind}, ${measure}`,
      target: `≥ ${target.toFixed(3)} (FTS5 ${peers.toFixed(3)})`,
      measured: `${ours.toFixed(3)} (${asked.length} queries, ${empty} empty, ${refused} refused)`,
      reached: ours >= target,
    }
  })
  return { figures, answerable, unanswered, satchel: mean(goals[0]?.measure ?? 'MRR@10', asked, found), floor }
}
