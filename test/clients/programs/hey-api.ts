import { createClient } from './generated/client/index.ts'
import * as api from './generated/index.ts'

/** Uses the client of @hey-api/openapi-ts. Returns what it saw, one thing a line. */
export async function main(baseUrl: string, key: string): Promise<string[]> {
  const client = createClient({ baseUrl, auth: key })
  const lines: string[] = []

  for (const title of ['Porto', 'Faro', 'Braga']) await api.createNote({ client, body: { title, tags: ['city'] } })
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 2, tag: ['city'], sort: 'title', ...(cursor ? { cursor } : {}) }
    const { data } = await api.listNotes({ client, query, throwOnError: true })
    lines.push(`a page with ${data.items.map(({ title }) => title).join(' and ')}`)
    cursor = data.next_cursor
  }

  const due = { date: '2026-03-05', time: '17:30', time_zone: 'Europe/Lisbon' }
  const body = { title: 'Rent', priority: 2, due }
  const { data: task } = await api.createTask({ client, body, throwOnError: true })
  lines.push(`due at ${task.due?.time} on the ${Number(task.due?.date.slice(-2)).toFixed(0)}th`)

  const { data: deck } = await api.createDeck({ client, body: { name: 'Capitals' }, throwOnError: true })
  await api.createFact({ client, body: { deck_id: deck.id, type: 'basic', front: 'Portugal', back: 'Lisbon' } })
  const { data: cards } = await api.listCards({ client, query: { deck_id: deck.id } })
  for (const { id } of cards?.items ?? []) {
    const { data: answered } = await api.reviewCard({ client, path: { id }, body: { rating: 3 } })
    lines.push(`rated ${answered?.review.rating?.toFixed(1)}, now in ${answered?.card.state}`)
  }

  const { data: found } = await api.search({ client, query: { q: 'Porto', types: ['note'], limit: 5 } })
  for (const { type, title } of found?.items ?? []) lines.push(`found the ${type} ${title}`)

  const messages = [{ role: 'user', content: 'add a task: water the plants' } as const]
  const { data: chat } = await api.chat({ client, body: { messages } })
  for (const { risk, status, target, undo } of typeof chat === 'object' && 'actions' in chat ? chat.actions : [])
    lines.push(`${risk}: ${status} with ${target?.title}, undone by ${undo?.method}, then ${undo?.next.length} more`)

  const path = { id: '01980000-0000-7000-8000-000000000000' }
  const { error, response } = await api.getNote({ client, path })
  lines.push(error?.code === 'not_found' ? `nothing there: ${response?.status}` : 'a note')

  const headers = { 'If-Match': `"${task.revision}"` }
  for (const title of ['Rent of May', 'Rent of June']) {
    const changed = await api.updateTask({ client, path: { id: task.id }, headers, body: { title } })
    lines.push(changed.error ? `${changed.error.code}: ${changed.error.status}` : `now ${changed.data.title}`)
  }

  // @ts-expect-error a text is no number
  await api.listNotes({ client, query: { limit: 'five' } })
  // @ts-expect-error a misspelt member of a body
  await api.createTask({ client, body: { titel: 'Rent' } })
  // @ts-expect-error a code that there is not
  if (error?.code === 'not_fond') lines.push('never')
  return lines
}
