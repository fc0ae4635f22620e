import * as api from './generated.ts'

/** Uses the fetch client of orval, which was made for the address of the server. Returns what it saw, one thing a line. */
export async function main(_baseUrl: string, key: string): Promise<string[]> {
  // Where a body may also be Markdown, orval leaves it to its users to say which it is.
  const as = { headers: { 'X-API-Key': key, 'Content-Type': 'application/json' } }
  const lines: string[] = []

  for (const title of ['Porto', 'Faro', 'Braga']) await api.createNote({ title, tags: ['city'] }, as)
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 2, tag: ['city'], sort: 'title', ...(cursor ? { cursor } : {}) }
    const page = await api.listNotes(query, as)
    if (page.status !== 200) throw new Error(page.data.detail)
    lines.push(`a page with ${page.data.items.map(({ title }) => title).join(' and ')}`)
    cursor = page.data.next_cursor
  }

  const due = { date: '2026-03-05', time: '17:30', time_zone: 'Europe/Lisbon' }
  const task = await api.createTask({ title: 'Rent', priority: 2, due }, as)
  if (task.status !== 201) throw new Error(task.data.detail)
  lines.push(`due at ${task.data.due?.time} on the ${Number(task.data.due?.date.slice(-2)).toFixed(0)}th`)

  const deck = await api.createDeck({ name: 'Capitals' }, as)
  if (deck.status !== 201) throw new Error(deck.data.detail)
  const fact = { deck_id: deck.data.id, type: 'basic', front: 'Portugal', back: 'Lisbon' } as const
  await api.createFact(fact, {}, as)
  const cards = await api.listCards({ deck_id: deck.data.id }, as)
  for (const { id } of cards.status === 200 ? cards.data.items : []) {
    const answered = await api.reviewCard(id, { rating: 3 }, as)
    if (answered.status !== 201) throw new Error(`answered ${answered.status}`)
    lines.push(`rated ${answered.data.review.rating?.toFixed(1)}, now in ${answered.data.card.state}`)
  }

  const found = await api.search({ q: 'Porto', types: ['note'], limit: 5 }, as)
  for (const { type, title } of found.status === 200 ? found.data.items : []) lines.push(`found the ${type} ${title}`)

  const chat = await api.chat({ messages: [{ role: 'user', content: 'add a task: water the plants' }] }, as)
  if (chat.status !== 200 || typeof chat.data !== 'object' || !('actions' in chat.data)) throw new Error('no answer')
  for (const { risk, status, target, undo } of chat.data.actions)
    lines.push(`${risk}: ${status} with ${target?.title}, undone by ${undo?.method}, then ${undo?.next.length} more`)

  const none = await api.getNote('01980000-0000-7000-8000-000000000000', {}, as)
  if (none.status !== 404) throw new Error('a note')
  lines.push(none.data.code === 'not_found' ? `nothing there: ${none.status}` : 'a note')

  const matching = { headers: { ...as.headers, 'If-Match': `"${task.data.revision}"` } }
  for (const title of ['Rent of May', 'Rent of June']) {
    const changed = await api.updateTask(task.data.id, { title }, matching)
    lines.push(changed.status === 200 ? `now ${changed.data.title}` : `${changed.data.code}: ${changed.status}`)
  }

  // @ts-expect-error a text is no number
  await api.listNotes({ limit: 'five' }, as)
  // @ts-expect-error a misspelt member of a body
  await api.createTask({ titel: 'Rent' }, as)
  // @ts-expect-error a code that there is not
  if (none.data.code === 'not_fond') lines.push('never')
  return lines
}
