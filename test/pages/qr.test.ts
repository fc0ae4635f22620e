import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import jsQR from 'jsqr'
import { encodeQr } from '../../public/qr.js'
import { runs } from '../support/full'

/** What a decoder that knows nothing of our encoder reads in a picture of the code, four pixels a module. */
function decode(code: boolean[][]) {
  const [scale, quiet] = [4, 4]
  const size = (code.length + 2 * quiet) * scale
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255)
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const dark = code[Math.floor(y / scale) - quiet]?.[Math.floor(x / scale) - quiet]
      if (dark) pixels.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3)
    }
  const found = jsQR(pixels, size, size, { inversionAttempts: 'dontInvert' })
  return found && { text: found.data, version: found.version }
}

describe('a QR code', () => {
  test('of every length up to the longest is read as what it holds', () => {
    const versions = new Set<number>()
    for (let length = 1; length <= 106; length++) {
      const text = Array.from({ length }, (_, at) => String.fromCharCode(33 + ((at * 7 + length) % 94))).join('')
      const read = decode(encodeQr(text) ?? [])
      expect(read?.text).toBe(text)
      versions.add(read?.version ?? 0)
    }
    expect([...versions]).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('of any text is read as that text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 26, unit: 'binary' }), (text) => {
        expect(decode(encodeQr(text) ?? [])?.text).toBe(text)
      }),
      { numRuns: runs(100) },
    )
  })

  test.each([
    [14, 21],
    [15, 25],
    [84, 37],
    [85, 41],
    [106, 41],
  ])('of %d bytes has %d modules a side', (bytes, side) => {
    expect(encodeQr('a'.repeat(bytes))?.length).toBe(side)
  })

  test('of more than 106 bytes of UTF-8 there is none', () => {
    expect([encodeQr('a'.repeat(107)), encodeQr('é'.repeat(54)), encodeQr('a'.repeat(5000))]).toEqual([
      null,
      null,
      null,
    ])
    expect(encodeQr('é'.repeat(53))).not.toBeNull()
  })

  test('is read although a part of it is spoiled', () => {
    const text = 'https://satchel.example/#key=satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA13finxh'
    const code = encodeQr(text) ?? []
    for (let y = 12; y < 17; y++) for (let x = 12; x < 17; x++) code[y]?.splice(x, 1, (x + y) % 2 === 0)
    expect(decode(code)?.text).toBe(text)
  })
})
