import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFile } from '../../src/imports/read-file'
import { makeFolder } from '../support/folder'

/** Which Worker reads a file. */

const { Worker } = globalThis
let started = 0
globalThis.Worker = new Proxy(Worker, {
  construct(target, parameters) {
    started += 1
    return Reflect.construct(target, parameters)
  },
})
afterAll(() => {
  globalThis.Worker = Worker
})
// A script of its own: other files of this process may have left an idle Worker of the script.
const reader = new URL('./lines-reader.ts?own', import.meta.url)
const folder = makeFolder()
let files = 0

function read(lines: string, { signal = new AbortController().signal, items = 1000 } = {}): Promise<number> {
  const file = join(folder, `${++files}`)
  writeFileSync(file, lines)
  return readFile({
    ...{ reader, file, side: `${file}.side`, params: {}, signal },
    limits: { items, bytes: 1e6 },
    timeoutMs: 60_000,
    onProgress() {},
  })
}

const line = (key: string, odd: object = {}) => `${JSON.stringify({ key, body: 'a', ...odd })}\n`

// `rejects` would wait without the messages of Workers.
const faultOf = (reading: Promise<number>) =>
  reading.then(
    () => null,
    (fault: unknown) => fault,
  )

test('one Worker reads the next file as well, also after a fault in one', async () => {
  const before = started
  expect(await read(line('a'))).toBe(1)
  expect(await faultOf(read(line('a') + line('b'), { items: 1 }))).toMatchObject({ code: 'too_large' })
  expect(await faultOf(read(line('a', { refused: 'No.' })))).toMatchObject({ code: 'archive_refused' })
  expect(await read(line('a') + line('b') + line('c'))).toBe(3)
  expect(started - before).toBe(1)
})

test('files that are read at once have a Worker each', async () => {
  const before = started
  expect(await Promise.all([read(line('a')), read(line('a') + line('b'))])).toEqual([1, 2])
  expect(started - before).toBe(1)
})

test('a Worker that was stopped, or broke, reads no other', async () => {
  const stop = new AbortController()
  const stopped = read(line('a', { endless: true }), { signal: stop.signal })
  stop.abort(new Error('stopped'))
  expect(await faultOf(stopped)).toMatchObject({ message: 'stopped' })
  const before = started
  expect(await read(line('a'))).toBe(1)
  expect(await faultOf(read(line('a', { broken: true })))).toMatchObject({
    message: expect.stringContaining('broken on purpose'),
  })
  expect(await read(line('a'))).toBe(1)
  expect(started - before).toBe(2)
})
