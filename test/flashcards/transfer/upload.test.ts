import { expect, test } from 'bun:test'
import { readUploadBody } from '../../../src/flashcards/transfer/upload'

function upload(body: BodyInit): Request {
  return new Request('http://localhost/', { method: 'POST', body })
}

test('a file that stops arriving is given up, whatever of it came', async () => {
  let left = false
  const stalled = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('front,ba')),
    cancel: () => {
      left = true
    },
  })
  await expect(readUploadBody(upload(stalled), 100, 5)).rejects.toMatchObject({ code: 'unavailable' })
  expect(left).toBe(true)
})

test('a file that arrives is the bytes that were sent, and no more than may be', async () => {
  expect(Buffer.from(await readUploadBody(upload('a,b'), 3)).toString()).toBe('a,b')
  await expect(readUploadBody(upload('a,b,'), 3)).rejects.toMatchObject({ code: 'too_large' })
})
