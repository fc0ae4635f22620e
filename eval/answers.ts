import { slowness } from '../test/support/cost'
import { type Count, type Figure, toShareFigure } from './figures'
import { type NoteText, startSatchel } from './satchel'

/** The members of SQuAD's format (1.1 and 2.0) that are read. */
export interface Squad {
  readonly data: readonly {
    readonly title: string
    readonly paragraphs: readonly { readonly context: string; readonly qas: readonly SquadQuestion[] }[]
  }[]
}

interface SquadQuestion {
  readonly question: string
  readonly answers: readonly { readonly text: string }[]
  readonly is_impossible?: boolean
}

/** A passage as a note, with the questions that it answers. */
interface Passage extends NoteText {
  readonly qas: readonly SquadQuestion[]
}

export interface AnswersTask {
  readonly squad: Squad
  /** Titles of articles; null for all. */
  readonly articles: readonly string[] | null
  /** Queries that no passage answers. */
  readonly foreign: readonly string[]
}

/** Notes of the workspace in which answers are timed. */
const TIMED_AT = 1000
const TIMED_QUESTIONS = 200
const MEDIAN_MS = 5

/** Stores every passage as a note of one workspace, and asks the questions over HTTP, as any client would. */
export async function measureAnswers({ squad, articles, foreign }: AnswersTask): Promise<Figure[]> {
  const passages = listPassages(squad, articles)
  const asker = await startAsker(passages)
  const questions = passages.flatMap((passage, i) =>
    passage.qas.filter((asked) => !asked.is_impossible).map((asked) => ({ ...asked, note: asker.ids[i] })),
  )
  let [first, inside, kept] = [0, 0, 0]
  for (const { question, note, answers } of questions) {
    const [top] = await asker.cited(question)
    if (top) kept++
    if (top?.id === note) first++
    if (answers.some(({ text }) => top?.quote.includes(text))) inside++
  }
  const refused: Count = { right: await countRefused(asker, foreign), of: foreign.length }
  await asker.close()
  const of = questions.length
  return [
    toShareFigure(`right note first, ${passages.length} notes`, { right: first, of }, 0.84),
    toShareFigure('answer inside the top quoted sentence', { right: inside, of }, 0.78),
    toShareFigure('foreign queries refused', refused, 0.95),
    toShareFigure('answerable questions kept', { right: kept, of }, 0.93),
    await measureTime(passages, questions),
  ]
}

async function countRefused(asker: Asker, queries: readonly string[]): Promise<number> {
  let refused = 0
  for (const query of queries) if ((await asker.cited(query)).length === 0) refused++
  return refused
}

/** Measures the median time of an answer, with the whole request, in a workspace of a thousand notes. */
async function measureTime(passages: readonly Passage[], questions: readonly SquadQuestion[]): Promise<Figure> {
  const notes = Array.from({ length: TIMED_AT }, (_, i) => {
    const passage = passages[i % passages.length]
    return { title: `${passage?.title} ${i}`, body: passage?.body ?? '', qas: [] }
  })
  const asker = await startAsker(notes)
  const times: number[] = []
  for (const { question } of questions.slice(0, TIMED_QUESTIONS)) {
    const start = performance.now()
    await asker.cited(question)
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

type Asker = Awaited<ReturnType<typeof startAsker>>

async function startAsker(notes: readonly Passage[]) {
  const { ids, post, close } = await startSatchel(notes)
  return {
    ids,
    close,
    /** Returns the cited quotations of an answer, best first. */
    async cited(content: string): Promise<{ id: string; quote: string }[]> {
      const { citations } = await post('/api/chat', { messages: [{ role: 'user', content }], mode: 'read' })
      return citations.filter(({ cited }: { cited: boolean }) => cited)
    },
  }
}

function listPassages({ data }: Squad, articles: readonly string[] | null): Passage[] {
  const chosen = articles === null ? data : data.filter(({ title }) => articles.includes(title))
  const missing = articles?.filter((name) => !data.some(({ title }) => title === name)) ?? []
  if (missing.length > 0) throw new Error(`the file has no article ${missing.join(', ')}`)
  return chosen.flatMap(({ title, paragraphs }) =>
    paragraphs.map(({ context, qas }, i) => ({ title: `${title.replaceAll('_', ' ')} ${i + 1}`, body: context, qas })),
  )
}
