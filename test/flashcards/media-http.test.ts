import { afterAll, expect, test } from 'bun:test'
import { contradictions } from '../support/recount'
import { type As, MANY_CALLERS, makeKey, makeWorld } from '../support/world'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const MEDIA = '/api/flashcards/media'
const ME = { key: makeKey(1) }

const world = await makeWorld({ settings: { ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '1000' } })
const base = world.listen().slice(0, -1)
afterAll(async () => {
  expect(await contradictions(world.folder)).toEqual([])
  await world.close()
})

function send(as: As, method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, headers: object = {}) {
  const key: Record<string, string> = as.key === undefined ? {} : { 'X-API-Key': as.key }
  return fetch(base + path, { method, headers: { ...key, ...headers }, ...(body === undefined ? {} : { body }) })
}

async function usage(as: As): Promise<{ resources: number; size_bytes: number }> {
  return (await (await send(as, 'GET', '/api/usage')).json()).workspace
}

test('bytes come back as they were sent, of whatever media type, and are described by what they are', async () => {
  const stored = await send(ME, 'PUT', `${MEDIA}/lisbon%20map.png`, PNG, { 'Content-Type': 'text/html' })
  expect(stored.status).toBe(201)
  expect(stored.headers.get('Location')).toBe(`${MEDIA}/lisbon%20map.png`)
  const media = await stored.json()
  expect(media).toMatchObject({ name: 'lisbon map.png', reference: 'media:lisbon%20map.png', revision: 1 })
  expect(media).toMatchObject({ content_type: 'image/png', size_bytes: PNG.length })
  const read = await send(ME, 'GET', `${MEDIA}/lisbon%20map.png`)
  expect(await read.bytes()).toEqual(PNG)
  expect(read.headers.get('Content-Type')).toBe('image/png')
  expect(read.headers.get('Content-Disposition')).toBe('inline; filename="lisbon map.png"')
  expect((await (await send(ME, 'GET', MEDIA)).json()).items).toEqual([media])
})

test('a .png that is HTML is a file to save; no answer lacks nosniff and the sandbox, HEAD and 304 included', async () => {
  await send(ME, 'PUT', `${MEDIA}/page.png`, '<html><script>alert(1)</script>')
  const read = await send(ME, 'GET', `${MEDIA}/page.png`)
  expect(read.headers.get('Content-Type')).toBe('application/octet-stream')
  expect(read.headers.get('Content-Disposition')).toBe('attachment; filename="page.png"')
  const etag = read.headers.get('ETag') ?? ''
  const head = await send(ME, 'HEAD', `${MEDIA}/page.png`)
  expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '31'])
  const again = await send(ME, 'GET', `${MEDIA}/page.png`, undefined, { 'If-None-Match': etag })
  expect(again.status).toBe(304)
  for (const { headers } of [read, head, again]) {
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Content-Security-Policy')).toBe("sandbox; default-src 'none'")
  }
})

test('a name keeps its revision for the same bytes, and gets the next for others; stale writes are refused', async () => {
  const path = `${MEDIA}/turn.bin`
  const put = (body: string, headers = {}) => send(ME, 'PUT', path, body, headers)
  const first = await put('one')
  expect((await put('one')).status).toBe(200)
  expect((await (await put('two', { 'If-Match': first.headers.get('ETag') ?? '' })).json()).revision).toBe(2)
  for (const headers of [{ 'If-Match': first.headers.get('ETag') ?? '' }, { 'If-None-Match': '*' }]) {
    const refused = await put('three', headers)
    expect([refused.status, (await refused.json()).current.revision]).toEqual([412, 2])
  }
  expect(await (await send(ME, 'GET', path)).text()).toBe('two')
  expect((await send(ME, 'DELETE', path, undefined, { 'If-Match': '"1"' })).status).toBe(412)
  expect((await send(ME, 'DELETE', path)).status).toBe(204)
  expect((await send(ME, 'DELETE', path)).status).toBe(404)
  expect((await put('one', { 'If-Match': '*' })).status).toBe(412)
  const anew = await put('three')
  expect(anew.headers.get('ETag')).not.toBe(first.headers.get('ETag'))
})

test('names that can be none are refused, and empty bodies', async () => {
  for (const name of ['.hidden', 'a%2Fb', '..%2Fx', 'a%5Cb', 'a%00b', 'x'.repeat(256)])
    expect([name, (await send(ME, 'PUT', `${MEDIA}/${name}`, 'x')).status]).toEqual([name, 400])
  expect((await send(ME, 'PUT', `${MEDIA}/empty.png`)).status).toBe(400)
})

test('a file that was packed for the way is refused: it would be stored as it came', async () => {
  const answer = await send(ME, 'PUT', `${MEDIA}/packed.png`, 'x', { 'Content-Encoding': 'gzip' })
  expect(answer.status).toBe(415)
})

test('a file over the limit is 413, media over the limit of a workspace are 429, and nothing is stored', async () => {
  const scratch = {}
  expect((await send(scratch, 'PUT', `${MEDIA}/large`, 'x'.repeat(256 * 1024 + 1))).status).toBe(413)
  const files = ['a', 'b', 'c'].map((letter) => letter.repeat(200 * 1024))
  const statuses: number[] = []
  for (const [index, file] of files.entries())
    statuses.push((await send(scratch, 'PUT', `${MEDIA}/${index}`, file)).status)
  expect(statuses).toEqual([201, 201, 429])
  expect(await usage(scratch)).toMatchObject({ resources: 2 })
})
