/** The change feed with what changed: `include=resource`. */
import { afterAll, describe, expect, test } from 'bun:test'
import { startModel } from '../search/meaning/model'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { fill } from './fill'

const model = startModel()
const world = await makeWorld({ settings: { ...MANY_CALLERS, SEMANTIC_BASE_URL: model.url, SEMANTIC_MODEL: 'words' } })
afterAll(async () => {
  await world.close()
  await model.stop()
})

let keys = 0
const stranger = () => ({ key: makeKey(++keys) })
type As = ReturnType<typeof stranger>
interface Item {
  readonly type: string
  readonly id: string
  readonly op: string
  readonly revision: number
  readonly resource?: { readonly id: string; readonly revision: number; readonly body?: string } | null
}
const feed = async (me: As, query: string) => (await world.call(me, 'GET', `/api/changes?${query}`)).body
async function whole(me: As, limit: number): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = []
  for (let [pages, since] = [1, '0']; ; pages++) {
    const page = await feed(me, `include=resource&limit=${limit}&since=${since}`)
    items.push(...page.items)
    if (page.next_cursor === null) return { items, pages }
    since = page.next_cursor
  }
}

/** Where each type is read. */
const ADDRESSES: Readonly<Record<string, (item: Item) => string>> = {
  note: ({ id }) => `/api/notes/${id}`,
  task: ({ id }) => `/api/tasks/${id}`,
  task_project: ({ id }) => `/api/tasks/projects/${id}`,
  task_section: ({ id }) => `/api/tasks/sections/${id}`,
  task_label: ({ id }) => `/api/tasks/labels/${id}`,
  task_filter: ({ id }) => `/api/tasks/filters/${id}`,
  task_feed: ({ id }) => `/api/tasks/feeds/${id}`,
  deck: ({ id }) => `/api/flashcards/decks/${id}`,
  fact: ({ id }) => `/api/flashcards/facts/${id}`,
  card: ({ id }) => `/api/flashcards/cards/${id}`,
  review: ({ id }) => `/api/flashcards/reviews/${id}`,
  note_type: ({ id }) => `/api/flashcards/note-types/${id}`,
  study_settings: () => '/api/flashcards/settings',
  workspace_settings: () => '/api/workspace/settings',
}

describe('the feed with resources', () => {
  test('has of every type what its own address answers, null for what was deleted, and else what it has without', async () => {
    const me = stranger()
    await fill(world, me)
    const { items } = await whole(me, 7)
    const types = new Set<string>()
    for (const item of items) {
      if (item.op === 'delete') {
        expect(item.resource).toBeNull()
        continue
      }
      types.add(item.type)
      expect(item.resource).toMatchObject({ revision: item.revision })
      const address = ADDRESSES[item.type]?.(item)
      if (address) expect([address, item.resource]).toEqual([address, (await world.call(me, 'GET', address)).body])
    }
    const media = (await world.call(me, 'GET', '/api/flashcards/media')).body.items
    expect(items.filter(({ type }) => type === 'media').map(({ resource }) => resource)).toEqual(media)
    const attachments = (await world.call(me, 'GET', '/api/notes/attachments')).body.items
    expect(items.filter(({ type }) => type === 'attachment').map(({ resource }) => resource)).toEqual(attachments)
    expect([...types].toSorted()).toEqual([...Object.keys(ADDRESSES), 'attachment', 'media'].toSorted())
    const without = (await feed(me, 'limit=200')).items
    expect(items.map(({ resource: _, ...item }) => item)).toEqual(without)
  })

  test('has nothing of another workspace', async () => {
    const [me, other] = [stranger(), stranger()]
    await world.call(other, 'POST', '/api/notes', { body: 'theirs' })
    await world.call(me, 'POST', '/api/notes', { body: 'mine' })
    expect((await whole(me, 50)).items.map(({ resource }) => resource?.body)).toEqual(['mine'])
  })

  test('has the resource as it is now, and null while it is in the trash', async () => {
    const me = stranger()
    const { id } = (await world.call(me, 'POST', '/api/notes', { body: 'one' })).body
    await world.call(me, 'PATCH', `/api/notes/${id}`, { body: 'two' })
    expect((await feed(me, 'include=resource')).items).toMatchObject([{ revision: 2, resource: { body: 'two' } }])
    await world.call(me, 'DELETE', `/api/notes/${id}`)
    expect((await feed(me, 'include=resource')).items).toMatchObject([{ op: 'delete', resource: null }])
    await world.call(me, 'POST', `/api/notes/${id}/restore`)
    expect((await feed(me, 'include=resource')).items).toMatchObject([{ op: 'upsert', resource: { body: 'two' } }])
  })

  test('ends a page early when its resources have 1 MiB, and loses none', async () => {
    const me = stranger()
    const sizes = [600_000, 600_000, 1, 1_048_000, 1, 1]
    for (const [i, size] of sizes.entries())
      await world.call(me, 'POST', '/api/notes', { title: `${i}`, body: 'x'.repeat(size) })
    const { items, pages } = await whole(me, 200)
    expect(items.map(({ resource }) => resource?.body?.length)).toEqual(sizes)
    expect(pages).toBe(3)
    expect((await feed(me, 'limit=200')).next_cursor).toBeNull()
  })

  test.each(['include=', 'include=resources', 'include=resource&include=resource'])('refuses %s', async (query) => {
    expect((await world.call(stranger(), 'GET', `/api/changes?${query}`)).status).toBe(400)
  })
})
