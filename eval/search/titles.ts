/** Tasks by their exact title and cards by their exact prompt, through everything that a client can ask over HTTP. */
import { join } from 'node:path'
import { chance as makeChance } from '../../test/torture/row'
import { computeShare, type Figure } from '../figures'
import { startSatchel } from '../satchel'
import type { Part } from './compare'

interface Task {
  readonly title: string
  readonly due?: string
}

interface Card {
  readonly prompt: string
  readonly answer: string
}

type TitleData = Readonly<Record<Part, { readonly tasks: readonly Task[]; readonly cards: readonly Card[] }>>

/** Other notes, tasks and cards in the workspace, a third of each. */
const OTHERS = [0, 300, 3000]
const QUICK_OTHERS = [0, 300]
/** Operations of one batch that the API accepts. */
const BATCH = 100
const PAGE = 'limit=20'

type Satchel = Awaited<ReturnType<typeof startSatchel>>

/** What is looked for: the exact text, and the id that a search should return first. */
interface Item {
  readonly text: string
  readonly id: string
}

interface Face {
  readonly name: string
  /** Lists have an order of their own: what is looked for has to be on their first page. */
  readonly isList?: boolean
  find(satchel: Satchel, text: string): Promise<string[]>
}

const searchFaces: readonly Face[] = [
  { name: 'GET /api/search', find: (satchel, q) => list(satchel, '/api/search', q, 'id') },
  { name: 'the MCP tool search', find: callSearch },
]
const taskFaces: readonly Face[] = [
  ...searchFaces,
  { name: 'GET /api/tasks?q=', isList: true, find: (satchel, q) => list(satchel, '/api/tasks', q, 'id') },
]
const cardFaces: readonly Face[] = [
  ...searchFaces,
  {
    name: 'GET /api/flashcards/cards?q=',
    isList: true,
    find: (satchel, q) => list(satchel, '/api/flashcards/cards', q, 'fact_id'),
  },
]

/** Lists ids of the first page; none if the query is refused. */
async function list(satchel: Satchel, path: string, q: string, id: 'id' | 'fact_id'): Promise<string[]> {
  const answer = await satchel.get(`${path}?${new URLSearchParams({ q })}&${PAGE}`)
  if (answer.status >= 500) throw new Error(`${path} answered ${answer.status} to ${q}`)
  if (!answer.ok) return []
  const { items }: { items: Record<'id' | 'fact_id', string>[] } = await answer.json()
  return items.map((item) => item[id])
}

async function callSearch(satchel: Satchel, query: string): Promise<string[]> {
  const params = { name: 'search', arguments: { query } }
  const { result } = await satchel.post('/api/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const text: string = result.content[0].text
  // A line about whose text it is comes before the JSON.
  const { items = [] }: { items?: { id: string }[] } = result.isError ? {} : JSON.parse(text.slice(text.indexOf('{')))
  return items.map(({ id }) => id)
}

/** Places in the first page, for all items in a workspace of one size. */
interface Placed {
  readonly first: number
  readonly listed: number
}

async function place(satchel: Satchel, { find }: Face, items: readonly Item[]): Promise<Placed> {
  const pages: [Item, string[]][] = []
  for (const item of items) pages.push([item, await find(satchel, item.text)])
  return {
    first: pages.filter(([{ id }, [top]]) => id === top).length,
    listed: pages.filter(([{ id }, page]) => page.includes(id)).length,
  }
}

export const readTitles = (): Promise<TitleData> => Bun.file(join(import.meta.dir, '../data/titles.json')).json()

/** Measures each face in workspaces of several sizes. */
export async function measureTitles(part: Part, quick: boolean): Promise<Figure[]> {
  const data = await readTitles()
  const { tasks, cards } = data[part]
  const sizes = quick ? QUICK_OTHERS : OTHERS
  const measured: (readonly Placed[])[] = []
  for (const others of sizes) measured.push(await measureSize(data, part, others))
  const among = `among ${sizes.join(', ')} others`
  return [...taskFaces, ...cardFaces].map(({ name, isList = false }, at) => {
    const isTask = at < taskFaces.length
    const wanted = isList ? 'listed' : 'first'
    const what = `${isTask ? 'tasks by exact title' : 'cards by exact prompt'}, ${name}, ${among}: ${wanted}`
    const of = (isTask ? tasks : cards).length
    const figures = measured.map((placed) => placed[at] ?? { first: 0, listed: 0 })
    return toFigure(
      what,
      of,
      figures.map((figure) => figure[wanted]),
      `first ${figures.map(({ first }) => first).join(', ')}, listed ${figures.map(({ listed }) => listed).join(', ')}`,
    )
  })
}

function toFigure(what: string, of: number, right: readonly number[], more: string): Figure {
  return {
    what,
    target: `${of} of ${of}`,
    measured: `${right.join(', ')} of ${of} (${more})`,
    reached: right.every((count) => computeShare({ right: count, of }) === 1),
  }
}

async function measureSize(data: TitleData, part: Part, others: number): Promise<Placed[]> {
  const { tasks, cards } = data[part]
  const satchel = await startSatchel([])
  try {
    const deck = await satchel.post('/api/flashcards/decks', { name: 'Cards' })
    const filler = makeFiller(data, part, others)
    await addOthers(satchel, deck.id, filler.slice(0, others / 2))
    const taskItems: Item[] = []
    for (const { title, due } of tasks) {
      const { id } = await satchel.post('/api/tasks', { title, ...(due ? { due: { date: due } } : {}) })
      taskItems.push({ text: title, id })
    }
    const cardItems: Item[] = []
    for (const { prompt, answer } of cards) {
      const fact = { type: 'basic', deck_id: deck.id, front: prompt, back: answer }
      cardItems.push({ text: prompt, id: (await satchel.post('/api/flashcards/facts', fact)).id })
    }
    await addOthers(satchel, deck.id, filler.slice(others / 2))
    const placed: Placed[] = []
    for (const face of taskFaces) placed.push(await place(satchel, face, taskItems))
    for (const face of cardFaces) placed.push(await place(satchel, face, cardItems))
    return placed
  } finally {
    await satchel.close()
  }
}

/** Makes texts that share words with what is looked for: each exact text with a word more, then its words in any order. */
function makeFiller(data: TitleData, part: Part, count: number): string[] {
  const textsOf = (one: Part) => [
    ...data[one].tasks.map(({ title }) => title),
    ...data[one].cards.map(({ prompt }) => prompt),
  ]
  const words = [...textsOf('dev'), ...textsOf('held-out')].flatMap((text) => text.split(' '))
  const next = makeChance(count)
  const pick = () => words[Math.floor(next() * words.length)] ?? ''
  const exact = textsOf(part)
  const texts = Array.from({ length: count }, (_, i) =>
    i < exact.length ? `${exact[i]} ${pick()}` : Array.from({ length: 2 + (i % 5) }, pick).join(' '),
  )
  return texts.map((text) => (exact.includes(text) ? `${text} ${pick()}` : text))
}

async function addOthers(satchel: Satchel, deckId: string, texts: readonly string[]): Promise<void> {
  for (let from = 0; from < texts.length; from += BATCH) {
    const batch = texts.slice(from, from + BATCH)
    const ofKind = (kind: number) => batch.filter((_, i) => i % 3 === kind)
    const create = (data: unknown[]) => ({ ops: data.map((one) => ({ op: 'create', data: one })) })
    await satchel.post('/api/notes/batch', create(ofKind(0).map((text) => ({ title: text, body: `${text}.` }))))
    await satchel.post('/api/tasks/batch', create(ofKind(1).map((title) => ({ title }))))
    const items = ofKind(2).map((front) => ({ type: 'basic', deck_id: deckId, front, back: 'something else' }))
    await satchel.post('/api/flashcards/facts/batch', { items })
  }
}
