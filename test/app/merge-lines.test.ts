/** Two changes of one text become one, or none where they are of the same lines. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { mergeLines } from '../../app/data/merge-lines'

const RUNS = { numRuns: 500 }
const line = fc.constantFrom('', 'a', 'b', 'c', '- [ ] milk', '- [x] milk', 'For Porto: a bag.', '😀')
const text = fc.oneof(
  fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n')),
  fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\r\n')),
)
/** A text, and two that were made of it by few changes of lines. */
const edit = fc.record({ at: fc.nat(20), remove: fc.nat(2), insert: fc.array(fc.nat(1000), { maxLength: 2 }) })
const edited = fc
  .record({
    lines: fc.array(line, { minLength: 1, maxLength: 20 }),
    theirs: fc.array(edit, { maxLength: 2 }),
    ours: fc.array(edit, { maxLength: 2 }),
  })
  .map(({ lines, theirs, ours }) => {
    const make = (name: string, edits: typeof theirs) => {
      const made: string[] = [...lines]
      for (const { at, remove, insert } of edits)
        made.splice(at % (made.length + 1), remove, ...insert.map((number) => `${name} ${number}`))
      return made.join('\n')
    }
    return { base: lines.join('\n'), theirs: make('theirs', theirs), ours: make('ours', ours) }
  })

test.each([
  ['one two three', 'ONE two three', 'one two THREE', 'ONE two THREE'],
  ['one two three', 'one two three four', 'ONE two three', 'ONE two three four'],
  ['one two three', 'two three', 'one two THREE', 'two THREE'],
  ['one two three', 'ONE two', 'one two three', 'ONE two'],
  ['one two', 'ONE two', 'one TWO', 'ONE TWO'],
  ['one two three', 'ONE two THREE', 'ONE two three', 'ONE two THREE'],
  ['one two three', 'one new two three', 'one new two THREE', 'one new two THREE'],
])('of %p, what became %p and %p is %p', (base, theirs, ours, merged) => {
  const lines = (words: string) => words.replaceAll(' ', '\n')
  expect(mergeLines(lines(base), lines(theirs), lines(ours))).toBe(lines(merged))
})

test.each([
  ['one two three', 'one TWO three', 'one Two three'],
  ['one two three', 'one three', 'one TWO three'],
  ['one two', 'one two three', 'one two four'],
  ['one two', 'zero one two', 'null one two'],
  ['one two three', 'one TWO three', 'one two new three'],
  ['one', '', 'two'],
  ['', 'one', 'two'],
])('of %p, what became %p and %p is nobody’s to guess', (base, theirs, ours) => {
  const lines = (words: string) => words.replaceAll(' ', '\n')
  expect(mergeLines(lines(base), lines(theirs), lines(ours))).toBeNull()
})

test('line ends that an editor has changed are no change of the lines', () => {
  expect(mergeLines('a\r\nb\r\nc\r\n', 'A\r\nb\r\nc\r\n', 'a\nb\nC\n')).toBe('A\nb\nC\n')
  expect(mergeLines('a\r\nb\r\nc\r\n', 'A\r\nb\r\nc\r\n', 'a\r\nb\r\nC\r\n')).toBe('A\r\nb\r\nC\r\n')
})

test('what only one place has changed is as it is there', () => {
  fc.assert(
    fc.property(text, text, (base, other) => {
      expect(mergeLines(base, base, other)).toBe(other)
      expect(mergeLines(base, other, base)).toBe(other)
      expect(mergeLines(base, other, other)).toBe(other)
    }),
    RUNS,
  )
})

test('both sides are equal', () => {
  fc.assert(
    fc.property(edited, ({ base, theirs, ours }) => {
      expect(mergeLines(base, theirs, ours)).toBe(mergeLines(base, ours, theirs))
    }),
    RUNS,
  )
  fc.assert(
    fc.property(text, text, text, (base, theirs, ours) => {
      expect(mergeLines(base, theirs, ours)).toBe(mergeLines(base, ours, theirs))
    }),
    RUNS,
  )
})

test('every line that was added is in the result', () => {
  let merged = 0
  fc.assert(
    fc.property(edited, ({ base, theirs, ours }) => {
      const result = mergeLines(base, theirs, ours)
      if (result === null) return
      merged += 1
      const left = new Set(result.split('\n'))
      for (const each of [...theirs.split('\n'), ...ours.split('\n')])
        if (/^(theirs|ours) /.test(each)) expect(left).toContain(each)
    }),
    RUNS,
  )
  expect(merged).toBeGreaterThan(100)
})

test('a megabyte of lines that differ everywhere is merged or given up, and what is far apart is merged', () => {
  const lines = (word: string) => Array.from({ length: 100_000 }, (_, number) => `${word} ${number}`)
  const base = lines('line')
  const far = [...base]
  far[0] = 'first'
  far[99_999] = 'last'
  const middle = base.with(50_000, 'middle')
  const both = [...far].with(50_000, 'middle').join('\n')
  // Compared here: what differs would be printed.
  expect(mergeLines(base.join('\n'), far.join('\n'), middle.join('\n')) === both).toBe(true)
  expect(mergeLines(base.join('\n'), lines('theirs').join('\n'), lines('ours').join('\n')) === null).toBe(true)
  const ends = '\n'.repeat(1_000_000)
  expect(mergeLines(ends, `${ends.slice(1)}last`, `first${ends}`) === `first${ends.slice(1)}last`).toBe(true)
})
