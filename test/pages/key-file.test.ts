import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fileNameFor, readKeys, UnreadableKeys, writeKeyFile } from '../../public/key-file.js'
import { makeKey } from '../../public/key-format.js'
import { tidyName } from '../../public/key-store.js'

const kept = fc.string({ unit: 'grapheme' }).map((text) => ({
  key: makeKey(),
  name: tidyName(text, 'Key 1'),
  made_at: '2026-03-01T08:15:00.000Z',
  saved: false,
}))

describe('a key file', () => {
  test('gives back the keys and names that were written, in their order', () => {
    fc.assert(
      fc.property(fc.array(kept, { minLength: 1, maxLength: 5 }), (keys) => {
        const read = readKeys(writeKeyFile(keys, 'http://localhost:3000'))
        expect(read).toEqual(keys.map(({ key, name }) => ({ key, name })))
      }),
    )
  })

  test('has a name that every file system takes, whatever the key is called', () => {
    fc.assert(
      fc.property(kept, (key) => {
        expect(fileNameFor([key])).toMatch(/^satchel-key(-[a-z0-9]+)*\.json$/)
      }),
    )
    expect(fileNameFor([])).toBe('satchel-keys-all.json')
  })

  test('with one bad key is refused whole, and says which', () => {
    const good = { name: 'Good', key: makeKey() }
    const text = JSON.stringify({ keys: [good, { name: 'Torn', key: good.key.slice(0, -1) }] })
    expect(() => readKeys(text)).toThrow('“Torn”: A Satchel key has 44 characters; this has 43.')
  })

  test.each(['{', '{}', '{"keys":1}', '{"keys":[]}', '{"keys":[null]}', '{"keys":[{"key":7}]}'])(
    '%s is refused in words',
    (text) => expect(() => readKeys(text)).toThrow(UnreadableKeys),
  )
})

describe('a pasted key', () => {
  test('is taken with blanks around it', () => {
    const key = makeKey()
    expect(readKeys(`  ${key}\n`)).toEqual([{ key, name: '' }])
  })

  test('or anything else either gives keys or an UnreadableKeys', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        try {
          expect(readKeys(text).length).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableKeys)
        }
      }),
    )
  })
})
