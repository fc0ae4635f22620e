import { afterAll, expect, test } from 'bun:test'
import { contradictions } from '../support/recount'
import { type As, MANY_CALLERS, makeWorld, stranger } from '../support/world'

/** DELETE /api/trash: what it erases, what it leaves, and how it is confirmed. */

const SETTINGS = { ...MANY_CALLERS, API_LIMIT_PER_HOUR: '1000000', FREE_LIMIT_PER_HOUR: '100000' }
const world = await makeWorld({ settings: SETTINGS })
afterAll(world.close)
const EMPTY = '/api/trash?confirm=erase'

async function made(as: As, path: string, body: unknown) {
  const answer = await world.call(as, 'POST', path, body)
  expect([path, answer.status]).toEqual([path, 201])
  return answer.body
}

async function trashed(as: As, path: string, body: unknown): Promise<string> {
  const { id } = await made(as, path, body)
  expect((await world.call(as, 'DELETE', `${path}/${id}`)).status).toBe(204)
  return `${path}/${id}`
}

/** One of each kind in the trash; a deck with a fact in it, and a card that its fact has lost. */
async function fillTrash(as: As) {
  const deck = await made(as, '/api/flashcards/decks', { name: 'Gone' })
  await made(as, '/api/flashcards/facts', { deck_id: deck.id, type: 'basic', front: 'in the deck', back: 'b' })
  await world.call(as, 'DELETE', `/api/flashcards/decks/${deck.id}`)
  const living = await made(as, '/api/flashcards/decks', { name: 'Lives' })
  const both = { deck_id: living.id, type: 'reversed', front: 'both', back: 'sides' }
  const fact = await made(as, '/api/flashcards/facts', both)
  await world.call(as, 'PATCH', `/api/flashcards/facts/${fact.id}`, { type: 'basic' })
  return {
    note: await trashed(as, '/api/notes', { title: 'Old', body: '#tag [[x]]' }),
    task: await trashed(as, '/api/tasks', { title: 'T' }),
    task_project: await trashed(as, '/api/tasks/projects', { name: 'P' }),
    task_label: await trashed(as, '/api/tasks/labels', { name: 'l' }),
    task_filter: await trashed(as, '/api/tasks/filters', { name: 'F', filter: 'today' }),
    fact: await trashed(as, '/api/flashcards/facts', { deck_id: living.id, type: 'reversed', front: 'f', back: 'b' }),
    deck: `/api/flashcards/decks/${deck.id}`,
  }
}

const usage = async (as: As) => (await world.call(as, 'GET', '/api/usage')).body.workspace
const statusOf = async (as: As, path: string) => (await world.call(as, 'GET', path)).status

test('what is in the trash is erased and frees its bytes; what lives and what others have stays', async () => {
  const [me, other] = [stranger(), stranger()]
  await made(me, '/api/notes', { title: 'Lives' })
  const before = await usage(me)
  const mine = Object.values(await fillTrash(me))
  const others = Object.values(await fillTrash(other))
  const kept = await usage(other)

  const { status, body } = await world.call(me, 'DELETE', EMPTY)
  expect(status).toBe(200)
  expect(body).toEqual({
    erased: 9,
    resources: { note: 1, task: 1, task_project: 1, task_label: 1, task_filter: 1, fact: 2, deck: 1, card: 1 },
    kept: [],
  })
  for (const path of mine) expect([path, await statusOf(me, path)]).toEqual([path, 404])
  for (const path of others) expect([path, await statusOf(other, path)]).toEqual([path, 200])
  expect(await usage(other)).toEqual(kept)
  // The living deck with its fact is what is left besides the note.
  expect((await usage(me)).resources).toBe(before.resources + 2)
  expect((await world.call(me, 'GET', '/api/notes')).body.items).toHaveLength(1)
  expect((await world.call(me, 'GET', '/api/flashcards/facts')).body.items).toHaveLength(1)
  expect(await contradictions(world.folder)).toEqual([])
  expect((await world.call(me, 'DELETE', EMPTY)).body).toEqual({ erased: 0, resources: {}, kept: [] })
})

test('the feed tells of it as of a permanent delete', async () => {
  const [me, other] = [stranger(), stranger()]
  const [one, same] = [
    await trashed(me, '/api/notes', { title: 'A' }),
    await trashed(other, '/api/notes', { title: 'A' }),
  ]
  await world.call(me, 'DELETE', EMPTY)
  await world.call(other, 'DELETE', `${same}?permanent=true`)
  const told = async (as: As, path: string) => {
    const { items } = (await world.call(as, 'GET', '/api/changes')).body
    return items.map((item: object) => ({ ...item, id: path.endsWith(Reflect.get(item, 'id')) }))
  }
  expect(await told(me, one)).toEqual(await told(other, same))
})

test('with a type nothing of another kind is erased, and all of that kind is', async () => {
  for (const type of ['note', 'task', 'task_project', 'task_label', 'task_filter', 'fact', 'deck', 'card']) {
    const me = stranger()
    const paths: Record<string, string> = await fillTrash(me)
    const { status, body } = await world.call(me, 'DELETE', `${EMPTY}&type=${type}`)
    // Of cards, only the one that its fact has lost: the others go with their facts, or come back with them.
    expect([status, body.resources]).toEqual([200, { [type]: type === 'fact' ? 2 : 1 }])
    for (const [kind, path] of Object.entries(paths))
      expect([type, kind, await statusOf(me, path)]).toEqual([type, kind, kind === type ? 404 : 200])
    // A fact that stays comes back with all its cards.
    const { fact } = paths
    if (type === 'fact' || !fact) continue
    expect((await world.call(me, 'POST', `${fact}/restore`)).status).toBe(200)
    const { items } = (await world.call(me, 'GET', '/api/flashcards/cards')).body
    const id = fact.split('/').at(-1)
    expect(items.filter((card: { fact_id: string }) => card.fact_id === id)).toHaveLength(2)
  }
  expect(await contradictions(world.folder)).toEqual([])
})

test('without a key it is the trash of the scratch space', async () => {
  const path = await trashed({}, '/api/notes', { title: 'A' })
  expect((await world.call({}, 'DELETE', EMPTY)).body.erased).toBe(1)
  expect(await statusOf({}, path)).toBe(404)
})

test('without a confirmation, or of a type that there is not, nothing is erased', async () => {
  const me = stranger()
  const path = await trashed(me, '/api/notes', { title: 'A' })
  const refused: [string, unknown][] = [
    ['/api/trash', undefined],
    ['/api/trash', {}],
    ['/api/trash?confirm=ERASE', undefined],
    [`${EMPTY}&type=media`, undefined],
    [`${EMPTY}&colour=red`, undefined],
  ]
  for (const [where, body] of refused) {
    const { status } = await world.call(me, 'DELETE', where, body)
    expect([where, body, status, await statusOf(me, path)]).toEqual([where, body, 400, 200])
  }
  expect((await world.call(me, 'DELETE', '/api/trash', { confirm: 'erase' })).status).toBe(200)
  expect(await statusOf(me, path)).toBe(404)
})

test('who does not want to wait is told where to ask', async () => {
  const me = stranger()
  for (let at = 0; at < 30; at++) await trashed(me, '/api/notes', { title: `${at}` })
  const answer = await world.call(me, 'DELETE', EMPTY, undefined, { Prefer: 'respond-async' })
  expect(answer.status).toBe(202)
  const where = answer.headers.get('Location') ?? ''
  expect(where).toBe(`/api/imports/${answer.body.id}`)
  let { body: run } = await world.call(me, 'GET', where)
  while (run.state !== 'done') run = (await world.call(me, 'GET', where)).body
  expect(run).toMatchObject({ kind: 'trash', done: 30, total: 30, error: null, items: [] })
  expect(run.result).toEqual({ erased: 30, resources: { note: 30 }, kept: [] })
  expect(await statusOf(stranger(), where)).toBe(404)
})
