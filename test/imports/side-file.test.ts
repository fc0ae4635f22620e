import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ByteSource, STEP_BYTES, sha256Of } from '../../src/blobs/blob'
import { SideFile, SideWriter } from '../../src/imports/side-file.sqlite'
import { makeFolder } from '../support/folder'
import { type Kit, makeKit, notes } from './kit'

const KIB = 1024
const opened: SideFile[] = []
afterAll(() => {
  for (const side of opened) side.close()
})

function pattern(size: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8) * seed) & 0xff)
}

/** A side file whose items have these bytes, or none. */
function sideOf(contents: readonly (Uint8Array | null)[]): SideFile {
  const path = join(makeFolder(), 'side')
  const writer = new SideWriter(path)
  for (const bytes of contents) writer.add({ where: 'x', type: 'file', value: 1, ...(bytes ? { bytes } : {}) })
  writer.finish({ format: 'test' })
  const side = new SideFile(path)
  opened.push(side)
  return side
}

describe('the bytes of an item', () => {
  const SIZES = [0, 1, 256 * KIB - 1, 256 * KIB, 256 * KIB + 1, 2 * STEP_BYTES + 17]
  const contents = SIZES.map((size, i) => pattern(size, i + 1))
  const side = sideOf([...contents, null])

  test.each(SIZES.map((size, seq) => [size, seq]))('are those that were read, in any part: %d bytes', (size, seq) => {
    const whole = contents[seq] ?? new Uint8Array()
    const bytes = side.bytes(seq) as ByteSource
    expect([bytes.size, bytes.sha256]).toEqual([size, sha256Of(whole)])
    for (const from of [0, 1, 63, 256 * KIB - 1, 256 * KIB, STEP_BYTES, size - 1])
      for (const length of [0, 1, 64, 256 * KIB, STEP_BYTES, size])
        if (from >= 0) expect(sha256Of(bytes.read(from, length))).toBe(sha256Of(whole.subarray(from, from + length)))
  })

  test('are none of an item without any', () => {
    expect(side.bytes(SIZES.length)).toBeNull()
    expect(side.items(0, 1).map(({ hasBytes }) => hasBytes)).toEqual([true])
    expect(side.items(SIZES.length, 1).map(({ hasBytes }) => hasBytes)).toEqual([false])
  })
})

test('a run whose side file is gone after a restart reads the file anew, and counts every item', async () => {
  const folder = join(makeFolder(), 'imports of a test')
  const reached = Promise.withResolvers<void>()
  let steps = 0
  const first = await makeKit({
    folder,
    atStep: () => {
      if (++steps === 2) reached.resolve()
    },
  })
  const lines = [{ unreadable: 'no' }, ...notes(400), { unreadable: 'nor this' }]
  const { body } = await first.send(lines, { headers: { Prefer: 'respond-async' } })
  await reached.promise
  await first.close()
  const run = join(first.root, body.id)
  for (const name of readdirSync(run)) if (name.startsWith('items')) rmSync(join(run, name))
  const second = await makeKit({ folder })
  try {
    await second.imports.resume()
    expect(await totalsOf(second, body.id)).toMatchObject({ created: expect.any(Number), failed: 2 })
  } finally {
    await second.close()
  }
})

async function totalsOf(kit: Kit, id: string) {
  for (;;) {
    const { body } = await kit.call('GET', `/api/imports/${id}`)
    if (['done', 'failed', 'cancelled'].includes(body.state)) return body.totals
    await new Promise((resolve) => setImmediate(resolve))
  }
}
