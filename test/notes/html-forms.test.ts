import { afterAll, expect, test } from 'bun:test'
import { cost, spent } from '../support/cost'
import { slow } from '../support/full'
import { textOf } from './html-tree'
import { ID, isFallback, LONG, makeHtmlWorld } from './html-world'

const world = await makeHtmlWorld()
const { put, html } = world
afterAll(world.close)

test('the HTML of a note reads the note once', async () => {
  const me = world.stranger()
  await put(me, '[[T]] and [[#a heading]] and ![[a picture.png]]')
  const get = world.db.get.bind(world.db)
  let reads = 0
  world.db.get = (sql, params) => {
    if (sql.includes('note_bodies')) reads += 1
    return get(sql, params)
  }
  try {
    expect((await html(me)).body).toContain('wikilink')
    expect(reads).toBe(1)
  } finally {
    world.db.get = get
  }
})

test('what was rendered is not rendered again until the note or its links change', async () => {
  const me = world.stranger()
  const id = await put(me, LONG)
  const first = await spent(() => html(me, id))
  expect(await html(me, id)).toEqual(first.value)
  expect(await cost(first.ms / 4, () => html(me, id))).toBeLessThan(first.ms / 4)

  await world.call(me, 'POST', '/api/notes', { title: 'Note 1', body: '' })
  const linked = await html(me, id)
  expect(linked.etag).not.toBe(first.value.etag)
  expect(linked.body.split('data-note-id').length).toBeGreaterThan(1)
  await world.call(me, 'PATCH', `/api/notes/${id}`, { body: '*new*' })
  expect((await html(me, id)).body).toBe('<p><em>new</em></p>\n')
})

test('the notes that it shows are in it, with line ends as the settings say, under another ETag when either changes', async () => {
  const me = world.stranger()
  const make = async (title: string, body: string) =>
    (await world.call(me, 'POST', '/api/notes', { title, body })).body.id as string
  await make('Inner', 'three ![[Outer]] ![[Gone]]')
  const part = await make('Part', '# One\n\nx\n\n# Two\n\na\nb ![[Inner]]')
  const outer = await make('Outer', '![[Part#Two]]')
  const gone = await make('Gone', 'y')
  await world.call(me, 'DELETE', `/api/notes/${gone}`)
  const words = async () => {
    const { body, etag } = await html(me, outer)
    return { text: textOf(body).replace(/\s+/g, ' ').trim(), breaks: body.split('<br').length - 1, etag }
  }
  const first = await words()
  expect(first).toMatchObject({ text: 'Part#Two Two a b Inner three Outer Gone', breaks: 1 })
  await world.call(me, 'PATCH', '/api/workspace/settings', { line_breaks: false })
  const spaced = await words()
  expect(spaced).toMatchObject({ text: 'Part#Two Two a b Inner three Outer Gone', breaks: 0 })
  await world.call(me, 'PATCH', `/api/notes/${part}`, { body: '# Two\n\nc' })
  const changed = await words()
  expect(changed.text).toBe('Part#Two Two c')
  expect(new Set([first.etag, spaced.etag, changed.etag]).size).toBe(3)
})

test('a note in the place of an erased one, with its id and revision, has its own', async () => {
  const me = world.stranger()
  await put(me, '*old*')
  const old = await html(me)
  expect((await world.call(me, 'DELETE', `/api/notes/${ID}?permanent=true`)).status).toBe(204)
  await put(me, '*new*')
  const now = await html(me)
  expect(now.etag).not.toBe(old.etag)
  expect([old.body, now.body]).toEqual(['<p><em>old</em></p>\n', '<p><em>new</em></p>\n'])
})

/** Processes that keep every processor busy, each for at most 20 s of its time. */
function makeLoad(processes: number) {
  const children = Array.from({ length: processes }, () =>
    Bun.spawn(['sh', '-c', 'ulimit -t 20; while :; do :; done'], { stdout: 'ignore', stderr: 'ignore' }),
  )
  return async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map(({ exited }) => exited))
  }
}

slow('a note of 270 KB is rendered however busy the machine is', async () => {
  const me = world.stranger()
  expect(LONG.length).toBeGreaterThan(270_000)
  const id = await put(me, LONG)
  // Starting the worker is no part of it.
  await html(me, (await world.call(me, 'POST', '/api/notes', { body: 'a' })).body.id)
  const end = makeLoad(3 * navigator.hardwareConcurrency)
  try {
    const { body } = await html(me, id)
    expect(isFallback(body)).toBe(false)
    expect(body.split('<li>')).toHaveLength(2901)
  } finally {
    await end()
  }
})
