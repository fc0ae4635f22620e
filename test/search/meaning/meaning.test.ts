import { afterAll, expect, test } from 'bun:test'
import { MAX_PASSAGES } from '../../../src/search/meaning/passages'
import { makeFolder } from '../../support/folder'
import { contradictions } from '../../support/recount'
import { type As, MANY_CALLERS, makeKey, makeWorld } from '../../support/world'
import { startModel } from './model'

type World = Awaited<ReturnType<typeof makeWorld>>
const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const one of cleanups.reverse()) await one()
})

async function setUp(settings: Record<string, string> = {}, folder = makeFolder(), model = newModel()) {
  const world = await makeWorld({
    settings: { ...MANY_CALLERS, SEMANTIC_BASE_URL: model.url, SEMANTIC_MODEL: 'words', ...settings },
    folder,
  })
  const close = world.close
  cleanups.push(() => close().catch(() => {}))
  return { world, model, folder }
}

function newModel(dimensions?: number) {
  const model = startModel(dimensions)
  cleanups.push(model.stop)
  return model
}

let keys = 5000
const stranger = (): As => ({ key: makeKey(++keys) })

async function embed(world: World): Promise<void> {
  await world.jobs.find(({ name }) => name === 'make embeddings')?.run(new AbortController().signal)
}

async function note(world: World, me: As, title: string, body = '', more: object = {}): Promise<string> {
  const { status, body: made } = await world.call(me, 'POST', '/api/notes', { title, body, ...more })
  expect([title, status, made.detail]).toEqual([title, 201, undefined])
  return made.id
}

async function search(world: World, me: As, q: string, more: Record<string, string> = {}) {
  const { status, body } = await world.call(me, 'GET', `/api/notes/search?${new URLSearchParams({ q, ...more })}`)
  expect([q, status, body.detail]).toEqual([q, 200, undefined])
  return { ...body, titles: body.items.map(({ title }: { title: string }) => title) }
}

async function related(world: World, me: As, id: string, more = '') {
  const { status, body } = await world.call(me, 'GET', `/api/notes/${id}/related${more}`)
  expect([status, body.detail]).toEqual([200, undefined])
  return { by: body.by, titles: body.items.map(({ title }: { title: string }) => title) }
}

const rows = async (world: World, table: string) =>
  (await world.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n

test('what means the same stands beside what has the words, and only where words answer', async () => {
  const { world } = await setUp()
  const me = stranger()
  await note(world, me, 'automobile')
  await note(world, me, 'car insurance', 'papers')
  await note(world, me, 'gardening', 'roses')
  expect(await search(world, me, 'car')).toMatchObject({ titles: ['car insurance'], meaning: false })
  await embed(world)
  const found = await search(world, me, 'car')
  expect(found.meaning).toBeTrue()
  // Gardening is near nothing that was asked.
  expect(found.titles.sort()).toEqual(['automobile', 'car insurance'])
  // No note has the word, and what is not answered by words is not answered.
  expect((await search(world, me, 'vehicle')).titles).toEqual([])
  expect(await search(world, me, 'car', { strict: 'true' })).toMatchObject({
    titles: ['car insurance'],
    meaning: false,
  })
  expect(await search(world, me, 'car', { sort: '-updated' })).toMatchObject({ titles: ['car insurance'] })
  expect(await search(world, me, 'car', { prefix: 'last' })).toMatchObject({ titles: ['car insurance'] })
  expect(await search(world, me, '"car"')).toMatchObject({ titles: ['car insurance'], meaning: false })
})

test('operators and filters hold for what meaning finds', async () => {
  const { world } = await setUp()
  const me = stranger()
  await note(world, me, 'automobile', 'engine', { tags: ['red'] })
  await note(world, me, 'vehicle', 'wheels', { tags: ['blue'], folder: 'shed' })
  await note(world, me, 'car', 'insurance', { tags: ['red'] })
  await note(world, me, 'car', 'keys', { tags: ['blue'] })
  for (const title of ['roses', 'soup', 'letters']) await note(world, me, title, '', { tags: ['red', 'blue'] })
  await embed(world)
  expect((await search(world, me, 'car')).titles.sort()).toEqual(['automobile', 'car', 'car', 'vehicle'])
  expect((await search(world, me, 'car tag:red')).titles.sort()).toEqual(['automobile', 'car'])
  expect((await search(world, me, 'car -wheels')).titles.sort()).toEqual(['automobile', 'car', 'car'])
  expect((await search(world, me, 'car', { tag: 'blue' })).titles.sort()).toEqual(['car', 'vehicle'])
  expect((await search(world, me, 'car -tag:blue -engine')).titles.sort()).toEqual(['car'])
})

test('related notes are the nearest others, by meaning once there are vectors, by words before', async () => {
  const { world } = await setUp()
  const me = stranger()
  const own = await note(world, me, 'car', 'insurance papers')
  await note(world, me, 'automobile')
  await note(world, me, 'papers of the house', 'insurance')
  await note(world, me, 'gardening', 'roses')
  const gone = await note(world, me, 'vehicle')
  const before = await related(world, me, own)
  expect(before).toEqual({ by: 'words', titles: ['papers of the house'] })
  await embed(world)
  await world.call(me, 'DELETE', `/api/notes/${gone}`)
  const after = await related(world, me, own)
  expect(after.by).toBe('meaning')
  expect(after.titles).toHaveLength(3)
  expect(after.titles.slice(0, 2).sort()).toEqual(['automobile', 'papers of the house'])
  expect((await related(world, me, own, '?limit=1')).titles).toHaveLength(1)
  expect(await related(world, me, gone)).toEqual({ by: 'words', titles: [] })
})

test('without a model related notes are found by words, with a key and without', async () => {
  const world = await makeWorld({ settings: MANY_CALLERS })
  cleanups.push(world.close)
  for (const me of [stranger(), {}]) {
    const own = await note(world, me, 'boiler', 'the pressure of the boiler falls')
    await note(world, me, 'plumber', 'asked about the boiler and its pressure')
    await note(world, me, 'roses', 'about the garden')
    expect(await related(world, me, own)).toEqual({ by: 'words', titles: ['plumber'] })
    expect(world.jobs.some(({ name }) => name === 'make embeddings')).toBeFalse()
  }
})

test('vectors go with their text: edited, in the trash, erased, with its workspace; and count in bytes', async () => {
  const { world } = await setUp()
  const [me, other] = [stranger(), stranger()]
  const ids: string[] = []
  for (const title of ['one', 'two', 'three', 'four']) ids.push(await note(world, me, title, `about ${title}`))
  await note(world, other, 'five')
  const size = async () => (await world.call(me, 'GET', '/api/usage')).body.workspace.size_bytes
  const before = await size()
  await embed(world)
  expect(await rows(world, 'search_vectors')).toBe(5)
  expect((await size()) - before).toBe(4 * 64)
  expect(await contradictions(world.folder)).toEqual([])
  await world.call(me, 'PATCH', `/api/notes/${ids[0]}`, { body: 'changed' })
  await world.call(me, 'DELETE', `/api/notes/${ids[1]}`)
  await world.call(me, 'DELETE', `/api/notes/${ids[2]}?permanent=true`)
  // Those of what was edited are replaced by the next ones.
  expect(await rows(world, 'search_vectors')).toBe(3)
  expect(await contradictions(world.folder)).toEqual([])
  const hashes = async () =>
    (await world.db.all<{ hash: string }>('SELECT hash FROM search_vectors')).map(({ hash }) => hash)
  const old = await hashes()
  await embed(world)
  expect(await rows(world, 'search_vectors')).toBe(3)
  expect((await hashes()).filter((hash) => !old.includes(hash))).toHaveLength(1)
  expect(await contradictions(world.folder)).toEqual([])
  await world.call(me, 'POST', `/api/notes/${ids[1]}/restore`)
  await embed(world)
  expect(await rows(world, 'search_vectors')).toBe(4)
  expect((await world.call(me, 'DELETE', '/api/workspace', { confirm: 'erase' })).status).toBe(204)
  expect(await rows(world, 'search_vectors')).toBe(1)
  expect(await contradictions(world.folder)).toEqual([])
})

test('a run that is cut off, and another process, go on where it was; what is done is not asked for again', async () => {
  const { world, model, folder } = await setUp()
  const me = stranger()
  for (let n = 0; n < 30; n++) await note(world, me, `number ${n}`)
  let calls = 0
  model.state.refuses = () => ++calls > 20
  await embed(world)
  const done = model.state.texts.length
  expect(done).toBeGreaterThan(0)
  expect(done).toBeLessThan(30)
  expect(await rows(world, 'search_vectors')).toBe(done)
  await world.close()
  model.state.refuses = () => false
  const next = await setUp({}, folder, model)
  await embed(next.world)
  expect(await rows(next.world, 'search_vectors')).toBe(30)
  expect(model.state.texts).toHaveLength(30)
  await embed(next.world)
  expect(model.state.texts).toHaveLength(30)
})

test('another model, and another length of its vectors, make all anew', async () => {
  const { world, model, folder } = await setUp()
  const me = stranger()
  for (const title of ['car', 'automobile', 'roses']) await note(world, me, title)
  await embed(world)
  await world.close()
  const other = await setUp({ SEMANTIC_MODEL: 'other' }, folder, model)
  // What another model made is no answer to the question's vector.
  expect(await search(other.world, me, 'car')).toMatchObject({ titles: ['car'], meaning: false })
  await embed(other.world)
  expect(model.state.texts.filter((text) => text === 'roses')).toHaveLength(2)
  expect((await search(other.world, me, 'car')).titles).toContain('automobile')
  model.state.dimensions = 96
  expect(await search(other.world, me, 'car')).toMatchObject({ titles: ['car'], meaning: false })
  await note(other.world, me, 'vehicle')
  await embed(other.world)
  expect(await rows(other.world, 'search_vectors')).toBe(4)
  expect((await search(other.world, me, 'car')).titles).toEqual(expect.arrayContaining(['vehicle', 'automobile']))
  expect(model.state.texts.filter((text) => text === 'roses')).toHaveLength(3)
  expect(await contradictions(folder)).toEqual([])
})

for (const mode of ['fails', 'nonsense'] as const)
  test(`a model that ${mode} leaves words alone to answer, is asked less and less, and loses nothing`, async () => {
    const { world, model } = await setUp()
    const me = stranger()
    await note(world, me, 'car')
    await note(world, me, 'automobile')
    await embed(world)
    model.state.mode = mode
    await note(world, me, 'vehicle')
    expect(await search(world, me, 'car')).toMatchObject({ titles: ['car'], meaning: false })
    const before = model.state.calls
    for (let minute = 0; minute < 60; minute++) {
      await embed(world)
      world.clock.now += 60_000
    }
    expect(model.state.calls - before).toBeLessThan(20)
    expect(world.logged.filter(({ message }) => message.includes('model for embeddings'))).toHaveLength(1)
    model.state.mode = 'answers'
    world.clock.now += 300_000
    await embed(world)
    await embed(world)
    expect(await rows(world, 'search_vectors')).toBe(3)
    expect((await search(world, me, 'car')).titles.sort()).toEqual(['automobile', 'car', 'vehicle'])
  })

test('a model that hangs delays an answer by less than a second', async () => {
  const { world, model } = await setUp()
  const me = stranger()
  await note(world, me, 'car')
  await note(world, me, 'automobile')
  await embed(world)
  model.state.mode = 'hangs'
  expect(await search(world, me, 'car')).toMatchObject({ titles: ['car'], meaning: false })
})

test('a text that the model never takes holds up no other', async () => {
  const { world, model } = await setUp()
  const [me, other] = [stranger(), stranger()]
  let poison = ''
  for (let n = 0; n < 12; n++) {
    const id = await note(world, me, n === 5 ? 'poison' : `fine ${n}`)
    if (n === 5) poison = id
  }
  await note(world, other, 'elsewhere')
  model.state.refuses = (text) => text.includes('poison')
  for (let minute = 0; minute < 40; minute++) {
    await embed(world)
    world.clock.now += 300_000
  }
  expect(model.state.texts.filter((text) => text !== 'available').toSorted()).toEqual(
    ['elsewhere', ...Array.from({ length: 12 }, (_, n) => `fine ${n}`).filter((text) => text !== 'fine 5')].toSorted(),
  )
  const { calls } = model.state
  model.state.refuses = () => false
  await embed(world)
  expect(model.state.calls).toBe(calls)
  await world.call(me, 'PATCH', `/api/notes/${poison}`, { title: 'antidote' })
  await embed(world)
  expect(model.state.texts).toContain('antidote')
})

test('a text that a busy model refuses is tried again', async () => {
  const { world, model } = await setUp()
  const me = stranger()
  for (const title of ['long', 'short']) await note(world, me, title)
  model.state.refuses = (text) => text === 'long'
  model.state.refusal = 429
  await embed(world)
  expect(await rows(world, 'search_vectors')).toBe(0)
  model.state.refuses = () => false
  world.clock.now += 300_000
  await embed(world)
  expect(model.state.texts.filter((text) => text !== 'available').toSorted()).toEqual(['long', 'short'])
})

test('a text that loses its words loses its vectors', async () => {
  const { world } = await setUp()
  const me = stranger()
  const id = await note(world, me, 'car')
  await embed(world)
  await world.call(me, 'PATCH', `/api/notes/${id}`, { title: '…' })
  await embed(world)
  expect(await world.db.get<{ n: number }>('SELECT sum(length(vectors)) AS n FROM search_vectors')).toEqual({ n: 0 })
  expect(await contradictions(world.folder)).toEqual([])
})

test('vectors leave room for texts: a workspace that is nearly full gets none, and goes on when it is not', async () => {
  const { world } = await setUp({ WORKSPACE_BYTES: '60000' })
  const me = stranger()
  const id = await note(world, me, 'large', 'x'.repeat(55_000))
  await note(world, me, 'small')
  await embed(world)
  expect(await rows(world, 'search_vectors')).toBe(0)
  await note(world, me, 'there is room still', 'y'.repeat(4000))
  await world.call(me, 'DELETE', `/api/notes/${id}?permanent=true`)
  world.clock.now += 600_000
  await embed(world)
  expect(await rows(world, 'search_vectors')).toBe(2)
  expect(await contradictions(world.folder)).toEqual([])
})

test('the model gets the texts of a full address once', async () => {
  const { world, model } = await setUp({ SCRATCH_BYTES: '60000' }, makeFolder(), newModel(512))
  await note(world, { address: '192.0.2.7' }, 'large', 'word '.repeat(10_600))
  await embed(world)
  await embed(world)
  expect([model.state.texts.length, await rows(world, 'search_vectors')]).toEqual([MAX_PASSAGES, 0])
})

test('workspaces get their turns one after the other', async () => {
  const { world, model } = await setUp()
  const [large, small] = [stranger(), stranger()]
  for (let n = 0; n < 60; n++) await note(world, large, `large ${n}`)
  await note(world, small, 'small')
  await embed(world)
  expect(model.state.texts.indexOf('small')).toBeLessThan(20)
  expect(model.state.texts).toHaveLength(61)
})

test('what has no word gets no vector, and is not looked at again and again', async () => {
  const { world, model } = await setUp()
  const me = stranger()
  await note(world, me, '…', '***')
  await note(world, me, 'word')
  await embed(world)
  expect(model.state.texts).toEqual(['word'])
  const progress = 'SELECT sum(seq - coalesce(done, 0)) AS n FROM workspaces LEFT JOIN search_models ON workspace = id'
  expect(await world.db.get<{ n: number }>(progress)).toEqual({ n: 0 })
})
