import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkOf, crc32, faultOfKey, isSatchelKey, makeKey, maskKey } from '../../public/key-format.js'
import { runs } from '../support/full'

const VALID = 'satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA13finxh'
const PADDED = 'satchel_SatchelGateTestVector00000007900YhCD'
const PREFIX_LENGTH = 'satchel_'.length

const body = fc.stringMatching(/^[0-9A-Za-z]{30}$/)
const key = body.map((text) => `satchel_${text}${checkOf(text)}`)
const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))

/** A source that hands out these bytes, then counts up from 0. */
function bytesOf(first: number[]) {
  let next = 0
  return (bytes: Uint8Array<ArrayBuffer>) => bytes.map(() => first.shift() ?? next++)
}

describe('the check', () => {
  test('is CRC-32 with the published check value', () => {
    expect(crc32('123456789')).toBe(0xcbf43926)
    expect(crc32('Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA1')).toBe(0xc8906709)
    expect(crc32('SatchelGateTestVector000000079')).toBe(0x007e2d91)
  })

  test('is padded to six characters', () => {
    expect(checkOf('SatchelGateTestVector000000079')).toBe('00YhCD')
  })

  test('accepts the two good vectors', () => {
    expect([VALID, PADDED].map(faultOfKey)).toEqual([null, null])
    expect([VALID, PADDED].every(isSatchelKey)).toBe(true)
  })

  test.each([
    ['one character changed', 'satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA23finxh'],
    ['the CRC taken over prefix and body', 'satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA12ygKRB'],
    ['the check of crc + 2^32, a second spelling', 'satchel_SatchelGateTestVector0000000794hDwOH'],
    ['a check that is not padded', 'satchel_SatchelGateTestVector000000079YhCD'],
    ['the prefix in capitals', VALID.replace('satchel', 'SATCHEL')],
    ['nothing after the prefix', 'satchel_'],
  ])('refuses %s', (_, text) => {
    expect(isSatchelKey(text)).toBe(false)
    expect(faultOfKey(text)).toBeString()
  })
})

describe('a new key', () => {
  test('is always well-formed and never the same', () => {
    const made = Array.from({ length: 1000 }, () => makeKey())
    expect(made.filter((text) => /^satchel_[0-9A-Za-z]{36}$/.test(text) && isSatchelKey(text))).toHaveLength(1000)
    expect(new Set(made).size).toBe(1000)
  })

  test('throws away bytes from 248 on and keeps 247', () => {
    const made = makeKey(bytesOf([248, 255, 247, 61, 62]))
    expect(made.slice(PREFIX_LENGTH, PREFIX_LENGTH + 5)).toBe('zz001')
  })

  test('gives every character exactly four of the fair bytes', () => {
    const seen = new Map<string, number>()
    for (let byte = 0; byte < 248; byte++) {
      const character = makeKey((bytes) => bytes.fill(byte)).charAt(PREFIX_LENGTH)
      seen.set(character, (seen.get(character) ?? 0) + 1)
    }
    expect(seen.size).toBe(62)
    expect(new Set(seen.values())).toEqual(new Set([4]))
  })

  test('asks for more bytes until it has enough', () => {
    let calls = 0
    const made = makeKey((bytes) => (calls++ < 3 ? bytes.fill(255) : bytes.fill(1)))
    expect(calls).toBe(4)
    expect(made).toBe(`satchel_${'1'.repeat(30)}${checkOf('1'.repeat(30))}`)
  })
})

describe('for all keys', () => {
  test('every single-character typo is refused', () => {
    fc.assert(
      fc.property(key, fc.nat(43), visible, (good, at, other) => {
        fc.pre(good[at] !== other)
        const typo = good.slice(0, at) + other + good.slice(at + 1)
        expect(isSatchelKey(typo)).toBe(false)
        if (at >= PREFIX_LENGTH) expect(faultOfKey(typo)).toBeString()
      }),
      { numRuns: runs(2000) },
    )
  })

  test('a character left out, doubled or swapped with its neighbour in the body is refused', () => {
    fc.assert(
      fc.property(key, fc.integer({ min: PREFIX_LENGTH, max: 36 }), (good, at) => {
        const [left, first, second, right] = [good.slice(0, at), good[at], good[at + 1], good.slice(at + 2)]
        expect(faultOfKey(`${left}${second}${right}`)).toBeString()
        expect(faultOfKey(`${left}${first}${first}${second}${right}`)).toBeString()
        if (first !== second) expect(faultOfKey(`${left}${second}${first}${right}`)).toBeString()
      }),
    )
  })

  test('a key in another letter case is refused', () => {
    fc.assert(
      fc.property(key, (good) => {
        fc.pre(good !== good.toLowerCase())
        expect(faultOfKey(good.toLowerCase())).toBeString()
        expect(faultOfKey(good.toUpperCase())).toBeString()
      }),
    )
  })

  test('the mask never shows more than eight of the 36 secret characters', () => {
    fc.assert(
      fc.property(key, (good) => {
        expect(maskKey(good).replace('satchel_', '').replace('…', '')).toHaveLength(8)
      }),
    )
  })
})

describe('keys of other programs', () => {
  test('8 to 255 visible ASCII characters are accepted', () => {
    const foreign = fc.array(visible, { minLength: 8, maxLength: 255 }).map((characters) => characters.join(''))
    fc.assert(
      fc.property(foreign, (text) => {
        fc.pre(!text.toLowerCase().startsWith('satchel_'))
        expect(faultOfKey(text)).toBeNull()
        expect(maskKey(text).length).toBeLessThan(4)
      }),
    )
  })

  test.each(['', 'short12', 'x'.repeat(256), 'two words', 'tab\tinside', 'line\nbreak', 'schlüssel', 'aaaaaaaa\u0000'])(
    'refuses %j',
    (text) => expect(faultOfKey(text)).toBeString(),
  )

  test('whatever the text, it is accepted exactly when it fits the rule of the server', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 300 }), key)
    fc.assert(
      fc.property(text, (candidate) => {
        const own = candidate.toLowerCase().startsWith('satchel_')
        const allowed = own ? isSatchelKey(candidate) : /^[\x21-\x7e]{8,255}$/.test(candidate)
        expect(faultOfKey(candidate) === null).toBe(allowed)
      }),
      { numRuns: runs(1000) },
    )
  })
})
