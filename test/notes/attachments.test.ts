import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeSafeName } from '../../src/notes/attachments/names'
import { contradictions } from '../support/recount'
import { type As, MANY_CALLERS, makeKey, makeWorld } from '../support/world'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const PATH = '/api/notes/attachments'
const ME = { key: makeKey(1) }
const MIB = 1024 * 1024

const world = await makeWorld({
  settings: { ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '1000', API_LIMIT_PER_HOUR: '5000' },
})
const base = world.listen().slice(0, -1)
afterAll(world.close)

type Body = string | Uint8Array<ArrayBuffer> | FormData

function send(as: As, method: string, path: string, body?: Body, headers: object = {}) {
  const key: Record<string, string> = as.key === undefined ? {} : { 'X-API-Key': as.key }
  return fetch(base + path, { method, headers: { ...key, ...headers }, ...(body === undefined ? {} : { body }) })
}

async function add(
  as: As,
  name: string,
  body: Body,
  folder = '',
): Promise<{ id: string; name: string; revision: number }> {
  const query = new URLSearchParams({ name, ...(folder === '' ? {} : { folder }) })
  const response = await send(as, 'POST', `${PATH}?${query}`, body)
  expect(response.status).toBe(201)
  return response.json()
}

async function usage(as: As): Promise<{ resources: number; size_bytes: number }> {
  return (await (await send(as, 'GET', '/api/usage')).json()).workspace
}

const patch = (as: As, id: string, body: object, headers: object = {}) =>
  send(as, 'PATCH', `${PATH}/${id}`, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers })

const pattern = (size: number) => Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8)) & 0xff)

test('bytes come back as they were sent, and are described by what they are', async () => {
  const stored = await send(ME, 'POST', `${PATH}?name=map.txt&folder=Travel/img`, PNG, { 'Content-Type': 'text/html' })
  const body = await stored.json()
  expect([stored.status, stored.headers.get('Location')]).toEqual([201, `${PATH}/${body.id}`])
  expect(body).toMatchObject({ name: 'map.txt', folder: 'Travel/img', content_type: 'image/png', warnings: [] })
  const read = await send(ME, 'GET', `${PATH}/${body.id}`)
  expect(await read.bytes()).toEqual(PNG)
  expect([read.headers.get('Content-Type'), read.headers.get('Content-Length')]).toEqual(['image/png', '11'])
  expect(read.headers.get('Content-Disposition')).toBe('inline; filename="map.txt"')
  const { warnings: _, ...attachment } = body
  expect(await (await send(ME, 'GET', `${PATH}/${body.id}`, undefined, { Accept: 'application/json' })).json()).toEqual(
    attachment,
  )
})

test('a form has one file, whose filename counts unless the query has a name', async () => {
  const form = (name: string, part = 'file') => {
    const data = new FormData()
    data.set(part, new File([PNG], name))
    return data
  }
  const first = await (await send(ME, 'POST', PATH, form('brücke "1".png'))).json()
  expect([first.name, first.size_bytes]).toEqual(['brücke "1".png', PNG.length])
  expect((await (await send(ME, 'POST', `${PATH}?name=b.png`, form('a.png'))).json()).name).toBe('b.png')
  expect((await send(ME, 'POST', PATH, form('a.png', 'picture'))).status).toBe(400)
  expect((await send(ME, 'POST', PATH, 'x', { 'Content-Type': 'multipart/form-data' })).status).toBe(415)
  expect((await send(ME, 'POST', PATH, 'x', { 'Content-Type': 'multipart/form-data; boundary=b' })).status).toBe(400)
})

describe('a type that lies, or that could run,', () => {
  const saved: [name: string, bytes: string][] = [
    ['page.png', '<!doctype html><script>alert(1)</script>'],
    ['text.svg', 'the <svg> element'],
    ['page.html', '<html></html>'],
    ['code.js', 'alert(1)'],
    ['half.png', '\u0089PNG'],
  ]
  test.each(saved)('%s is a file to save', async (name, bytes) => {
    const { id } = await add(ME, `lies-${name}`, bytes)
    const { headers } = await send(ME, 'GET', `${PATH}/${id}`)
    expect(headers.get('Content-Type')).toBe('application/octet-stream')
    expect(headers.get('Content-Disposition')).toBe(`attachment; filename="lies-${name}"`)
  })

  const shown: [type: string, bytes: string][] = [
    ['image/gif', 'GIF89a'],
    ['application/pdf', '%PDF-1.7\n'],
    ['audio/ogg', 'OggS\0\u0002'],
    ['video/mp4', '\0\0\0\x20ftypisom\0\0'],
  ]
  test.each(shown)('is not meant by %s, which is shown', async (type, bytes) => {
    const { id } = await add(ME, `shown ${type.replace('/', '.')}`, bytes)
    const { headers } = await send(ME, 'GET', `${PATH}/${id}`)
    expect([headers.get('Content-Type'), headers.get('Content-Disposition')?.split(';')[0]]).toEqual([type, 'inline'])
  })

  test.each(['', '\ufeff<?xml version="1.0"?>\n<!-- Inkscape -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN">\n'])(
    'is a picture of SVG after %p, which is saved where it is opened',
    async (before) => {
      const { id } = await add(
        ME,
        `logo ${before.length}.svg`,
        `${before}<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`,
      )
      const { headers } = await send(ME, 'GET', `${PATH}/${id}`)
      expect(headers.get('Content-Type')).toBe('image/svg+xml')
      expect(headers.get('Content-Disposition')).toStartWith('attachment')
      expect(headers.get('Content-Security-Policy')).toBe("sandbox; default-src 'none'")
    },
  )

  test('can run nowhere: no answer lacks nosniff and the sandbox', async () => {
    const { id } = await add(ME, 'boxed.html', '<script>alert(1)</script>')
    const path = `${PATH}/${id}`
    const etag = (await send(ME, 'GET', path)).headers.get('ETag') ?? ''
    const answers = [
      await send(ME, 'GET', path),
      await send(ME, 'HEAD', path),
      await send(ME, 'GET', path, undefined, { 'If-None-Match': etag }),
      await send(ME, 'GET', path, undefined, { Range: 'bytes=0-3' }),
      await send(ME, 'GET', path, undefined, { Range: 'bytes=99-' }),
      await send(ME, 'GET', path, undefined, { Accept: 'application/json' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 304, 206, 416, 200])
    for (const { headers } of answers) {
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(headers.get('Content-Security-Policy')).toBe("sandbox; default-src 'none'")
    }
  })
})

describe('a range', () => {
  const bytes = pattern(3 * MIB + 17)
  let path = ''
  let etag = ''
  beforeAll(async () => {
    path = `${PATH}/${(await add(ME, 'film.bin', bytes)).id}`
    etag = (await send(ME, 'HEAD', path)).headers.get('ETag') ?? ''
  })

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=262143-262144', 262_143, 262_144],
    ['bytes=100-', 100, 3 * MIB + 16],
    ['bytes=-5', 3 * MIB + 12, 3 * MIB + 16],
    ['bytes=-99999999', 0, 3 * MIB + 16],
    ['bytes=3145728-99999999', 3 * MIB, 3 * MIB + 16],
  ])('%s is answered with 206', async (range, first, last) => {
    const read = await send(ME, 'GET', path, undefined, { Range: range })
    expect([read.status, read.headers.get('Content-Range')]).toEqual([206, `bytes ${first}-${last}/${bytes.length}`])
    expect(Buffer.compare(await read.bytes(), bytes.subarray(first, last + 1))).toBe(0)
  })

  test.each(['bytes=3145745-', 'bytes=99999999-', 'bytes=-0'])('%s is 416', async (range) => {
    const refused = await send(ME, 'GET', path, undefined, { Range: range })
    expect([refused.status, refused.headers.get('Content-Range')]).toEqual([416, `bytes */${bytes.length}`])
    expect((await refused.json()).code).toBe('range_not_satisfiable')
  })

  test.each(['bytes=5-2', 'bytes=-', 'bytes=a-b', 'bytes=0-1,5-6', 'pages=1-2'])('%s is passed over', async (range) => {
    const read = await send(ME, 'GET', path, undefined, { Range: range })
    expect([read.status, read.headers.get('Content-Range')]).toEqual([200, null])
    expect(Buffer.compare(await read.bytes(), bytes)).toBe(0)
  })

  test('goes by If-Range', async () => {
    const statuses = [etag, '"9-abc"', `W/${etag}`].map(async (value) => {
      const read = await send(ME, 'GET', path, undefined, { Range: 'bytes=0-1', 'If-Range': value })
      await read.bytes()
      return read.status
    })
    expect(await Promise.all(statuses)).toEqual([206, 200, 200])
  })

  test('is offered by HEAD, which has the headers and no bytes', async () => {
    const head = await send(ME, 'HEAD', path)
    expect([head.status, head.headers.get('Accept-Ranges'), (await head.bytes()).length]).toEqual([200, 'bytes', 0])
  })
})

describe('a name', () => {
  const changed: [sent: string, name: string][] = [
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\a.png', 'a.png'],
    ['C:x.png', 'C-x.png'],
    ['a\0b.png', 'ab.png'],
    ['photo\u202egnp.exe', 'photognp.exe'],
    ['..', 'file'],
    ['', 'file'],
    ['.htaccess', 'htaccess'],
    [' a.png ', 'a.png'],
    [`${'x'.repeat(300)}.png`, `${'x'.repeat(251)}.png`],
    ['é'.repeat(200), 'é'.repeat(127)],
    ['a\ud800.png', 'a.png'],
  ]
  test.each(changed)('%j is made safe and reported', (sent, name) => {
    const safe = makeSafeName(sent)
    expect([safe.name, Buffer.byteLength(safe.name) <= 255]).toEqual([name, true])
    expect(safe.warnings.map(({ code }) => code)).toContain('name_changed')
  })

  test.each(['a.png', 'a b (1).png', '12:30.png', 'ü.pdf', 'a..b', '👩‍👩‍👧.png', 'نقشه‌ها.png', 'x'.repeat(255)])(
    '%s stays as it is',
    (name) => {
      expect(makeSafeName(name)).toEqual({ name, warnings: [] })
    },
  )

  test('that is safe is safe: making it again changes nothing', () => {
    for (const [, name] of changed) expect(makeSafeName(name)).toEqual({ name, warnings: [] })
  })

  test('is reported by POST and PATCH', async () => {
    const made = await send(ME, 'POST', `${PATH}?name=${encodeURIComponent('../up.png')}`, PNG)
    const { id, name, warnings } = await made.json()
    expect([name, warnings.length]).toEqual(['up.png', 1])
    const renamed = await (await patch(ME, id, { name: 'x/down.png' })).json()
    expect([renamed.name, renamed.warnings.length, renamed.revision]).toEqual(['down.png', 1, 2])
  })

  test('of a note is refused, and so are folders that are none and a file without bytes or name', async () => {
    const statuses = ['name=a.md', 'name=a.Markdown', 'name=a&folder=../x', 'name=a&folder=/x', ''].map(
      async (query) => (await send(ME, 'POST', `${PATH}?${query}`, 'x')).status,
    )
    expect(await Promise.all(statuses)).toEqual([400, 400, 400, 400, 400])
    expect((await send(ME, 'POST', `${PATH}?name=empty.png`)).status).toBe(400)
    expect((await send(ME, 'POST', `${PATH}?name=p.png`, 'x', { 'Content-Encoding': 'gzip' })).status).toBe(415)
  })
})

test('a path is taken once; the same name in another folder or case is another file', async () => {
  const me = { key: makeKey(2) }
  const { id } = await add(me, 'a.png', 'one')
  const second = await send(me, 'POST', `${PATH}?name=a.png`, 'two')
  expect([second.status, (await second.json()).existing_id]).toEqual([409, id])
  const other = await add(me, 'a.png', 'two', 'img')
  await add(me, 'A.png', 'three')
  expect((await patch(me, other.id, { folder: null })).status).toBe(409)
  expect((await patch(me, other.id, { folder: 'else' })).status).toBe(200)
  const { items } = await (await send(me, 'GET', `${PATH}?name=A.PNG`)).json()
  expect(items.map(({ folder, name }: { folder: string; name: string }) => [folder, name])).toEqual([
    [null, 'A.png'],
    [null, 'a.png'],
    ['else', 'a.png'],
  ])
  expect((await (await send(me, 'GET', `${PATH}?folder=`)).json()).items).toHaveLength(2)
})

test('the same bytes count once, also as a medium of flashcards, until the last name is gone', async () => {
  const me = { key: makeKey(4) }
  const bytes = pattern(2 * MIB)
  const first = await add(me, 'a', bytes)
  const second = await add(me, 'b', bytes)
  await send(me, 'PUT', '/api/flashcards/media/c', bytes)
  expect(await usage(me)).toMatchObject({ resources: 3, size_bytes: 2 * MIB + 3 })
  for (const { id } of [first, second]) await send(me, 'DELETE', `${PATH}/${id}`)
  expect(Buffer.compare(await (await send(me, 'GET', '/api/flashcards/media/c')).bytes(), bytes)).toBe(0)
  expect(await usage(me)).toMatchObject({ resources: 1, size_bytes: 2 * MIB + 1 })
  await send(me, 'DELETE', '/api/flashcards/media/c')
  expect(await usage(me)).toMatchObject({ resources: 0, size_bytes: 0 })
  expect(await contradictions(world.folder)).toEqual([])
})

test('an Idempotency-Key stores a large file once, and another file under it is refused', async () => {
  const me = { key: makeKey(5) }
  const post = (body: Uint8Array<ArrayBuffer>) =>
    send(me, 'POST', `${PATH}?name=a.bin`, body, { 'Idempotency-Key': 'one' })
  const bytes = pattern(2 * MIB)
  const [first, again] = [await (await post(bytes)).json(), await post(bytes)]
  expect([again.headers.get('Idempotency-Replayed'), (await again.json()).id]).toEqual(['true', first.id])
  expect((await post(pattern(2 * MIB + 1))).status).toBe(409)
  expect(await usage(me)).toMatchObject({ resources: 1 })
  expect(await contradictions(world.folder)).toEqual([])
})

test('a file over the limit is 413, all over the limit of a scratch space 429, and nothing is stored', async () => {
  const scratch = {}
  const over = await send(scratch, 'POST', `${PATH}?name=large`, 'x'.repeat(256 * 1024 + 1))
  expect(over.status).toBe(413)
  const statuses: number[] = []
  for (const letter of ['a', 'b', 'c'])
    statuses.push((await send(scratch, 'POST', `${PATH}?name=${letter}`, letter.repeat(200 * 1024))).status)
  expect(statuses).toEqual([201, 201, 429])
  expect(await usage(scratch)).toMatchObject({ resources: 2 })
  expect((await send(ME, 'POST', `${PATH}?name=large`, new Uint8Array(32 * MIB + 1))).status).toBe(413)
  expect(await contradictions(world.folder)).toEqual([])
})

test('lists go on by folder and name from page to page', async () => {
  const me = { key: makeKey(7) }
  for (const [name, folder] of [['b'], ['a'], ['a', 'x/y'], ['c', 'x']] as const) await add(me, name, 'x', folder)
  const first = await (await send(me, 'GET', `${PATH}?limit=3`)).json()
  const second = await (await send(me, 'GET', `${PATH}?limit=3&cursor=${first.next_cursor}`)).json()
  const paths = [...first.items, ...second.items].map(({ folder, name }) => [folder, name])
  expect(paths).toEqual([
    [null, 'a'],
    [null, 'b'],
    ['x', 'c'],
    ['x/y', 'a'],
  ])
})
