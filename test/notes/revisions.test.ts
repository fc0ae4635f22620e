import { afterAll, describe, expect, test } from 'bun:test'
import { makeHistoryWorld } from './revisions-support'

const world = await makeHistoryWorld()
const { call, stranger, numbers } = world
afterAll(world.close)

/** A note at revision 3 with two versions before it. */
async function trip() {
  const me = stranger()
  const sent = { title: 'Trip', body: '# Trip\nTrain at 9\n', folder: 'Travel', tags: ['work'], properties: { a: 1 } }
  const { body: note } = await call(me, 'POST', '/api/notes', sent)
  const path = `/api/notes/${note.id}`
  world.clock.now += 1000
  await call(me, 'PATCH', path, { body: '# Trip\nTrain at 10\n' })
  world.clock.now += 1000
  const { body: now } = await call(me, 'PATCH', path, {
    title: 'Journey',
    folder: null,
    tags: ['fun'],
    properties: null,
  })
  return { me, path, sent, note, now, revisions: `${path}/revisions` }
}

describe('the history of a note', () => {
  test('lists every version without its body, newest first, the note as it is among them', async () => {
    const { me, note, now, revisions } = await trip()
    const { status, body } = await call(me, 'GET', revisions)
    expect(status).toBe(200)
    const old = { label: null, title: 'Trip', folder: 'Travel', tags: ['work'] }
    expect(body).toEqual({
      items: [
        { revision: 3, updated_at: now.updated_at, label: null, title: 'Journey', folder: null, tags: ['fun'] },
        { ...old, revision: 2, updated_at: new Date(world.clock.now - 1000).toISOString() },
        { ...old, revision: 1, updated_at: note.updated_at },
      ],
      next_cursor: null,
    })
  })

  test('goes on page by page, with a cursor of its own', async () => {
    const { me, revisions } = await trip()
    const first = await call(me, 'GET', `${revisions}?limit=2`)
    expect(first.body.items.map((item: { revision: number }) => item.revision)).toEqual([3, 2])
    const second = await call(me, 'GET', `${revisions}?limit=2&cursor=${first.body.next_cursor}`)
    expect(second.body).toMatchObject({ items: [{ revision: 1 }], next_cursor: null })
    const { body: other } = await call(me, 'POST', '/api/notes', {})
    const stray = await call(me, 'GET', `/api/notes/${other.id}/revisions?cursor=${first.body.next_cursor}`)
    expect([stray.status, stray.body.code]).toEqual([400, 'invalid_cursor'])
  })

  test('gives each version whole', async () => {
    const { me, note, sent, revisions } = await trip()
    const first = await call(me, 'GET', `${revisions}/1`)
    expect(first.body).toEqual({ revision: 1, updated_at: note.updated_at, label: null, ...sent })
    const { body: second } = await call(me, 'GET', `${revisions}/2`)
    expect(second).toMatchObject({ ...sent, body: '# Trip\nTrain at 10\n' })
    const { body: third } = await call(me, 'GET', `${revisions}/3`)
    expect(third).toMatchObject({ title: 'Journey', folder: null, tags: ['fun'], properties: {}, body: second.body })
    const tag = { 'If-None-Match': first.headers.get('etag') ?? '' }
    expect((await call(me, 'GET', `${revisions}/1`, undefined, tag)).status).toBe(304)
  })

  test('has no version for what changed no content; such a revision answers with the content that it had', async () => {
    const me = stranger()
    const { body: note } = await call(me, 'POST', '/api/notes', { body: 'one' })
    const path = `/api/notes/${note.id}`
    await call(me, 'PATCH', path, { pinned: true })
    await call(me, 'DELETE', path)
    await call(me, 'POST', `${path}/restore`)
    await call(me, 'PATCH', path, { body: 'five' })
    await call(me, 'PATCH', path, { pinned: false })
    expect(await numbers(me, note)).toEqual([5, 1])
    for (const [n, revision, body] of [
      [1, 1, 'one'],
      [3, 1, 'one'],
      [4, 1, 'one'],
      [5, 5, 'five'],
      [6, 5, 'five'],
    ])
      expect((await call(me, 'GET', `${path}/revisions/${n}`)).body).toMatchObject({ revision, body })
    expect((await call(me, 'GET', `${path}/revisions/7`)).status).toBe(404)
    expect((await call(me, 'GET', `${path}/revisions/4/diff`)).body).toMatchObject({ from: 4, to: 6, added: 1 })
  })

  test.each(['0', '01', '-1', '1.0', 'x', '1e1', '0x1', '9'.repeat(16)])('has no revision %p: 400', async (n) => {
    const { me, revisions } = await trip()
    for (const path of [`${revisions}/${n}`, `${revisions}/1/diff?to=${n}`]) {
      const { status, body } = await call(me, 'GET', path)
      expect([status, body.code]).toEqual([400, 'invalid_request'])
    }
  })

  test('goes with the note when it is erased, and its bytes are given back', async () => {
    const { me, path, revisions, note } = await trip()
    const usage = async () => (await call(me, 'GET', '/api/usage')).body.workspace.size_bytes
    await call(me, 'PATCH', `${revisions}/1`, { label: 'first' })
    expect(await usage()).toBeGreaterThan(0)
    await call(me, 'DELETE', path)
    expect(await numbers(me, note)).toEqual([3, 2, 1])
    await call(me, 'DELETE', `${path}?permanent=true`)
    expect(await usage()).toBe(0)
    expect((await call(me, 'GET', revisions)).body.code).toBe('not_found')
    await call(me, 'POST', '/api/notes', { id: note.id, title: 'again' })
    expect(await numbers(me, note)).toEqual([1])
  })
})

describe('the diff of two revisions', () => {
  test('is as documented, to another revision or to the note as it is', async () => {
    const { me, revisions } = await trip()
    const unified = '--- revision 1\n+++ revision 2\n@@ -1,2 +1,2 @@\n # Trip\n-Train at 9\n+Train at 10\n'
    const change = { added: 1, removed: 1, approximate: false }
    expect((await call(me, 'GET', `${revisions}/1/diff?to=2`)).body).toEqual({
      from: 1,
      to: 2,
      title: { from: 'Trip', to: 'Trip' },
      ...change,
      unified,
    })
    expect((await call(me, 'GET', `${revisions}/1/diff`)).body).toEqual({
      from: 1,
      to: 3,
      title: { from: 'Trip', to: 'Journey' },
      ...change,
      unified: unified.replace('revision 2', 'revision 3'),
    })
    const backwards = await call(me, 'GET', `${revisions}/2/diff?to=1&context=0`)
    expect(backwards.body.unified).toBe('--- revision 2\n+++ revision 1\n@@ -2,1 +2,1 @@\n-Train at 10\n+Train at 9\n')
    expect((await call(me, 'GET', `${revisions}/2/diff`)).body).toMatchObject({ added: 0, removed: 0, unified: '' })
    expect((await call(me, 'GET', `${revisions}/2/diff?to=4`)).status).toBe(404)
  })

  test.each(['21', '-1', '1.5', '', ' 1', '0x1', '007'])('with a context of %p is refused', async (context) => {
    const { me, revisions } = await trip()
    expect((await call(me, 'GET', `${revisions}/1/diff?context=${context}`)).status).toBe(400)
  })
})

describe('a label', () => {
  test('is given, changed and taken away, also of the note as it is, and stays with its version', async () => {
    const { me, path, revisions } = await trip()
    const labels = async () =>
      (await call(me, 'GET', revisions)).body.items.map((item: { label: string }) => item.label)
    expect((await call(me, 'PATCH', `${revisions}/1`, { label: 'first' })).body).toMatchObject({
      label: 'first',
      revision: 1,
    })
    await call(me, 'PATCH', `${revisions}/3`, { label: 'as sent' })
    expect(await labels()).toEqual(['as sent', null, 'first'])
    await call(me, 'PATCH', path, { body: 'more' })
    await call(me, 'PATCH', `${revisions}/1`, { label: null })
    await call(me, 'PATCH', `${revisions}/3`, {})
    expect(await labels()).toEqual([null, 'as sent', null, null])
  })

  test('honours If-Match with the ETag of its revision', async () => {
    const { me, revisions } = await trip()
    const { headers } = await call(me, 'GET', `${revisions}/1`)
    const tag = { 'If-Match': headers.get('etag') ?? '' }
    const saved = await call(me, 'PATCH', `${revisions}/1`, { label: 'mine' }, tag)
    expect(saved.status).toBe(200)
    expect(saved.headers.get('etag')).not.toBe(headers.get('etag'))
    const stale = await call(me, 'PATCH', `${revisions}/1`, { label: 'theirs' }, tag)
    expect([stale.status, stale.body.code, stale.body.current]).toEqual([412, 'precondition_failed', saved.body])
  })

  test.each([5, true, '', '  ', 'a\nb', 'x'.repeat(101), { a: 1 }])('%j is refused', async (label) => {
    const { me, revisions } = await trip()
    const { status, body } = await call(me, 'PATCH', `${revisions}/1`, { label })
    expect([status, body.errors[0].pointer]).toEqual([400, '/label'])
  })

  test('is had by at most 100 revisions of a note', async () => {
    const me = stranger()
    const { body: note } = await call(me, 'POST', '/api/notes', { body: '1' })
    const path = `/api/notes/${note.id}`
    const label = (n: number, label: string | null) => call(me, 'PATCH', `${path}/revisions/${n}`, { label })
    for (let n = 1; n <= 100; n++) {
      expect((await label(n, `label ${n}`)).status).toBe(200)
      await call(me, 'PATCH', path, { body: `${n + 1}` })
    }
    expect((await label(101, 'one more')).body.code).toBe('conflict')
    expect((await label(100, 'another name')).status).toBe(200)
    await label(50, null)
    expect((await label(101, 'one more')).status).toBe(200)
  })
})

describe('restoring a revision', () => {
  test('makes a new one with the old title, body, folder, tags and properties, and leaves the rest', async () => {
    const { me, path, sent, note, revisions } = await trip()
    await call(me, 'PATCH', path, { pinned: true })
    const { status, body, headers } = await call(me, 'POST', `${revisions}/1/restore`)
    expect([status, headers.get('etag')]).toEqual([200, '"5-0"'])
    expect(body).toMatchObject({ ...sent, revision: 5, pinned: true, created_at: note.created_at })
    expect((await call(me, 'GET', path)).body).toEqual(body)
    expect(await numbers(me, note)).toEqual([5, 3, 2, 1])
    expect((await call(me, 'GET', `/api/notes?tag=work`)).body.items).toHaveLength(1)
    const feed = (await call(me, 'GET', '/api/changes')).body.items
    expect(feed.at(-1)).toMatchObject({ id: note.id, op: 'upsert', revision: 5 })
  })

  test('that changes nothing keeps the revision', async () => {
    const { me, now, revisions } = await trip()
    expect((await call(me, 'POST', `${revisions}/3/restore`)).body).toEqual(now)
  })

  test('honours If-Match with the ETag of the note', async () => {
    const { me, now, revisions } = await trip()
    const stale = await call(me, 'POST', `${revisions}/1/restore`, undefined, { 'If-Match': '"2-0"' })
    expect([stale.status, stale.body.current]).toEqual([412, now])
    expect((await call(me, 'POST', `${revisions}/1/restore`, undefined, { 'If-Match': '"3-0"' })).status).toBe(200)
  })

  test('honours Idempotency-Key', async () => {
    const { me, path, revisions, note } = await trip()
    const key = { 'Idempotency-Key': 'once' }
    const first = await call(me, 'POST', `${revisions}/1/restore`, undefined, key)
    await call(me, 'PATCH', path, { body: 'later' })
    const repeat = await call(me, 'POST', `${revisions}/1/restore`, undefined, key)
    expect([repeat.body, repeat.headers.get('idempotency-replayed')]).toEqual([first.body, 'true'])
    expect(await numbers(me, note)).toEqual([5, 4, 3, 2, 1])
  })

  test('is a conflict while the note is in the trash, and not found where there is none', async () => {
    const { me, path, revisions } = await trip()
    expect((await call(me, 'POST', `${revisions}/9/restore`)).status).toBe(404)
    await call(me, 'DELETE', path)
    expect((await call(me, 'POST', `${revisions}/1/restore`)).body.code).toBe('conflict')
  })
})
