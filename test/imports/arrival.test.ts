import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ANSWER_MS } from '../../src/http/request'
import { contentOf, fileOf, notes, slowBody } from './kit'
import { kitsOfTest } from './kits'
import { makeTimers } from './timers'

const open = kitsOfTest()

const FORM = 'multipart/form-data; boundary=xyz'
const form = (content: string, name = 'file', end = '\r\n--xyz--\r\n') =>
  `--xyz\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n${content}${end}`

describe('a file that arrives', () => {
  test.each([1, 2, 3, 7, 64, 4096])('as a form in pieces of %d bytes is what the form holds', async (size) => {
    const kit = await open()
    const text = form(fileOf([...notes(20), { key: 'k', body: '\r\n--xy\r\n--' }]))
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
    const body = new ReadableStream({
      start(put) {
        for (const piece of pieces) put.enqueue(Buffer.from(piece))
        put.close()
      },
    })
    const answer = await kit.call('POST', '/api/lines', { headers: { 'Content-Type': FORM }, body })
    expect([answer.status, answer.body.totals?.created]).toEqual([200, 21])
  })

  test.each<[what: string, headers: Record<string, string>, body: string | Uint8Array, code: string]>([
    ['empty', {}, '', 'invalid_request'],
    ['of another type', { 'Content-Type': 'text/plain' }, 'x', 'unsupported_media_type'],
    ['in another coding', { 'Content-Encoding': 'br' }, 'x', 'unsupported_media_type'],
    ['that is no gzip', { 'Content-Encoding': 'gzip' }, 'plain text', 'archive_refused'],
    [
      'that is half a gzip',
      { 'Content-Encoding': 'gzip' },
      Bun.gzipSync(Buffer.alloc(9999, 'ab')).subarray(0, 30),
      'archive_refused',
    ],
    ['that is larger than is taken', {}, 'x'.repeat(100_001), 'too_large'],
    ['that unpacks to more', { 'Content-Encoding': 'gzip' }, Bun.gzipSync(Buffer.alloc(1e8)), 'too_large'],
    ['that is packed and unpacks to more', {}, Bun.gzipSync(Buffer.alloc(1e8)), 'too_large'],
    ['that is half a packed one', {}, Bun.gzipSync(Buffer.alloc(9999, 'ab')).subarray(0, 30), 'archive_refused'],
    ['that only begins as a packed one', {}, Uint8Array.of(0x1f, 0x8b, 0x20, 0x20), 'archive_refused'],
    ['in a form without a boundary', { 'Content-Type': 'multipart/form-data' }, form('x'), 'unsupported_media_type'],
    ['in a form under another name', { 'Content-Type': FORM }, form('x', 'other'), 'invalid_request'],
    ['in a form that is cut off', { 'Content-Type': FORM }, form('x', 'file', ''), 'invalid_request'],
    ['in what is no form', { 'Content-Type': FORM }, 'x'.repeat(50_000), 'invalid_request'],
    [
      'in a form with a second part',
      { 'Content-Type': FORM },
      form('x', 'file', `\r\n${form('y')}`),
      'invalid_request',
    ],
  ])('%s is refused, and nothing of it stays', async (_, headers, body, code) => {
    const kit = await open({ limits: { key: 100_000, scratch: 1000, items: 1000 } })
    const answer = await kit.call('POST', '/api/lines', { headers, body: body as BodyInit })
    expect([answer.body.code, readdirSync(kit.root)]).toEqual([code, []])
    expect(await kit.db.all('SELECT 1 FROM import_runs')).toEqual([])
    expect(kit.logged).toEqual([])
  })

  test('may be packed, whatever it is sent as', async () => {
    const kit = await open({ limits: { key: 100_000, scratch: 1000, items: 1000 } })
    const packed = new Uint8Array(Bun.gzipSync(Buffer.from(fileOf(notes(3)))))
    const asForm = new FormData()
    asForm.set('file', new Blob([packed]), 'notes.jsonl.gz')
    const wrapped = new Response(asForm)
    const ways: readonly (readonly [Record<string, string>, Uint8Array<ArrayBuffer>])[] = [
      [{}, packed],
      [{ 'Content-Type': wrapped.headers.get('content-type') ?? '' }, await wrapped.bytes()],
      [{ 'Content-Encoding': 'gzip' }, packed],
      [{ 'Content-Encoding': 'gzip' }, new Uint8Array(Bun.gzipSync(packed))],
    ]
    for (const [headers, body] of ways) {
      const { status, body: report } = await kit.call('POST', '/api/lines', { headers, body })
      expect([status, report.items_total]).toEqual([200, 3])
    }
  })

  test('may be as large as is taken, with a key and without', async () => {
    const line = fileOf(notes(1))
    const kit = await open({ limits: { key: line.length + 1, scratch: line.length, items: 10 } })
    const post = (body: string, options = {}) => kit.call('POST', '/api/lines', { ...options, body })
    expect([(await post(`${line}\n`.slice(0, -1))).status, (await post(`${line}  `)).status]).toEqual([200, 413])
    const scratch = { workspace: 's', address: 'one' }
    expect([(await post(line, scratch)).status, (await post(`${line} `, scratch)).status]).toEqual([200, 413])
  })

  test('is refused while the disk is full, also when it becomes full on the way', async () => {
    let left = 3
    const kit = await open({ diskIsFull: () => --left < 0 })
    const sender = slowBody()
    const answer = kit.call('POST', '/api/lines', { body: sender.body })
    for (let i = 0; i < 9; i++) {
      sender.send(fileOf(notes(1, i)))
      await setImmediate()
    }
    sender.end()
    expect((await answer).body.code).toBe('storage_full')
    expect(readdirSync(kit.root)).toEqual([])
  })

  test('is for its owner alone while it is there', async () => {
    const kit = await open()
    const sender = slowBody()
    const answer = kit.call('POST', '/api/lines', { body: sender.body })
    sender.send(fileOf(notes(1)))
    const files = () => (existsSync(kit.root) ? readdirSync(kit.root, { recursive: true }) : [])
    while (files().length < 2) await setImmediate()
    const folder = join(kit.root, readdirSync(kit.root)[0] ?? '')
    expect([statSync(folder).mode & 0o777, statSync(join(folder, 'file')).mode & 0o777]).toEqual([0o700, 0o600])
    // What arrives is nobody's to tidy up.
    await kit.imports.tidy()
    sender.end()
    expect((await answer).status).toBe(200)
  })

  test.each([
    ['is silent for 24 seconds', ANSWER_MS],
    ['sends less than 16 KiB a second', ANSWER_MS - 500],
  ])('of a sender who %s is refused', async (_, ms) => {
    const { timer, pass } = makeTimers()
    const kit = await open({ timer, limits: { key: 1_000_000, scratch: 1000, items: 1000 } })
    const sender = slowBody()
    let isAnswered = false
    const answer = kit.call('POST', '/api/lines', { body: sender.body }).finally(() => {
      isAnswered = true
    })
    // What was sent is written in threads of their own: how many turns that takes depends on the machine.
    for (let i = 0; i < 1000 && !isAnswered; i++) {
      sender.send(fileOf(notes(1, i)))
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      pass(ms)
    }
    expect((await answer).body.code).toBe('unavailable')
    expect(readdirSync(kit.root)).toEqual([])
  })

  test('slowly takes nobody a place: twenty of them, and another is served', async () => {
    const kit = await open()
    const senders = Array.from({ length: 20 }, slowBody)
    const answers = senders.map(({ body }, i) =>
      kit.call('POST', '/api/lines', { body, workspace: `s${i}`, address: `address ${i}` }),
    )
    for (const sender of senders) sender.send('{')
    expect((await kit.send(notes(5), { workspace: 'key' })).body.totals.created).toBe(5)
    for (const sender of senders) sender.end()
    for (const { status } of await Promise.all(answers)) expect(status).toBe(500)
  })

  test('is one at a time for each payer, whatever their sites', async () => {
    const { timer, pass } = makeTimers()
    const kit = await open({ timer })
    const sender = slowBody()
    const first = kit.call('POST', '/api/lines', { body: sender.body, workspace: 's1', address: 'one' })
    const second = kit.send(notes(2), { workspace: 's2', address: 'one' })
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    sender.send(fileOf(notes(1)))
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    pass(19_999)
    sender.send(fileOf(notes(1, 1)))
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    pass(1)
    const { status, body, headers } = await second
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '20'])
    expect(body.detail).toContain('place 1')
    sender.end()
    expect((await first).body.totals.created).toBe(2)
    expect((await contentOf(kit.db, 's2')).rows).toEqual([])
  })

  test('is answered with 202 when its run takes longer than 20 seconds, and goes on', async () => {
    const { timer, pass } = makeTimers()
    const { promise: freed, resolve: free } = Promise.withResolvers<void>()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const kit = await open({
      timer,
      atStep: async () => {
        reach()
        await freed
      },
    })
    const answer = kit.send(notes(20))
    await reached
    pass(20_000)
    const { status, body, headers } = await answer
    expect([status, body.state, headers.get('location')]).toEqual([202, 'running', `/api/imports/${body.id}`])
    free()
    let report = body
    while (report.state !== 'done') report = (await kit.call('GET', `/api/imports/${body.id}`)).body
    expect(report.totals.created).toBe(20)
  })
})
