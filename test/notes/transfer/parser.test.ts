import { expect, test } from 'bun:test'
import { ArchiveFault } from '../../../src/notes/transfer/parsed'
import { openUpload } from '../../../src/notes/transfer/parser'
import { zipOfTexts } from '../../support/zip'

const upload = () => ({ kind: 'zip', format: 'auto', bytes: zipOfTexts({ 'a.md': 'x', 'b.md': 'y' }) }) as const
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error) => error.constructor,
  )

test('a file that takes longer than allowed is given up', async () => {
  expect(await codeOf(openUpload(upload(), () => 0, 0))).toBe(ArchiveFault)
})

test('the time that a file takes counts over all its batches', async () => {
  let clock = 0
  const reading = await openUpload(upload(), () => clock, 5000)
  try {
    // The clock leaps while the first batch is read.
    const first = reading.next()
    clock = 10_000
    expect(await first).toHaveLength(2)
    expect(await codeOf(reading.next())).toBe(ArchiveFault)
  } finally {
    reading.close()
  }
})

test('the bytes that were handed in are gone, unless others lie in the same buffer', async () => {
  const [whole, shared] = [upload(), upload()]
  const around = new Uint8Array(shared.bytes.length + 10)
  around.set(shared.bytes, 5)
  const readings = [
    await openUpload(whole, () => 0),
    await openUpload({ ...shared, bytes: around.subarray(5, -5) }, () => 0),
  ]
  for (const reading of readings) {
    expect(await reading.next()).toHaveLength(2)
    expect(await reading.next()).toEqual([])
    reading.close()
  }
  expect([whole.bytes.length, around.length]).toEqual([0, shared.bytes.length + 10])
})
