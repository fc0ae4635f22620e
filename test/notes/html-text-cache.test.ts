import { expect, test } from 'bun:test'
import { TextCache } from '../../src/lib/limited-worker'

/** What is kept of texts of `length` under one-letter names; each takes two bytes a unit with its name. */
const kept = (texts: TextCache, names: string) => [...names].filter((name) => texts.get(name) !== undefined).join('')

test('what was read last stays, the rest goes once there is too much', () => {
  const texts = new TextCache(3 * 2 * 10)
  for (const name of 'abc') texts.set(name, name.repeat(9))
  expect(kept(texts, 'abc')).toBe('abc')
  expect(texts.get('a')).toBe('a'.repeat(9))
  texts.set('d', 'd'.repeat(9))
  expect(kept(texts, 'abcd')).toBe('acd')
})

test('a text in the place of another is counted once', () => {
  const texts = new TextCache(2 * 2 * 10)
  for (let run = 0; run < 10; run += 1) texts.set('a', `${run}`.repeat(9))
  texts.set('b', 'b'.repeat(9))
  expect([texts.get('a'), texts.get('b')]).toEqual(['9'.repeat(9), 'b'.repeat(9)])
})

test('one that is too long is not kept, puts no other out, and takes what had its name', () => {
  const texts = new TextCache(2 * 10)
  texts.set('a', 'a'.repeat(9))
  texts.set('b', 'b'.repeat(10))
  expect(kept(texts, 'ab')).toBe('a')
  texts.set('a', 'a'.repeat(10))
  expect(kept(texts, 'ab')).toBe('')
  texts.set('c', 'c'.repeat(9))
  expect(kept(texts, 'c')).toBe('c')
})
