import createClient from 'openapi-fetch'
import type { paths } from './generated.ts'

/** Uses the types of openapi-typescript, with openapi-fetch. Returns what it saw, one thing a line. */
export async function main(baseUrl: string, key: string): Promise<string[]> {
  const { GET, POST, PATCH } = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } })
  const lines: string[] = []

  for (const title of ['Porto', 'Faro', 'Braga']) await POST('/api/notes', { body: { title, tags: ['city'] } })
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 2, tag: ['city'], sort: 'title', ...(cursor ? { cursor } : {}) }
    const { data, error } = await GET('/api/notes', { params: { query } })
    if (error) throw new Error(error.detail)
    lines.push(`a page with ${data.items.map(({ title }) => title).join(' and ')}`)
    cursor = data.next_cursor
  }

  const due = { date: '2026-03-05', time: '17:30', time_zone: 'Europe/Lisbon' }
  const { data: task } = await POST('/api/tasks', { body: { title: 'Rent', priority: 2, due } })
  lines.push(`due at ${task?.due?.time} on the ${Number(task?.due?.date.slice(-2)).toFixed(0)}th`)

  const { data: deck } = await POST('/api/flashcards/decks', { body: { name: 'Capitals' } })
  if (!deck) throw new Error('no deck')
  const fact = { deck_id: deck.id, type: 'basic', front: 'Portugal', back: 'Lisbon' } as const
  await POST('/api/flashcards/facts', { body: fact })
  const { data: cards } = await GET('/api/flashcards/cards', { params: { query: { deck_id: deck.id } } })
  for (const { id } of cards?.items ?? []) {
    const answer = { params: { path: { id } }, body: { rating: 3 } } as const
    const { data: answered } = await POST('/api/flashcards/cards/{id}/reviews', answer)
    lines.push(`rated ${answered?.review.rating?.toFixed(1)}, now in ${answered?.card.state}`)
  }

  const { data: found } = await GET('/api/search', { params: { query: { q: 'Porto', types: ['note'], limit: 5 } } })
  for (const { type, title } of found?.items ?? []) lines.push(`found the ${type} ${title}`)

  const messages = [{ role: 'user', content: 'add a task: water the plants' } as const]
  const { data: chat } = await POST('/api/chat', { body: { messages } })
  for (const { risk, status, target, undo } of typeof chat === 'object' && 'actions' in chat ? chat.actions : [])
    lines.push(`${risk}: ${status} with ${target?.title}, undone by ${undo?.method}, then ${undo?.next.length} more`)

  const path = { id: '01980000-0000-7000-8000-000000000000' }
  const { error, response } = await GET('/api/notes/{id}', { params: { path } })
  lines.push(error?.code === 'not_found' ? `nothing there: ${response.status}` : 'a note')

  if (!task) throw new Error('no task')
  const header = { 'If-Match': `"${task.revision}"` }
  for (const title of ['Rent of May', 'Rent of June']) {
    const changed = await PATCH('/api/tasks/{id}', { params: { path: { id: task.id }, header }, body: { title } })
    lines.push(changed.error ? `${changed.error.code}: ${changed.error.status}` : `now ${changed.data.title}`)
  }

  // @ts-expect-error a number is no text
  await GET('/api/notes', { params: { query: { limit: 'five' } } })
  // @ts-expect-error a misspelt member of a body
  await POST('/api/tasks', { body: { titel: 'Trip' } })
  // @ts-expect-error a code that there is not
  if (error?.code === 'not_fond') lines.push('never')
  return lines
}
