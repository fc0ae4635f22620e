import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findNearestName } from '../../src/lib/spelling'

const NOTE = ['id', 'title', 'body', 'folder', 'tags', 'pinned', 'archived_at', 'source', 'properties']

describe('the nearest name', () => {
  test.each([
    ['a letter too few', 'titl', 'title'],
    ['a letter too many', 'tittle', 'title'],
    ['another letter', 'titlo', 'title'],
    ['two letters swapped', 'bdoy', 'body'],
    ['the singular', 'tag', 'tags'],
    ['two edits of a long name', 'propertys', 'properties'],
    ['another case and other separators', 'Archived-At', 'archived_at'],
    ['an edit beside another case', 'archivdAt', 'archived_at'],
    ['a word of other products', 'content', 'body'],
    ['a word of other products, in another case', 'Notebook', 'folder'],
  ])('%s: %s is %s', (_, name, expected) => {
    expect(findNearestName(name, NOTE)).toBe(expected)
  })

  test.each([
    ['two edits of a short name', 'bd'],
    ['three edits of a long name', 'proprteis_x'],
    ['another short word', 'is'],
    ['nothing', ''],
    ['separators alone', '__'],
    ['a name of every object', 'constructor'],
    ['a word whose like is not known here', 'question'],
  ])('%s has none: %s', (_, name) => {
    expect(findNearestName(name, NOTE)).toBeNull()
  })

  test('of several the one with the fewest edits is it, and of as near ones the first', () => {
    expect(findNearestName('labelz', ['babels', 'labels'])).toBe('labels')
    expect(findNearestName('date_x', ['date_b', 'date_a'])).toBe('date_b')
    expect(findNearestName('content', ['title', 'context', 'body'])).toBe('context')
    expect(findNearestName('text', ['notes', 'body'])).toBe('body')
  })

  test('a name as long as a body has none, and costs little', () => {
    const start = process.cpuUsage()
    expect(findNearestName('title'.repeat(400_000), NOTE)).toBeNull()
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1e6).toBeLessThan(0.5)
  })

  test('where nothing is known there is none', () => {
    expect(findNearestName('title', [])).toBeNull()
  })

  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 6, maxLength: 12 })
  test('one edit anywhere in a name of six letters or more leads back to it, whichever way it is made', () => {
    fc.assert(
      fc.property(letters, fc.nat(), fc.nat(3), (name, place, kind) => {
        const at = place % (name.length - 1)
        const [before, two, after] = [name.slice(0, at), name.slice(at, at + 2), name.slice(at + 2)]
        const changed = [`${two[1]}${two[0]}`, `${two[0]}`, `${two[0]}x${two[1]}`, `x${two[1]}`][kind]
        expect(findNearestName(`${before}${changed}${after}`, [name])).toBe(name)
        expect(findNearestName(name, [`${before}${changed}${after}`])).toBe(`${before}${changed}${after}`)
      }),
    )
  })
})
