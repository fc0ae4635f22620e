/** Tags and labels that are added and taken away here, while another device does the same. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { changedNames, joinChanges } from '../../app/data/name-lists'
import { titleKey } from '../../src/lib/text'

const name = fc.constantFrom('a', 'B', 'b', 'house', 'Straße', 'STRASSE', 'é', 'e\u0301')
const names = fc.array(name, { maxLength: 4 })
const list = fc.uniqueArray(name, { selector: titleKey })
const change = fc.record({ tags: list, tags_add: names, tags_remove: names }, { requiredKeys: [] })
const delta = fc.record({ tags_add: names, tags_remove: names })
const changed = (data: object, before: readonly string[]) => changedNames('note', { ...data }, before)
const keysOf = (given: readonly string[]) => given.map(titleKey)

test('two changes are the same as one after the other', () => {
  fc.assert(
    fc.property(list, change, change, (before, first, second) => {
      const both = joinChanges('note', first, second, false)
      expect(both && changed(both, before)).toEqual(changed(second, changed(first, before)))
    }),
  )
})

test('what makes a note takes the whole list', () => {
  fc.assert(
    fc.property(list, change, (tags, second) => {
      const both = joinChanges('note', { title: 'Porto', tags }, second, true)
      expect(both).toEqual({ title: 'Porto', tags: changed(second, tags) })
    }),
  )
})

test('nothing that one device adds is lost, whoever is first, and what stays keeps its order', () => {
  fc.assert(
    fc.property(list, delta, names, (before, theirs, added) => {
      const [ours] = [{ tags_add: added }]
      for (const result of [changed(ours, changed(theirs, before)), changed(theirs, changed(ours, before))]) {
        const gone = new Set(keysOf(theirs.tags_remove))
        const expected = [...before, ...added].filter((each) => !gone.has(titleKey(each)))
        expect(keysOf(result)).toEqual(expect.arrayContaining(keysOf(expected)))
        const old = new Set(keysOf(before))
        const stayed = keysOf(result).filter((key) => old.has(key) && !gone.has(key))
        expect(stayed).toEqual(keysOf(before).filter((key) => !gone.has(key)))
        expect(new Set(keysOf(result)).size).toBe(result.length)
      }
    }),
  )
})

test.each([
  ['another member', { title: 'a' }, { pinned: true }, { title: 'a', pinned: true }],
  ['a whole list after changes', { tags_add: ['a'], tags_remove: ['b'] }, { tags: ['c'] }, { tags: ['c'] }],
  ['what is added and taken away again', { tags_add: ['a'] }, { tags_remove: ['A'] }, { tags_remove: ['A'] }],
  [
    'what is taken away and added again',
    { tags_remove: ['a'] },
    { tags_add: ['a'] },
    { tags_remove: ['a'], tags_add: ['a'] },
  ],
])('%s', (_, first, second, both) => {
  expect(joinChanges('note', first, second, false) as object | null).toEqual(both)
})

test('labels of tasks are changed in the same way; more than one op takes stay apart', () => {
  expect(joinChanges('task', { labels_add: ['a'] }, { labels_add: ['b'], priority: 1 }, false)).toEqual({
    labels_add: ['a', 'b'],
    priority: 1,
  })
  const many = (from: number) => Array.from({ length: 30 }, (_, place) => `n${from + place}`)
  expect(joinChanges('task', { labels_add: many(0) }, { labels_add: many(30) }, false)).toBeNull()
  expect(joinChanges('task', { labels_add: many(0) }, { labels_add: many(10) }, false)).not.toBeNull()
})
