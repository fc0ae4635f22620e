import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createIdentity, createKey, findKeyFault } from '../../src/gate/keys'
import { KEY, OTHER_KEY, SECRET } from './world'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('the form of a key', () => {
  test.each([...[KEY, OTHER_KEY, '12345678', 'x'.repeat(255), '!~!~!~!~', 'sk-proj-1234', 'satchel-key']])(
    '%s is accepted',
    (key) => {
      expect(findKeyFault(key)).toBeNull()
    },
  )

  test.each([
    ['satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA23finxh', 'has a typo'],
    ['satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA12ygKRB', 'has a typo'],
    ['satchel_SatchelGateTestVector0000000794hDwOH', 'has a typo'],
    ['satchel_SatchelGateTestVector000000079YhCD', '36 letters'],
    ['SATCHEL_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA13finxh', '36 letters'],
    ['Satchel_12', '36 letters'],
    ['satchel_', '36 letters'],
    [`${KEY}x`, '36 letters'],
    ['', 'empty'],
    ['1234567', 'shorter'],
    ['x'.repeat(256), 'longer'],
    ['12345678 12345678', 'blank'],
    ['12345678\t1', 'blank'],
    [`${KEY}, ${KEY}`, 'blank'],
    ['schlüssel-1', 'ASCII'],
    ['12345678\x7f', 'ASCII'],
  ])('%j is refused: %s', (key, reason) => {
    expect(findKeyFault(key)).toContain(reason)
    if (key.length > 8) expect(findKeyFault(key)).not.toContain(key)
  })

  test('every single typo in a key is refused', () => {
    for (let at = 8; at < KEY.length; at++) {
      for (const digit of DIGITS) {
        const typo = KEY.slice(0, at) + digit + KEY.slice(at + 1)
        if (typo !== KEY) expect(findKeyFault(typo)).toContain('has a typo')
      }
    }
  })

  test('no text throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void findKeyFault(text)))
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void findKeyFault(`satchel_${text}`)))
  })
})

describe('new keys', () => {
  test('any random bytes make an accepted key of 44 characters', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 255 })), (stream) => {
        const key = createKey((bytes) => bytes.map(() => stream.next().value as number))
        expect(key).toMatch(/^satchel_[0-9A-Za-z]{36}$/)
        expect(findKeyFault(key)).toBeNull()
      }),
    )
  })

  test('bytes from 248 on are thrown away, so no digit is likelier', () => {
    let round = 0
    const key = createKey((bytes) => bytes.fill(round++ === 0 ? 248 : 61))
    expect(key.slice(8, 38)).toBe('z'.repeat(30))
  })
})

test('identities are the first 16 bytes of an HMAC under a label', () => {
  const identity = createIdentity(SECRET)
  expect(identity.key(KEY)).toBe('838ebd71ffbb25902c666594fd2f00f7')
  const network = '0'.repeat(32)
  const all = [
    identity.address(network),
    identity.address48(network),
    identity.address(null),
    createIdentity(new Uint8Array(16)).key(KEY),
    identity.networkKey(identity.address(network), identity.key(KEY)),
    identity.networkKey(identity.address(network), identity.key(OTHER_KEY)),
    identity.networkKey(identity.address(null), identity.key(KEY)),
  ]
  expect(new Set(all).size).toBe(7)
  for (const id of all) expect(id).toMatch(/^[0-9a-f]{32}$/)
})
