import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkOf, crc32, faultOfKey, isSatchelKey, makeKey, maskKey } from '../../public/key-format.js'
import { findKeyFault } from '../../src/gate/keys'
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

/** What no longer is the key: a character changed, left out, doubled or swapped with its neighbour, or another letter case. */
const spoiled = fc
  .tuple(key, fc.integer({ min: PREFIX_LENGTH, max: 42 }), visible, fc.nat(5))
  .map(([good, at, other, how]) => {
    const [left, first = '', second = '', right] = [good.slice(0, at), good[at], good[at + 1], good.slice(at + 2)]
    const ways = [other + second, second, first + first + second, second + first]
    const cased = how === 4 ? good.toLowerCase() : good.toUpperCase()
    return { good, text: how < ways.length ? left + ways[how] + right : cased }
  })
  .filter(({ good, text }) => text !== good)

const EXAMPLES = [VALID, PADDED, VALID.replace('satchel', 'SATCHEL'), 'satchel_', '', '1234567', '12345678']
  // The check of crc + 2^32, a second spelling; one that is not padded; one over prefix and body.
  .concat('satchel_SatchelGateTestVector0000000794hDwOH', 'satchel_SatchelGateTestVector000000079YhCD')
  .concat('satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA12ygKRB', 'x'.repeat(255), 'x'.repeat(256))
  .concat('two words', 'tab\tinside', 'line\nbreak', 'schlüssel', 'aaaaaaaa\u0000')

describe('whatever the text', () => {
  test('it is accepted exactly when the server accepts it', () => {
    const foreign = fc.array(visible, { maxLength: 300 }).map((characters) => characters.join(''))
    const others = [fc.string({ unit: 'binary' }), foreign, key, spoiled.map(({ text }) => text)]
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...EXAMPLES), ...others), (text) => {
        const isAccepted = findKeyFault(text) === null
        expect(faultOfKey(text) === null).toBe(isAccepted)
        expect(isSatchelKey(text)).toBe(isAccepted && text.startsWith('satchel_'))
      }),
      { numRuns: runs(1500) },
    )
  })

  test('a key that was spoiled in one place is refused', () => {
    fc.assert(
      fc.property(spoiled, ({ text }) => expect(faultOfKey(text)).toBeString()),
      { numRuns: runs(2000) },
    )
  })

  test('the mask shows eight of the 36 secret characters of a key, and less than four of another', () => {
    const foreign = fc.array(visible, { minLength: 8, maxLength: 255 }).map((characters) => characters.join(''))
    fc.assert(
      fc.property(key, foreign, (good, other) => {
        expect(maskKey(good).replace('satchel_', '').replace('…', '')).toHaveLength(8)
        fc.pre(!other.toLowerCase().startsWith('satchel_'))
        expect(maskKey(other).length).toBeLessThan(4)
      }),
    )
  })
})
