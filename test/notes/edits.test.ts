import { afterAll, describe, expect, test } from 'bun:test'
import { slowness, spent } from '../support/cost'
import { FULL, slow } from '../support/full'
import { watch } from './busy'
import { everything, makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)
const { call, stranger } = world

const BODY = '# Plan\n\n## Week 1\n\ntext\n\ntext\n\n### Notes\n\n- a\n\n## Week 2\n\ntext\n\n### Notes\n\n- b\n'
const append = (content: string, heading = ['Week 1', 'Notes']) => ({
  op: 'append',
  target: { heading },
  content,
  join: 'line',
})

async function noted(body = BODY) {
  const me = stranger()
  const { body: note } = await call(me, 'POST', '/api/notes', { title: 'T', body })
  return { me, note, path: `/api/notes/${note.id}` }
}

describe('POST /api/notes/{id}/edits', () => {
  test('answers the example of an ambiguous target as it is documented', async () => {
    const { me, path } = await noted()
    const refused = await call(me, 'POST', `${path}/edits`, { edits: [append('- call Ana', ['Notes'])] })
    expect(refused.status).toBe(409)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(refused.body).toEqual({
      type: '/docs/errors#edit_target_ambiguous',
      title: 'Ambiguous edit target',
      status: 409,
      code: 'edit_target_ambiguous',
      detail: expect.any(String),
      error: refused.body.detail,
      request_id: expect.any(String),
      errors: [{ pointer: '/edits/0/target', code: 'edit_target_ambiguous', detail: refused.body.detail }],
      candidates: [
        { path: ['Plan', 'Week 1', 'Notes'], line: 9, target: { heading: ['Plan', 'Week 1', 'Notes'] } },
        { path: ['Plan', 'Week 2', 'Notes'], line: 17, target: { heading: ['Plan', 'Week 2', 'Notes'] } },
      ],
    })
    const [, { target }] = refused.body.candidates
    const edited = await call(me, 'POST', `${path}/edits`, { edits: [{ ...append('- call Ana'), target }] })
    expect([edited.status, edited.body.body]).toEqual([200, `${BODY}- call Ana\n`])
  })

  test('makes all edits in order, as one revision, and keeps the title', async () => {
    const { me, path, note } = await noted()
    world.clock.now += 1000
    const edits = [
      append('- x'),
      { op: 'replace', target: { text: '- x' }, content: '- y' },
      { op: 'delete', target: { heading: ['Week 2'] } },
    ]
    const edited = await call(me, 'POST', `${path}/edits`, { edits })
    const body = '# Plan\n\n## Week 1\n\ntext\n\ntext\n\n### Notes\n\n- a\n- y\n\n'
    expect(edited.body).toEqual({
      ...note,
      body,
      revision: 2,
      updated_at: edited.body.updated_at,
      excerpt: expect.any(String),
      word_count: 8,
    })
    expect(edited.body.updated_at).toBe(new Date(world.clock.now).toISOString())
    expect(edited.headers.get('etag')).toBe('"2-0"')
    expect((await call(me, 'GET', path)).body).toEqual(edited.body)
  })

  test('changes properties, each on the result of the edit before', async () => {
    const { me, path } = await noted()
    await call(me, 'PATCH', path, { properties: { status: 'open', aliases: ['a'], n: 1, none: null } })
    const on = (op: string, property: string, content?: unknown, rest = {}) => ({
      op,
      target: { property },
      content,
      ...rest,
    })
    const NEW = { create_missing: true }
    const edits = [
      on('replace', 'status', 'done'),
      on('append', 'status', ' today'),
      on('prepend', 'aliases', 'b'),
      on('append', 'aliases', ['c', 2]),
      on('delete', 'n'),
      on('append', '__proto__', [true], NEW),
      on('replace', 'passing', 1.5, NEW),
      on('delete', 'passing'),
      append('- x'),
    ]
    const edited = await call(me, 'POST', `${path}/edits`, { edits })
    expect(JSON.stringify(edited.body.properties)).toBe(
      '{"status":"done today","aliases":["b","a","c",2],"__proto__":[true]}',
    )
    expect([edited.body.revision, edited.body.body.includes('- x')]).toEqual([3, true])
    const refused = async (edit: object) => (await call(me, 'POST', `${path}/edits`, { edits: [edit] })).body
    expect(await refused(on('append', 'Status', 'x'))).toMatchObject({
      code: 'edit_target_missing',
      candidates: expect.arrayContaining([{ path: [], line: null, target: { property: 'status' } }]),
    })
    for (const edit of [on('append', 'status', 1), on('insert_after', 'status', 'x'), on('replace', 'status', null)])
      expect(await refused(edit)).toMatchObject({ status: 400, code: 'invalid_request' })
    const daily = { edits: [on('replace', 'mood', 'good', NEW), on('replace', 'gone', 1, NEW), on('delete', 'gone')] }
    expect((await call(me, 'POST', '/api/notes/daily/2026-03-04/edits', daily)).body.properties).toEqual({
      mood: 'good',
    })
  })

  test('a failing edit at any index leaves the note and the feed as they were', async () => {
    const { me, path } = await noted()
    const before = await everything(world, me)
    const bad = { op: 'delete', target: { text: 'nowhere' } }
    for (let index = 0; index < 4; index += 1) {
      const edits = Array.from({ length: 4 }, (_, i) => (i === index ? bad : append(`- ${i}`)))
      const refused = await call(me, 'POST', `${path}/edits`, { edits })
      expect([refused.status, refused.body.code]).toEqual([409, 'edit_target_missing'])
      expect(refused.body.errors[0].pointer).toBe(`/edits/${index}/target`)
    }
    expect(await everything(world, me)).toEqual(before)
  })

  test('a dry run shows what the real one then does, and changes nothing', async () => {
    const { me, path, note } = await noted()
    const before = await everything(world, me)
    const edits = [append('- x #new'), append('- [ ] y')]
    const dry = await call(me, 'POST', `${path}/edits`, { edits, dry_run: true })
    expect([dry.status, dry.body.revision, dry.headers.get('etag')]).toEqual([200, note.revision, null])
    expect(await everything(world, me)).toEqual(before)
    const real = await call(me, 'POST', `${path}/edits`, { edits })
    expect(real.body).toEqual({ ...dry.body, revision: 2 })
  })

  test('edits that change nothing keep the revision', async () => {
    const { me, path, note } = await noted()
    const edits = [{ op: 'replace', target: { text: '- b' }, content: '- b' }]
    expect((await call(me, 'POST', `${path}/edits`, { edits })).body).toEqual(note)
  })

  test('If-Match and Idempotency-Key hold here too, and so does the trash', async () => {
    const { me, path } = await noted()
    const edit = (edits: object, headers = {}) =>
      call(me, 'POST', `${path}/edits`, edits, { 'If-Match': '"1-0"', ...headers })
    const once = { 'Idempotency-Key': 'k' }
    const first = await edit({ edits: [append('- x')] }, once)
    const again = await edit({ edits: [append('- x')] }, once)
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body])
    for (const dry_run of [false, true]) {
      const stale = await edit({ edits: [append('- y')], dry_run })
      expect([stale.status, stale.body.current]).toEqual([412, first.body])
    }
    await call(me, 'DELETE', path)
    expect((await call(me, 'POST', `${path}/edits`, { edits: [append('- z')] })).body.code).toBe('conflict')
    expect((await call(stranger(), 'POST', `${path}/edits`, { edits: [append('- z')] })).status).toBe(404)
  })

  test('a body that grows beyond 1 MiB is refused', async () => {
    const { me, path } = await noted()
    const edits = [{ op: 'append', target: { document: true }, content: 'x'.repeat(1024 * 1024) }]
    expect((await call(me, 'POST', `${path}/edits`, { edits })).status).toBe(400)
  })

  test.each<[string, unknown]>([
    ['no edits', { edits: [] }],
    ['too many edits', { edits: Array.from({ length: 101 }, () => append('x')) }],
    ['an unknown op', { edits: [{ op: 'move', target: { document: true } }] }],
    ['two targets in one', { edits: [{ op: 'delete', target: { heading: ['A'], text: 'a' } }] }],
    ['an empty path', { edits: [{ op: 'delete', target: { heading: [] } }] }],
    ['a path too long', { edits: [{ op: 'delete', target: { heading: Array(7).fill('A') } }] }],
    ['an empty text', { edits: [{ op: 'delete', target: { text: '' } }] }],
    ['a document that is none', { edits: [{ op: 'replace', target: { document: false }, content: '' }] }],
    ['an nth that is none', { edits: [{ op: 'delete', target: { heading: ['A'], nth: 0 } }] }],
    ['an unknown member', { edits: [append('x')], atomic: true }],
  ])('%s is 400', async (_, body) => {
    const { me, path } = await noted()
    const refused = await call(me, 'POST', `${path}/edits`, body)
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
    expect(refused.body.errors[0].pointer).toStartWith('/')
  })
})

describe('many edits of a long body', () => {
  /** In full 1 MiB less what the edits add. */
  const SECTIONS = FULL ? 200 : 20
  const PROSE = 'The [lake](a) is *near* the river, and `breakfast` is at eight. #travel\n'.repeat(70)
  const LONG = Array.from({ length: SECTIONS }, (_, i) => `## Day ${i}\n\n${PROSE}\n`).join('')
  const edits = Array.from({ length: SECTIONS / 2 }, (_, i) => append('- one more', [`Day ${2 * i}`]))

  slow('take under 1.5 s, and keep nobody else waiting for 100 ms', async () => {
    let [total, held] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let run = 0; run < 10 && (total >= 1500 || held >= 100); run += 1) {
      const { me, path } = await noted(LONG)
      const watched = watch()
      const { ms, value } = await spent(() => call(me, 'POST', `${path}/edits`, { edits }))
      held = Math.min(held, watched.longest() / slowness())
      total = Math.min(total, ms)
      expect([value.status, value.body.body.split('- one more').length]).toEqual([200, edits.length + 1])
    }
    expect(total).toBeLessThan(1500)
    expect(held).toBeLessThan(100)
  })

  test('lose none that comes between the reading and the writing', async () => {
    const { me, path } = await noted(LONG)
    const sent = [edits, [append('- from beside', ['Day 1'])]]
    const both = await Promise.all(sent.map((some) => call(me, 'POST', `${path}/edits`, { edits: some })))
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const { body } = (await call(me, 'GET', path)).body
    expect([body.split('- one more').length, body.split('- from beside').length]).toEqual([edits.length + 1, 2])
  })
})

describe('GET /api/notes/{id}/outline', () => {
  test('lists headings with paths, lines, words, and offsets in code points', async () => {
    const { me, path, note } = await noted(
      '\u{1f600} hi\r\n\r\n# A *b*\r\n\r\none two\r\n\r\n> # quoted\r\n\r\n## C\r\nthree\r\n\r\nD\r\n=\r\n',
    )
    const { body, headers } = await call(me, 'GET', `${path}/outline`)
    expect(body).toEqual({
      items: [
        { level: 1, text: 'A b', path: ['A b'], line: 3, start: 8, end: 59, word_count: 5 },
        { level: 2, text: 'C', path: ['A b', 'C'], line: 9, start: 44, end: 59, word_count: 1 },
        { level: 1, text: 'D', path: ['D'], line: 12, start: 59, end: 65, word_count: 0 },
      ],
    })
    const [, { start, end }] = body.items
    expect([...note.body].slice(start, end).join('')).toBe('## C\r\nthree\r\n\r\n')
    const same = await call(me, 'GET', `${path}/outline`, undefined, { 'If-None-Match': headers.get('etag') ?? '' })
    expect(same.status).toBe(304)
  })

  test('would be too large where a long heading has many below it', async () => {
    const { me, path } = await noted(`# ${'x'.repeat(400_000)}\n${'## a\n'.repeat(1000)}`)
    expect((await call(me, 'GET', `${path}/outline`)).body.code).toBe('conflict')
  })
})
