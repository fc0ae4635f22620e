import { afterAll, describe, expect, test } from 'bun:test'
import {
  archiveOf,
  type Json,
  makeArchiveWorld,
  NONE,
  noteLine,
  outcomeOf,
  randomText,
  toldIn,
  versionLine,
} from './support'

/** An archive is merged by id and revision, a line at a time, and never takes anything away. */

const world = await makeArchiveWorld()
afterAll(world.close)

const { stranger, imported, data, call, made, seq } = world
const ID: string = noteLine().id
const PATH = `/api/notes/${ID}`

describe('a note', () => {
  test('that is not here is made, with its revision, its instants and its trash', async () => {
    const me = stranger()
    const deleted_at = '2026-02-20T08:00:00.000Z'
    const { body } = await imported(
      me,
      archiveOf({ note: [noteLine({ revision: 7, updated_at: deleted_at, deleted_at })] }),
    )
    expect(body.resources.note).toEqual({ ...NONE, created: 1 })
    const note = (await call(me, 'GET', PATH)).body
    expect(note).toMatchObject({
      revision: 7,
      created_at: '2026-01-01T08:00:00.000Z',
      updated_at: deleted_at,
      deleted_at,
    })
    expect((await call(me, 'GET', '/api/changes')).body.items).toMatchObject([
      { seq: 1, type: 'note', id: ID, op: 'delete', revision: 7, changed_at: deleted_at },
    ])
  })

  test('with a lower revision becomes as in the archive, and what it was stays as a version', async () => {
    const me = stranger()
    await made(me, '/api/notes', { id: ID, title: 'Here', body: 'here #a' })
    const told = noteLine({ revision: 5, title: 'There', body: 'there #b', pinned: true })
    const { body } = await imported(me, archiveOf({ note: [told] }))
    expect(body.resources.note).toEqual({ ...NONE, updated: 1 })
    const note = (await call(me, 'GET', PATH)).body
    expect(note).toMatchObject({
      revision: 5,
      title: 'There',
      inline_tags: ['b'],
      pinned: true,
      created_at: told.created_at,
    })
    const old = (await call(me, 'GET', `${PATH}/revisions/1`)).body
    expect(old).toMatchObject({ title: 'Here', body: 'here #a' })
  })

  test.each([1, 2])('with the same or a higher revision stays, whatever the archive says (%d)', async (revision) => {
    const me = stranger()
    await made(me, '/api/notes', { id: ID, title: 'Here' })
    await call(me, 'PATCH', PATH, { title: 'Here still' })
    const before = await data(me)
    const { body } = await imported(me, archiveOf({ note: [noteLine({ revision, title: 'There' })] }))
    expect([body.resources.note, await data(me), await seq(me)]).toEqual([{ ...NONE, unchanged: 1 }, before, 2])
  })

  test('that is in the trash here is alive again if the archive is newer, and the other way round', async () => {
    const me = stranger()
    await made(me, '/api/notes', { id: ID, body: 'alive' })
    await call(me, 'DELETE', PATH)
    await imported(me, archiveOf({ note: [noteLine({ revision: 3, body: 'alive' })] }))
    expect((await call(me, 'GET', '/api/notes/search?q=alive')).body.items).toHaveLength(1)
    const deleted_at = '2026-02-20T08:00:00.000Z'
    await imported(me, archiveOf({ note: [noteLine({ revision: 4, body: 'alive', deleted_at })] }))
    expect((await call(me, 'GET', '/api/notes/search?q=alive')).body.items).toEqual([])
  })

  test('of a day that has another note here comes without its day', async () => {
    const me = stranger()
    await call(me, 'PUT', '/api/notes/daily/2026-03-02', { body: 'mine' })
    await imported(me, archiveOf({ note: [noteLine({ daily_date: '2026-03-02' })] }))
    expect((await call(me, 'GET', '/api/notes/daily/2026-03-02')).body.body).toBe('mine')
    expect((await call(me, 'GET', PATH)).body.daily_date).toBeNull()
  })

  test('links to what comes after it in the archive, and to what is here', async () => {
    const me = stranger()
    const other = ID.replace(/1$/, '2')
    await made(me, '/api/notes', { title: 'Here' })
    const lines = [noteLine({ body: '[[Later]] [[Here]]' }), noteLine({ id: other, title: 'Later' })]
    await imported(me, archiveOf({ note: lines }))
    expect((await call(me, 'GET', PATH)).body.links).toEqual({ out: 2, unresolved: 0, in: 0 })
    expect((await call(me, 'GET', `/api/notes/${other}`)).body.links.in).toBe(1)
  })

  test('keeps the import that it came from: the next one finds what was changed', async () => {
    const [me, other] = [stranger(), stranger()]
    const file = (text: string) => `---\nid: ${ID}\n---\n# T\n\n${text}\n`
    const read = (as: typeof me, text: string) =>
      call(as, 'POST', '/api/notes/import', file(text), { 'Content-Type': 'text/markdown' })
    await read(me, 'one')
    await imported(other, await world.exported(me))
    for (const as of [me, other]) {
      expect((await read(as, 'one')).body.totals.unchanged).toBe(1)
      expect((await read(as, 'two')).body.totals.updated).toBe(1)
    }
  })
})

describe('a version of a note', () => {
  const note = noteLine({ revision: 9, title: 'Now' })

  test('that fits in between is added, and what is here stays', async () => {
    const me = stranger()
    await made(me, '/api/notes', { id: ID, title: 'First', body: 'same' })
    await call(me, 'PATCH', PATH, { title: 'Second' })
    const lines = [
      versionLine({ revision: 1, content: { ...versionLine().content, title: 'Another first' } }),
      versionLine({ revision: 2, last_revision: 4 }),
      versionLine({ revision: 5, last_revision: 8, body_revision: 5, label: 'kept', label_revision: 2 }),
    ]
    const { body } = await imported(me, archiveOf({ note: [note], note_revision: lines }))
    expect(body.resources.note_revision).toEqual({ ...NONE, created: 1, unchanged: 2 })
    const { items } = (await call(me, 'GET', `${PATH}/revisions`)).body
    expect(items.map(({ revision, title, label }: Json) => [revision, title, label])).toEqual([
      [9, 'Now', null],
      [5, 'Old', 'kept'],
      [2, 'Second', null],
      [1, 'First', null],
    ])
    expect((await call(me, 'GET', `${PATH}/revisions/7`)).body.body).toBe('old')
    expect(await world.contradictions()).toEqual([])
  })

  test('takes a label that was given later', async () => {
    const me = stranger()
    const [first, named, again] = [1, 2, 2].map((label_revision, i) =>
      archiveOf({ note: [note], note_revision: [versionLine({ label_revision, label: [null, 'named', 'late'][i] })] }),
    )
    const counts = []
    for (const archive of [first, named, again])
      if (archive) counts.push((await imported(me, archive)).body.resources.note_revision)
    expect(counts).toEqual([
      { ...NONE, created: 1 },
      { ...NONE, updated: 1 },
      { ...NONE, unchanged: 1 },
    ])
    expect((await call(me, 'GET', `${PATH}/revisions/1`)).body.label).toBe('named')
    expect(await world.contradictions()).toEqual([])
  })

  test.each<[string, Json, string]>([
    ['of no note', { note_id: ID.replace(/1$/, '9') }, 'unknown_note'],
    ['beyond the note as it is', { revision: 8, last_revision: 9, body_revision: 8 }, 'conflict'],
    ['newer than the note', { revision: 10, last_revision: 12, body_revision: 10 }, 'conflict'],
    ['that ends before it begins', { revision: 3, last_revision: 2 }, 'invalid_value'],
    ['with a body of the future', { body_revision: 2 }, 'invalid_value'],
    ['with a blank label', { label: ' ' }, 'invalid_label'],
    ['with a body too long', { content: { ...versionLine().content, body: randomText(1, 2 ** 20 + 1) } }, 'too_long'],
    ['with a member that is not known', { colour: 'red' }, 'invalid_value'],
    ['with another body of the same revision', { revision: 7, last_revision: 7, body_revision: 2 }, 'conflict'],
  ])('%s is refused, and the others are not', async (_, members, code) => {
    const me = stranger()
    const other = versionLine({
      revision: 4,
      last_revision: 6,
      body_revision: 2,
      content: { ...versionLine().content, body: 'else' },
    })
    const { body } = await imported(me, archiveOf({ note: [note], note_revision: [other, versionLine(members)] }))
    expect(body.resources.note_revision).toEqual({ ...NONE, created: 1, failed: 1 })
    expect(toldIn(body)).toMatchObject([{ where: 'data/note_revision.jsonl:2', code }])
    expect(await world.contradictions()).toEqual([])
  })
})

describe('the scratch space of an address', () => {
  test('is copied into the workspace of a key, whose notes stay', async () => {
    const me = stranger()
    const address = '198.51.100.1'
    const here = await made({ address }, '/api/notes', { title: 'scratch', body: '[[mine]]' })
    await call({ address }, 'PATCH', `/api/notes/${here.id}`, { body: 'changed [[mine]]' })
    await made(me, '/api/notes', { title: 'mine' })
    const dry = await world.adopted({ ...me, address }, '?dry_run=true')
    const real = await world.adopted({ ...me, address })
    expect(outcomeOf(dry.body)).toEqual(outcomeOf(real.body))
    expect(real.body.resources).toMatchObject({ note: { ...NONE, created: 1 }, note_revision: { ...NONE, created: 1 } })
    const note = (await call(me, 'GET', `/api/notes/${here.id}`)).body
    expect([note.body, note.revision, note.links.unresolved]).toEqual(['changed [[mine]]', 2, 0])
    // It is a copy.
    expect((await call({ address }, 'GET', `/api/notes/${here.id}`)).status).toBe(200)
    expect((await world.adopted({ ...me, address })).body.resources.note).toEqual({ ...NONE, unchanged: 1 })
    expect(await world.contradictions()).toEqual([])
  })

  test('has its lines where an export of it would have them', async () => {
    const me = stranger()
    const address = '198.51.100.4'
    for (const as of [me, { address }]) await made(as, '/api/notes', { title: 'x', source: { system: 's', id: '1' } })
    const { body } = await world.adopted({ ...me, address })
    expect(toldIn(body)).toMatchObject([{ where: 'data/note.jsonl:1', code: 'conflict' }])
  })

  test('of another address is not, and without a key nothing is', async () => {
    const me = stranger()
    await made({ address: '198.51.100.2' }, '/api/notes', { title: 'theirs' })
    const { body } = await world.adopted({ ...me, address: '198.51.100.3' })
    expect(body.resources).toEqual({})
    const keyless = await world.adopted({ address: '198.51.100.2' })
    expect([keyless.status, keyless.body.errors[0].pointer]).toEqual([400, '/X-API-Key'])
  })
})

test('two imports of one file at once: the second waits, and finds all of it there', async () => {
  const [me, other] = [stranger(), stranger()]
  const lines = Array.from({ length: 300 }, (_, i) =>
    noteLine({ id: `01890000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`, body: `note ${i} `.repeat(50) }),
  )
  const archive = archiveOf({ note: lines })
  const both = await Promise.all([imported(me, archive), call(me, 'GET', '/api/notes'), imported(me, archive)])
  const counts = both.flatMap(({ body }) => body.resources?.note ?? [])
  expect(counts.toSorted((a: Json, b: Json) => b.created - a.created)).toEqual([
    { ...NONE, created: 300 },
    { ...NONE, unchanged: 300 },
  ])
  await imported(other, archive)
  expect(await data(me)).toEqual(await data(other))
})

test('one that is stopped keeps what came in by then, and a repeat brings the rest', async () => {
  const [me, other] = [stranger(), stranger()]
  const { body: deck } = await call(me, 'POST', '/api/flashcards/decks', { name: 'd' })
  for (let i = 0; i < 120; i++)
    await made(me, '/api/flashcards/facts', { deck_id: deck.id, type: 'basic', front: `${i}`, back: 'x' })
  const archive = await world.exported(me)
  const begun = await imported(other, archive, '', { Prefer: 'respond-async' })
  expect([begun.status, begun.headers.get('Location')]).toEqual([202, `/api/imports/${begun.body.id}`])
  const stopped = (await call(other, 'DELETE', `/api/imports/${begun.body.id}`)).body
  expect(['cancelled', 'done']).toContain(stopped.state)
  expect(await world.contradictions()).toEqual([])
  await imported(other, archive)
  expect(await data(other)).toEqual(await data(me))
})
