import type { Figure } from '../figures'
import { startSatchel } from '../satchel'
import { createBm25 } from './bm25'
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
  /** The scores by the first goal of the set. */
  readonly scores: Scores
  readonly floor: number
  /** Whether it is with meaning as well, which the means leave out. */
  readonly meaning: boolean
}

export interface Scores {
  readonly satchel: number
  readonly fts5: number
  readonly bm25: number
}

/** Engines beside Satchel: SQLite's, and a plain one with an English stemmer and stop words. */
interface Peer {
  /** Finds the indexes of the best texts; a title weighs `weight` times a body. */
  find(query: string, weight: number): number[]
  close(): void
}

/** The first pages that the peers find. */
type Found = Readonly<Record<'fts5' | 'bm25', readonly (readonly number[])[]>>

/** Weights of the title for the peers. The best one on the dev part is used, to compare with each at its best. */
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
  const [fts5, bm25] = [createFts5(texts), createBm25(texts)]
  try {
    const compared: SetResult[] = []
    for (const set of sets) {
      const questions = set.questions.filter(({ number }) => partOf(number) === part)
      const found = await findAll(satchel, questions)
      const theirs = { fts5: findPages(fts5, set, questions), bm25: findPages(bm25, set, questions) }
      const title = `${name} (${texts.length} notes)`
      compared.push(toCompared(title, set, questions, found, theirs))
      if (!withMeaning) continue
      const near = await findAll(withMeaning, questions)
      const goals = set.goals.map((goal) => ({ ...goal, ...(goal.above ? { above: MEANING_GAIN } : {}) }))
      const withVectors = toCompared(
        title,
        { ...set, kind: `${set.kind}, with meaning`, goals, floor: 0 },
        questions,
        near,
        theirs,
      )
      compared.push({ ...withVectors, meaning: true })
    }
    return compared
  } finally {
    fts5.close()
    bm25.close()
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

function findPages(peer: Peer, set: QuestionSet, asked: readonly Question[]): number[][] {
  const weight = chooseWeight(peer, set)
  return asked.map(({ query }) => peer.find(query, weight))
}

function chooseWeight(peer: Peer, { questions, goals: [goal] }: QuestionSet): number {
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
  { fts5, bm25 }: Found,
): SetResult {
  const refused = found.filter((page) => page === null).length
  const empty = found.filter((page) => page?.length === 0).length
  const answerable = fts5.filter(({ length }) => length > 0).length
  const unanswered = fts5.filter(({ length }, i) => length > 0 && !found[i]?.length).length
  const scoreAll = (measure: MeasureName): Scores => ({
    satchel: mean(measure, asked, found),
    fts5: mean(measure, asked, fts5),
    bm25: mean(measure, asked, bm25),
  })
  const figures = goals.map(({ measure, least = 0, above = 0 }) => {
    const { satchel, ...peers } = scoreAll(measure)
    const target = Math.max(least, peers.fts5 + above)
    return {
      what: `${name}: ${kind}, ${measure}`,
      target: `≥ ${target.toFixed(3)} (FTS5 ${peers.fts5.toFixed(3)}, BM25 ${peers.bm25.toFixed(3)})`,
      measured: `${satchel.toFixed(3)} (${asked.length} queries, ${empty} empty, ${refused} refused)`,
      reached: satchel >= target,
    }
  })
  return { figures, answerable, unanswered, scores: scoreAll(goals[0]?.measure ?? 'MRR@10'), floor, meaning: false }
}

/** Creates the figure of the mean over sets: Satchel is to reach the baseline. */
export function toMeanFigure(what: string, sets: readonly SetResult[]): Figure {
  const meanOf = (engine: keyof Scores) =>
    sets.reduce((sum, { scores }) => sum + scores[engine], 0) / Math.max(1, sets.length)
  const [satchel, fts5, bm25] = [meanOf('satchel'), meanOf('fts5'), meanOf('bm25')]
  return {
    what: `${what}: mean, beside stemmer, stop words and BM25`,
    target: `≥ ${bm25.toFixed(3)} (FTS5 ${fts5.toFixed(3)})`,
    measured: `${satchel.toFixed(3)} (${sets.length} sets)`,
    reached: satchel >= bm25,
  }
}
