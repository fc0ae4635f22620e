import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readDirectory, readEntryBytes, toZipSource } from '../../src/lib/zip/read'
import { ZIP_LIMITS } from '../../src/notes/import/zip-file'
import { runs } from '../support/full'
import type { As } from '../support/world'
import { everything, makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

const NOW = new Date(world.clock.now).toISOString()
const MARKDOWN = { 'Content-Type': 'text/markdown' }
const send = (me: As, method: string, path: string, text: string | Uint8Array, headers = {}) =>
  world.call(me, method, path, text, { ...MARKDOWN, ...headers })
const post = (text: string | Uint8Array, headers = {}, me = world.stranger()) =>
  send(me, 'POST', '/api/notes', text, headers)

describe('Markdown that is posted', () => {
  test.each([
    [
      '# Plan\r\n\r\n- train 🚂\t\n',
      { title: 'Plan', body: '# Plan\r\n\r\n- train 🚂\t\n', folder: null, source: null },
    ],
    ['', { title: 'Untitled', body: '' }],
    ['\ufefftext', { body: 'text' }],
    ['--- \ntext', { body: '--- \ntext' }],
    ['---\nno: [end\n---\ntext', { body: '---\nno: [end\n---\ntext', properties: {} }],
    [
      '---\ntitle: 1.0\ntags: [a, b/c]\nfolder: Work/Plans\npinned: true\narchived: true\ncolor: blue\nkept: null\ndate: 2020-01-02\nupdated: 2021-01-02\n---\ntext',
      {
        ...{ title: '1.0', tags: ['a', 'b/c'], folder: 'Work/Plans', pinned: true, archived_at: NOW },
        properties: { color: 'blue', kept: null, date: '2020-01-02' },
        ...{ created_at: '2020-01-02T00:00:00.000Z', updated_at: '2021-01-02T00:00:00.000Z', body: 'text' },
      },
    ],
    [
      '---\nid: 01890000-0000-7000-8000-0000000000aa\nsatchel: { source: { system: web, id: "7", url: "https://x.y/" } }\n---\n',
      { id: '01890000-0000-7000-8000-0000000000aa', source: { system: 'web', id: '7', url: 'https://x.y/' } },
    ],
  ])('%j is a note', async (text, note) => {
    const me = world.stranger()
    const { status, body, headers } = await post(text, {}, me)
    expect([status, headers.get('location'), headers.get('etag')]).toEqual([201, `/api/notes/${body.id}`, '"1-0"'])
    expect(body).toMatchObject(note)
    expect((await world.call(me, 'GET', `/api/notes/${body.id}`)).body).toEqual(body)
  })

  test.each([
    ['bytes that are no UTF-8', new Uint8Array([0xff]), {}, 400],
    ['NUL', 'a\0b', {}, 400],
    ['a title that would be cut', `---\ntitle: ${'x'.repeat(501)}\n---\n`, {}, 400],
    ['a tag that would be changed', '---\ntags: ["a,b"]\n---\n', {}, 400],
    ['a folder that would be changed', '---\nfolder: a//b\n---\n', {}, 400],
    ['a date in the future', '---\ncreated: 2999-01-01\n---\n', {}, 400],
    ['too many tags', `---\ntags: [${Array.from({ length: 65 }, (_, i) => `t${i}`)}]\n---\n`, {}, 400],
    ['a body over 1 MiB', 'x'.repeat(1024 * 1024 + 1), {}, 400],
    ['2 MiB', 'x'.repeat(2 * 1024 * 1024 + 1), {}, 413],
    ['another type of text', 'x', { 'Content-Type': 'text/plain' }, 415],
    ['another charset', 'x', { 'Content-Type': 'text/markdown; charset=latin1' }, 415],
    ['a coding', 'x', { 'Content-Encoding': 'gzip' }, 415],
  ])('with %s is refused, and nothing is stored', async (_, text, headers, status) => {
    const me = world.stranger()
    expect((await post(text, headers, me)).status).toBe(status)
    expect((await everything(world, me)).living.items).toEqual([])
  })

  test('takes a charset of UTF-8, and only on these two routes', async () => {
    expect((await post('x', { 'Content-Type': 'text/markdown;charset=UTF-8' })).status).toBe(201)
    const me = world.stranger()
    for (const path of ['/api/notes/batch', '/api/tasks', '/api/notes/daily/2026-03-02/edits'])
      expect((await send(me, 'POST', path, 'x')).status).toBe(415)
    expect((await send(me, 'PUT', '/api/notes/daily/2026-03-02', 'x')).status).toBe(415)
    const refused = await post('x', { 'Content-Type': 'text/html' })
    expect(refused.body.detail).toBe('Send the body as Content-Type: application/json or text/markdown.')
  })
})

describe('Markdown as a PATCH', () => {
  const make = async (note: object) => {
    const me = world.stranger()
    const { body } = await world.call(me, 'POST', '/api/notes', note)
    const path = `/api/notes/${body.id}`
    return { me, path, note: body, patch: (text: string, headers = {}) => send(me, 'PATCH', path, text, headers) }
  }

  test('replaces the body, and by its front matter those members that it names', async () => {
    const { patch } = await make({ title: 'T', body: 'old', tags: ['a'], folder: 'F', properties: { x: 1, y: 2 } })
    const bare = await patch('new\r\n')
    expect(bare.body).toMatchObject({
      title: 'T',
      body: 'new\r\n',
      tags: ['a'],
      folder: 'F',
      properties: { x: 1, y: 2 },
    })
    const full = await patch(
      '---\ntags: [b]\nx: 3\ny:\nfolder:\nid: 01890000-0000-7000-8000-0000000000aa\ncreated: 2001-01-01\n---\ntext',
    )
    expect(full.body).toMatchObject({
      ...{ id: bare.body.id, created_at: NOW, title: 'T', body: 'text', tags: ['b'], folder: null },
      ...{ properties: { x: 3 }, revision: 3 },
    })
    expect((await patch('')).body).toMatchObject({ body: '', title: 'T', tags: ['b'] })
  })

  test('honours If-Match, also of the Markdown that was read', async () => {
    const { me, path, patch } = await make({ title: 'T', body: 'one' })
    const read = await world.call(me, 'GET', path, undefined, { Accept: 'text/markdown' })
    const tag = { 'If-Match': read.headers.get('etag') ?? '' }
    expect((await patch('two', tag)).status).toBe(200)
    const stale = await patch('three', tag)
    expect([stale.status, stale.body.current.body]).toEqual([412, 'two'])
  })

  test('that GET returned changes nothing, whatever the body looks like', async () => {
    const body = fc.oneof(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !/\0|^\ufeff/.test(text)),
      fc.constantFrom('---\ntitle: no\n---\ntext', '---\n---\n', '---\na: [\n---\n', '---\r\na: 1\r\n---\r\n', '---'),
    )
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const { me, path, note, patch } = await make({ title: 'T', body: text })
        const read = await world.app.handle(
          new Request(`http://localhost${path}`, {
            headers: { 'X-API-Key': me.key ?? '', Accept: 'text/markdown' },
          }),
        )
        expect((await patch(await read.text())).body).toEqual(note)
      }),
      { numRuns: runs(60) },
    )
  })
})

describe('front matter that was sent', () => {
  const bytesOf = async (me: As, path: string, body?: Uint8Array<ArrayBuffer>) => {
    const type = path.includes('import') ? { 'Content-Type': 'application/zip' } : {}
    const request = new Request(`http://localhost${path}`, {
      headers: { 'X-API-Key': me.key ?? '', ...type },
      ...(body ? { method: 'POST', body } : {}),
    })
    return new Uint8Array(await (await world.app.handle(request)).arrayBuffer())
  }
  const exported = async (me: As) => {
    const zip = toZipSource(await bytesOf(me, '/api/notes/export'))
    return readDirectory(zip, ZIP_LIMITS).map((entry) => Buffer.from(readEntryBytes(zip, entry)).toString())
  }
  const FILE = '---\ntitle: "Trip"  # why\nrating: 3.10\ncode: 007\n---\n\ntext\n'
  const withOurs = (file: string) => file.replace(/\n---\n\n/, '\nOURS---\n\n')
  const marked = (text: string) => text.replace(/^satchel:\n(?: .*\n)+/m, 'OURS')

  test('comes back byte for byte, after an archive of the workspace too', async () => {
    const me = world.stranger()
    const { body } = await send(me, 'POST', '/api/notes', FILE)
    expect((await exported(me)).map(marked)).toEqual([withOurs(FILE)])
    await world.call(me, 'PATCH', `/api/notes/${body.id}`, { properties: { code: 8 } })
    const changed = FILE.replace('007', '8')
    expect((await exported(me)).map(marked)).toEqual([withOurs(changed)])
    const other = world.stranger()
    const archive = await bytesOf(me, '/api/export')
    const report = await bytesOf(other, '/api/import', archive)
    expect(JSON.parse(Buffer.from(report).toString()).totals).toMatchObject({ failed: 0 })
    expect(await exported(other)).toEqual(await exported(me))
  })

  test('is replaced by that of a PATCH, and counts to the quota', async () => {
    const me = world.stranger()
    const { body } = await send(me, 'POST', '/api/notes', FILE)
    const before = (await world.call(me, 'GET', '/api/usage')).body.workspace.size_bytes
    const spaced = FILE.replace('code: 007', 'code:    007')
    const { body: patched } = await send(me, 'PATCH', `/api/notes/${body.id}`, spaced)
    expect(patched.revision).toBe(2)
    expect((await exported(me)).map(marked)).toEqual([withOurs(spaced)])
    const after = (await world.call(me, 'GET', '/api/usage')).body.workspace.size_bytes
    expect(after - before).toBeGreaterThanOrEqual(3)
    expect((await send(me, 'PATCH', `/api/notes/${body.id}`, spaced)).body.revision).toBe(2)
  })
})
