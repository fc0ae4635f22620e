import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { spent } from '../support/cost'
import { untilEnded } from '../support/long-changes'
import { paged } from '../support/paged'
import { contradictions } from '../support/recount'
import type { As } from '../support/world'
import { makeNotesWorld } from './support'

/** Renames of more than 200 notes: how they are answered, and what others feel of them. */

const world = await makeNotesWorld()
afterAll(world.close)
const { call, stranger } = world

const note = { folder: 'Old', tags: ['old'], body: 'see [[Old/Hub]] and [[hub|it]] #old' }

/** So many notes, and one that all link to. */
async function filled(count: number): Promise<{ me: As; hub: string }> {
  const me = stranger()
  const { body: hub } = await call(me, 'POST', '/api/notes', { title: 'Hub', folder: 'Old' })
  for (let at = 0; at < count; at += 100) {
    const ops = Array.from({ length: Math.min(100, count - at) }, () => ({ op: 'create', data: note }))
    await call(me, 'POST', '/api/notes/batch', { ops })
  }
  return { me, hub: hub.id }
}

const TAG = '/api/notes/tags/rename'
const FOLDER = '/api/notes/folders/rename'
const FILES = '/api/notes/attachments'
const ASYNC = { Prefer: 'respond-async' }
const runs = async (me: As) => (await call(me, 'GET', '/api/imports')).body.items

const ended = (me: As, where: string) => untilEnded(() => call(me, 'GET', where))
const all = (me: As) => paged((to) => call(me, 'GET', to), '/api/notes?include=body&limit=200&sort=created')

/** What is wrong with a workspace in which nothing is being renamed. */
async function wrong(me: As): Promise<string[]> {
  const kept = await world.db.all('SELECT * FROM note_former_names')
  const unresolved = (await call(me, 'GET', '/api/notes/unresolved')).body.items
  return [...(await contradictions(world.folder)), ...[...kept, ...unresolved].map((one) => JSON.stringify(one))]
}

test('200 notes are one transaction, and one more is a run that answers alike', async () => {
  for (const [count, isRun] of [
    [200, false],
    [201, true],
  ] as const) {
    const { me, hub } = await filled(count)
    // Who prefers not to wait is answered at once where there is nothing to wait for.
    const tag = await call(me, 'POST', TAG, { from: 'old', to: 'new' }, isRun ? {} : ASYNC)
    expect([tag.status, tag.body]).toEqual([200, { notes_changed: count, merged: false }])
    const etag = (await call(me, 'GET', `/api/notes/${hub}`)).headers.get('etag') ?? ''
    const title = await call(me, 'PATCH', `/api/notes/${hub}`, { title: 'Centre' }, { 'If-Match': etag })
    expect([title.status, title.headers.get('x-links-updated'), title.body.title]).toEqual([
      200,
      String(count),
      'Centre',
    ])
    expect(title.headers.get('etag')).toBe((await call(me, 'GET', `/api/notes/${hub}`)).headers.get('etag'))
    expect((await runs(me)).map(({ kind }: { kind: string }) => kind)).toEqual(isRun ? ['note_links', 'note_tag'] : [])

    const folder = await call(me, 'POST', FOLDER, { from: 'Old', to: 'New/One' })
    expect([folder.status, folder.body, folder.headers.get('x-links-updated')]).toEqual([
      200,
      { notes_changed: count + 1, merged: false },
      String(count),
    ])
    const [renamed, ...others] = await all(me)
    expect(renamed).toMatchObject({ title: 'Centre', folder: 'New/One', revision: 3, links: { in: count } })
    for (const one of others)
      expect(one).toMatchObject({
        folder: 'New/One',
        tags: ['new'],
        revision: 4,
        body: 'see [[New/One/Centre]] and [[Centre|it]] #new',
        links: { out: 2, unresolved: 0 },
      })
    expect(await wrong(me)).toEqual([])
  }
})

describe('a rename of many', () => {
  test('tells who does not wait where to ask, and lets others write meanwhile', async () => {
    const { me, hub } = await filled(400)
    const other = stranger()
    for (const [method, path, body, kind, result] of [
      ['POST', TAG, { from: 'old', to: 'new' }, 'note_tag', { notes_changed: 400, merged: false }],
      ['POST', FOLDER, { from: 'Old', to: 'New' }, 'note_folder', { notes_changed: 401, merged: false }],
      ['PATCH', `/api/notes/${hub}`, { title: 'Centre' }, 'note_links', { links_updated: 400, notes_left: [] }],
    ] as const) {
      const { status, headers, body: told } = await call(me, method, path, body, ASYNC)
      const where = headers.get('Location') ?? ''
      expect([status, where, told.kind]).toEqual([202, `/api/imports/${told.id}`, kind])
      let written = 0
      for (let run = told; run.state !== 'done'; run = (await call(me, 'GET', where)).body) {
        expect((await call(other, 'POST', '/api/notes', { title: 'between' })).status).toBe(201)
        written++
      }
      expect(written).toBeGreaterThan(2)
      expect((await call(me, 'GET', where)).body).toMatchObject({ state: 'done', result, error: null })
      expect((await call(other, 'GET', where)).status).toBe(404)
      // The links lead there all the while.
      expect((await call(me, 'GET', `/api/notes/${hub}`)).body.links.in).toBe(400)
    }
    expect(await wrong(me)).toEqual([])
  })

  test('under an Idempotency-Key is done once, and answers alike after and during it', async () => {
    const { me } = await filled(300)
    const once = { 'Idempotency-Key': 'one' }
    const order = { from: 'Old', to: 'New' }
    const [first, during] = await Promise.all([
      call(me, 'POST', FOLDER, order, once),
      call(me, 'POST', FOLDER, order, once),
    ])
    const after = await call(me, 'POST', FOLDER, order, once)
    for (const { status, body, headers } of [first, during, after])
      expect([status, body, headers.get('x-links-updated')]).toEqual([
        200,
        { notes_changed: 301, merged: false },
        '300',
      ])
    expect(after.headers.get('idempotency-replayed')).toBe('true')
    expect(await runs(me)).toHaveLength(1)
    expect((await call(me, 'POST', FOLDER, { from: 'New', to: 'Old' }, once)).body.code).toBe('conflict')
    expect((await all(me)).map(({ revision }) => revision)).toEqual(Array(301).fill(2))
  })

  test('that is refused begins no run and changes nothing', async () => {
    const { me, hub } = await filled(201)
    await call(me, 'POST', '/api/notes', { folder: `Old/${'d/'.repeat(12)}d`, tags: [`old/${'x'.repeat(90)}`] })
    const before = await all(me)
    for (const [method, path, body, status, code] of [
      ['POST', TAG, { from: 'old', to: 'longer than that' }, 409, 'conflict'],
      ['POST', TAG, { from: 'none', to: 'new' }, 404, 'not_found'],
      ['POST', TAG, { from: 'old', to: 'a,b' }, 400, 'invalid_request'],
      ['POST', FOLDER, { from: 'Old', to: 'Old/Older' }, 409, 'conflict'],
      ['POST', FOLDER, { from: 'Old', to: 'one/two/three/four' }, 409, 'conflict'],
      ['POST', FOLDER, { from: 'None', to: 'New' }, 404, 'not_found'],
      ['PATCH', `/api/notes/${hub}`, { title: '' }, 400, 'invalid_request'],
    ] as const) {
      const refused = await call(me, method, path, body)
      expect([path, body, refused.status, refused.body.code]).toEqual([path, body, status, code])
    }
    const stale = await call(me, 'PATCH', `/api/notes/${hub}`, { title: 'New' }, { 'If-Match': '"7"' })
    expect([stale.status, stale.body.current.title]).toEqual([412, 'Hub'])
    expect(await runs(me)).toEqual([])
    expect(await all(me)).toEqual(before)
  })

  test('that is cancelled leaves what is done, and no link that leads where it should not', async () => {
    for (const [method, path, body] of [
      ['POST', TAG, { from: 'old', to: 'new' }],
      ['POST', FOLDER, { from: 'Old', to: 'New' }],
      ['PATCH', null, { title: 'Centre' }],
    ] as const) {
      const { me, hub } = await filled(300)
      const { headers } = await call(me, method, path ?? `/api/notes/${hub}`, body, ASYNC)
      const where = headers.get('Location') ?? ''
      for (let steps = 0; steps < 3; steps++) await call(stranger(), 'POST', '/api/notes', {})
      const { body: told } = await call(me, 'DELETE', where)
      expect([path, told.state]).toEqual([path, 'cancelled'])
      const notes = await all(me)
      const revisions = new Set(notes.slice(1).map(({ revision }) => revision))
      expect([path, [...revisions].toSorted()]).toEqual([path, path === FOLDER ? expect.anything() : [1, 2]])
      expect(await world.db.all('SELECT * FROM note_former_names')).toEqual([])
      // Each link leads where its text says.
      for (const [i, { id, body: text, links }] of notes.entries()) {
        if (i % 20 !== 1) continue
        const { items } = (await call(me, 'GET', `/api/notes/${id}/links`)).body
        expect(links.unresolved).toBe(items.filter((link: { note_id: string | null }) => link.note_id === null).length)
        expect([text, items.length]).toEqual([text, 2])
      }
      const counted = notes.filter(({ links }) => links.out - links.unresolved > 0).length
      expect(notes[0].links.in).toBe(counted)
      expect(await contradictions(world.folder)).toEqual([])
      // It can be done anew.
      if (path) expect((await call(me, method, path, body)).status).toBe(200)
    }
  })

  test('goes on beside another rename of the same notes, and all links lead there in the end', async () => {
    const { me, hub } = await filled(250)
    const first = await call(me, 'PATCH', `/api/notes/${hub}`, { title: 'Second' }, ASYNC)
    const second = await call(me, 'POST', FOLDER, { from: 'Old', to: 'New' }, ASYNC)
    const third = await call(me, 'PATCH', `/api/notes/${hub}`, { title: 'Third' }, ASYNC)
    expect([first.status, second.status]).toEqual([202, 202])
    // By its second title few link to it so far.
    for (const { headers, status } of [first, second, third]) {
      if (status === 202) expect(await ended(me, headers.get('Location') ?? '')).toMatchObject({ state: 'done' })
    }
    const [renamed, ...others] = await all(me)
    expect(renamed).toMatchObject({ title: 'Third', folder: 'New', links: { in: 250 } })
    for (const { body } of others) expect(body).toBe('see [[New/Third]] and [[Third|it]] #old')
    expect(await wrong(me)).toEqual([])
  })

  test('within a batch begins with the batch, or not at all', async () => {
    const { me, hub } = await filled(201)
    const rename = { op: 'update', id: hub, data: { title: 'Centre' } }
    const missing = { op: 'delete', id: '01900000-0000-7000-8000-ffffffffffff' }
    expect((await call(me, 'POST', '/api/notes/batch', { ops: [rename, missing] })).status).toBe(404)
    expect(await runs(me)).toEqual([])
    expect((await call(me, 'POST', '/api/notes/batch', { ops: [rename] })).status).toBe(200)
    const [run] = await runs(me)
    expect(await ended(me, `/api/imports/${run.id}`)).toMatchObject({ state: 'done', result: { links_updated: 201 } })
    expect((await all(me)).at(-1).body).toBe('see [[Old/Centre]] and [[Centre|it]] #old')
    expect(await wrong(me)).toEqual([])
  })

  test('that finds no room on the way ends there, tells why, and leaves no link without its note', async () => {
    const { me } = await filled(300)
    const { headers } = await call(me, 'POST', FOLDER, { from: 'Old', to: 'New' }, ASYNC)
    world.space.free = 0
    world.clock.now += 2000
    const run = await ended(me, headers.get('Location') ?? '')
    world.space.free = 2 ** 40
    world.clock.now += 2000
    expect([run.state, run.error?.code]).toEqual(['failed', 'storage_full'])
    expect(await world.db.all('SELECT * FROM note_former_names')).toEqual([])
    expect(await contradictions(world.folder)).toEqual([])
    expect((await call(me, 'POST', FOLDER, { from: 'Old', to: 'New' })).status).toBe(200)
    expect((await call(me, 'GET', '/api/notes?folder=Old')).body.items).toEqual([])
  })
})

test('more than 10,000 notes are not renamed at once, and 10,000 are in under 5 seconds of work', async () => {
  const many = await makeNotesWorld()
  const me = many.stranger()
  const body = `#a in the first of the lines\n\n${'a few words more of no weight\n'.repeat(30)}`
  const { body: note } = await many.call(me, 'POST', '/api/notes', { tags: ['a'], folder: 'A', body })
  multiply(many.folder, 10_001)
  const [tags, folders] = ['tags', 'folders'].map((what) => `/api/notes/${what}/rename`) as [string, string]
  for (const [path, from] of [
    [tags, 'a'],
    [folders, 'A'],
  ] as const) {
    const refused = await many.call(me, 'POST', path, { from, to: 'x' })
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_affected'])
  }
  expect((await many.call(me, 'GET', '/api/changes')).body.latest_seq).toBe(1)
  await many.call(me, 'DELETE', `/api/notes/${note.id}`)
  for (const [path, from] of [
    [tags, 'a'],
    [folders, 'A'],
  ] as const) {
    const { ms, value } = await spent(() => many.call(me, 'POST', path, { from, to: 'x' }))
    expect(value.body).toEqual({ notes_changed: 10_000, merged: false })
    expect(ms).toBeLessThan(5000)
  }
  await many.close()
})

test('a file that more than 5,000 notes show is not renamed', async () => {
  const me = stranger()
  const added = await call(me, 'POST', `${FILES}?name=x.png&folder=img`, 'x')
  const id = added.body.id
  const create = { op: 'create', data: { body: '![[x.png]]' } }
  for (let at = 0; at < 5000; at += 100)
    await call(me, 'POST', '/api/notes/batch', { ops: Array.from({ length: 100 }, () => create) })
  await call(me, 'POST', '/api/notes', create.data)
  const refused = await call(me, 'PATCH', `${FILES}/${id}`, { name: 'y.png' })
  expect([refused.status, refused.body.code]).toEqual([409, 'rewrite_impossible'])
  const folder = await call(me, 'POST', FOLDER, { from: 'img', to: 'pics' })
  expect([folder.status, folder.body.code]).toEqual([409, 'rewrite_impossible'])
  expect((await call(me, 'GET', FILES)).body.items).toMatchObject([{ name: 'x.png', folder: 'img', revision: 1 }])
  expect((await call(me, 'PATCH', `${FILES}/${id}?update_links=false`, { name: 'y.png' })).status).toBe(200)
})

/** Copies the only note of the database until there are so many. */
function multiply(folder: string, count: number): void {
  const db = new Database(join(folder, 'satchel.db'))
  const rows = db.query<{ name: string }, []>("SELECT name FROM pragma_table_info('notes')").all()
  const columns = rows
    .map(({ name }) => name)
    .filter((name) => name !== 'key' && name !== 'id')
    .join(', ')
  db.run(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO notes (id, ${columns}) SELECT printf('01890000-0000-7000-8000-%012x', i), ${columns} FROM notes, n`)
  db.run(`INSERT INTO note_bodies (workspace, key, body) SELECT workspace, key, (SELECT body FROM note_bodies) FROM notes
    WHERE key NOT IN (SELECT key FROM note_bodies)`)
  db.run(`INSERT INTO note_tags SELECT workspace, 'a', key, 'a', 1, 1 FROM notes
    WHERE key NOT IN (SELECT key FROM note_tags)`)
  // Every note has a history from its first revision on.
  db.run(`INSERT INTO note_revisions (workspace, key, revision, updated_at, body_revision)
    SELECT workspace, key, revision, updated_at, revision FROM notes
    WHERE key NOT IN (SELECT key FROM note_revisions)`)
  db.close()
}
