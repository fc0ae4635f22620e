/** Which notes a list of the app shows, in which order, and what is marked in them. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { NoteSummary } from '../../app/api/types'
import { newNote } from '../../app/data/writes'
import { readDiff } from '../../app/notes/diff-lines'
import { createNoteSearch, findWords, listNotes, partText, tagsOf, toUnits, wordsOf } from '../../app/notes/find-notes'
import { completeLinks, indexLinks } from '../../app/notes/note-links'
import { buildTree, isAbove } from '../../app/notes/path-tree'
import { plainPiece, toPieces } from '../../app/notes/plain-piece'
import { readQuote } from '../../app/notes/show-quote'
import { toCodePoints } from '../../src/lib/text'
import { diffTexts } from '../../src/notes/revisions/diff'

const note = (title: string, more: Partial<NoteSummary> = {}): NoteSummary => ({
  ...{ ...newNote(title, '2026-01-01T00:00:00.000Z'), revision: 1, title },
  ...more,
})
const titles = (notes: readonly NoteSummary[]) => notes.map(({ title }) => title)
const ALL = { tag: null, folder: null, archived: false }
const find = (notes: readonly NoteSummary[], query: string) =>
  titles(createNoteSearch(notes).find(wordsOf(query)).notes)

describe('a list', () => {
  const notes = [
    note('old', { updated_at: '2026-01-01T00:00:00.000Z', folder: 'Work/Plans', tags: ['Travel/Lists'] }),
    note('new', { updated_at: '2026-03-01T00:00:00.000Z', folder: 'Workshop', inline_tags: ['travel'] }),
    note('pinned', { pinned: true, folder: 'Work' }),
    note('archived', { archived_at: '2026-02-01T00:00:00.000Z', folder: 'Work', tags: ['travel'] }),
  ]
  test.each([
    ['all of them, pinned first, then the newest', ALL, ['pinned', 'new', 'old']],
    [
      'a folder with those below it, and none that is only spelled like it',
      { ...ALL, folder: 'Work' },
      ['pinned', 'old'],
    ],
    ['a folder in a folder', { ...ALL, folder: 'Work/Plans' }, ['old']],
    ['a tag in any case, own or in the text, with those below it', { ...ALL, tag: 'TRAVEL' }, ['new', 'old']],
    ['a tag below another', { ...ALL, tag: 'travel/lists' }, ['old']],
    ['a tag that is only the beginning of one', { ...ALL, tag: 'trav' }, []],
    ['a tag and a folder', { tag: 'travel', folder: 'Work', archived: false }, ['old']],
    ['the archive', { ...ALL, archived: true }, ['archived']],
  ])('shows %s', (_, filter, expected) => {
    expect(titles(listNotes(notes, filter))).toEqual(expected)
  })

  test('names a tag once that a note has in two ways', () => {
    expect(tagsOf({ tags: ['Travel'], inline_tags: ['travel', 'train'] })).toEqual(['Travel', 'train'])
  })
})

describe('a search', () => {
  const notes = [
    note('Something else', { excerpt: 'bread is baked' }),
    note('Unbreadable'),
    note('Rye bread'),
    note('Bread', { folder: 'Kitchen', tags: ['yeast'] }),
  ]
  test.each([
    ['bread', ['Bread', 'Rye bread', 'Unbreadable', 'Something else']],
    ['BREAD kitchen', ['Bread']],
    ['yeast', ['Bread']],
    ['bread nothing', []],
    ['  ', ['Something else', 'Unbreadable', 'Rye bread', 'Bread']],
  ])('for %j finds titles first, and only notes with all words', (query, expected) => {
    expect(find(notes, query)).toEqual(expected)
  })

  test.each([
    ['bread', 1, ['Bread'], false],
    ['bread', 2, ['Bread', 'Rye bread'], false],
    ['bread', 4, ['Bread', 'Rye bread', 'Unbreadable', 'Something else'], false],
    ['bread', 5, ['Bread', 'Rye bread', 'Unbreadable', 'Something else'], true],
    ['yeast', 1, ['Bread'], false],
    ['nothing', 1, [], true],
  ])('for %j finds the first %i', (query, enough, expected, isAll) => {
    const found = createNoteSearch(notes).find([query], enough)
    expect({ titles: titles(found.notes), isAll: found.isAll }).toEqual({ titles: expected, isAll })
  })

  test('finds the same while somebody types, deletes and types on', () => {
    const word = fc.string({ unit: fc.constantFrom('b', 'r', 'e', 'a', ' '), maxLength: 5 })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (queries) => {
        const search = createNoteSearch(notes)
        for (const [index, query] of queries.entries()) {
          const found = search.find(wordsOf(query), index % 3 || undefined)
          const expected = find(notes, query)
          expect(titles(found.notes)).toEqual(found.isAll ? expected : expected.slice(0, index % 3))
        }
      }),
    )
  })

  test('sees a note as it is now, not as it was', () => {
    const before = note('Before')
    expect(find([before], 'before')).toEqual(['Before'])
    expect(find([{ ...before, title: 'After' }], 'before')).toEqual([])
  })
})

describe('what is marked', () => {
  test.each([
    [
      'Rye bread, BREAD',
      ['bread'],
      [
        [4, 9],
        [11, 16],
      ],
    ],
    ['breadth', ['bread', 'breadth'], [[0, 7]]],
    [
      'a.b (c) axb',
      ['a.b', '(c)'],
      [
        [0, 3],
        [4, 7],
      ],
    ],
    ['İstanbul garden', ['garden'], [[9, 15]]],
    ['nothing', ['x'], []],
    ['nothing', [], []],
  ])('in %j for %j', (text, words, expected) => {
    expect(findWords(text, words)).toEqual(expected as never)
  })

  test('is where the server says, which counts code points', () => {
    const letters = fc
      .array(fc.constantFrom('a', 'é', '😀', '\ud83d', 'x'), { maxLength: 12 })
      .map((all) => all.join(''))
    fc.assert(
      fc.property(letters, fc.nat(12), fc.nat(12), (text, a, b) => {
        const starts = [0]
        for (const letter of text) starts.push((starts.at(-1) ?? 0) + letter.length)
        const [from, to] = [Math.min(a, b), Math.max(a, b)].map((at) => starts[Math.min(at, starts.length - 1)] ?? 0)
        if (from === undefined || to === undefined) return
        expect(toUnits(text, [toCodePoints(text, [from, to])])).toEqual([[from, to]])
      }),
    )
  })

  test('leaves no letter out, and none twice', () => {
    expect(partText('Rye bread, BREAD', findWords('Rye bread, BREAD', ['bread']))).toEqual([
      { text: 'Rye ', isMarked: false },
      { text: 'bread', isMarked: true },
      { text: ', ', isMarked: false },
      { text: 'BREAD', isMarked: true },
    ])
  })
})

describe('a piece that the server quotes', () => {
  test.each([
    [
      '> [!tip]- Use it > well ==«marked»== $t_«0»$ a foot[^1] note [^1]: end',
      'Use it well «marked» t_«0» a foot note end',
    ],
    [
      '## Plan - [ ] call [[Ann|«her»]] 5 > 3 and a - b [x](http://«gone».example/)',
      'Plan call «her» 5 > 3 and a - b x',
    ],
    ['| «leeks» | 3 | |---|---:| | [[Note\\|alias]] | x |', '«leeks» 3 alias x'],
    ['- 😀 **«bold te»xt** and `«code»` ![[a.png|100]]', '😀 «bold te»xt and «code» a.png'],
    ['a == b, x==«y», #1 and #tag [^', 'a == b, x==«y», #1 and #tag [^'],
    ['«»', ''],
  ])('is shown as it is rendered: %j', (marked, shown) => {
    const [text, ...edges] = [
      marked.replace(/[«»]/g, ''),
      ...[...marked].flatMap((sign, at) => (/[«»]/.test(sign) ? at : [])),
    ]
    const places = edges.map((at, passed) => at - passed)
    const ranges = places.flatMap((from, at) => (at % 2 === 0 ? [[from, places[at + 1] ?? from]] : []))
    const piece = plainPiece(text, ranges)
    const parts = partText(piece.text, piece.ranges)
    expect(parts.map(({ text, isMarked }) => (isMarked ? `«${text}»` : text)).join('')).toBe(shown)
  })

  test('is left alone in titles and tags', () => {
    const title = { field: 'title' as const, text: '😀 **a**', ranges: [[4, 5]] as [number, number][] }
    expect(toPieces([title])).toEqual([{ ...title, ranges: [[5, 6]] }])
    expect(toPieces([{ ...title, field: 'body' }])).toEqual([{ field: 'body', text: '😀 a', ranges: [[3, 4]] }])
  })
})

describe('a tree of paths', () => {
  test('counts each note once at every level, and sorts by name', () => {
    const tree = buildTree([['Work/Plans', 'work/Done'], ['Work'], ['Home 10'], ['Home 9'], []])
    expect(tree).toEqual([
      { name: 'Home 9', path: 'Home 9', count: 1, children: [] },
      { name: 'Home 10', path: 'Home 10', count: 1, children: [] },
      {
        name: 'Work',
        path: 'Work',
        count: 2,
        children: [
          { name: 'Done', path: 'work/Done', count: 1, children: [] },
          { name: 'Plans', path: 'Work/Plans', count: 1, children: [] },
        ],
      },
    ])
  })

  test.each([
    ['Work', 'Work', true],
    ['Work', 'work/Plans', true],
    ['Work', 'Workshop', false],
    ['Work/Plans', 'Work', false],
    ['Work', null, false],
  ])('%s is above %s: %p', (path, other, expected) => {
    expect(isAbove(path, other)).toBe(expected)
  })
})

describe('a link', () => {
  const notes = new Map(
    [
      note('1', { title: 'Trip', folder: 'Travel/Old' }),
      note('2', { title: 'Trip', folder: 'Travel' }),
      note('3', { title: 'Budget', folder: 'Money', file_name: 'Budget 2.md' }),
      note('4', { title: 'Trip', folder: 'Money' }),
    ].map((each) => [each.id, each]),
  )
  const index = indexLinks(notes)
  test.each([
    ['trip', null, '4'],
    ['Trip', 'Travel', '2'],
    ['Trip', 'Travel/Old', '1'],
    ['Old/Trip', 'Travel', '1'],
    ['Travel/Trip.md', null, '2'],
    ['../Trip', 'Travel/Old', '2'],
    ['Budget 2', null, '3'],
    ['Budget', null, '3'],
    ['note:1', null, '1'],
    ['Budget 3', null, null],
    ['note:9', null, null],
    ['Travel', null, null],
  ])('to %s from %s leads to %s', (target, folder, expected) => {
    expect(index.find(target, folder)).toBe(expected)
  })

  test('has the same index as long as no name changes', () => {
    const [trip] = notes.values()
    if (!trip) throw new Error('there is no note')
    const index = indexLinks(notes)
    expect(indexLinks(new Map([...notes, ['1', { ...trip, pinned: true }]]))).toBe(index)
    expect(indexLinks(new Map([...notes, ['1', { ...trip, title: 'Journey' }]]))).not.toBe(index)
  })

  test('is completed by names that begin so, then by those that have it', () => {
    const all = [note('A trip'), note('Tripod'), note('Other')]
    expect(completeLinks(all, 'trip')).toEqual([{ title: 'Tripod' }, { title: 'A trip' }])
    expect(completeLinks(all, 'nothing')).toEqual([])
    expect(completeLinks(all, '')).toHaveLength(3)
  })
})

test('a diff of the server is read by lines, whatever the lines look like', () => {
  const line = fc.constantFrom('', '+', '-', '---', '+++', '@@', ' x', 'a', 'b')
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (from, to) => {
      const { unified } = diffTexts({ name: 'a', text: from }, { name: 'b', text: to }, 1000)
      const lines = readDiff(unified)
      if (from === to) return expect(lines).toEqual([])
      const side = (left: string) => lines.filter(({ kind }) => kind !== left).map(({ text }) => text)
      const linesOf = (all: string) => (all === '' ? [] : all.replace(/\n$/, '').split('\n'))
      expect(side('added')).toEqual(linesOf(from))
      expect(side('removed')).toEqual(linesOf(to))
    }),
  )
})

test.each([
  ['a 🚲 b. The end.', '7-15', 'The end.'],
  ['one', '0-3', 'one'],
  ['one two', '4-99', 'two'],
])('the quote of %p at %p is %p', (body, offsets, quote) => {
  expect(readQuote(body, offsets)).toBe(quote)
})

test.each([null, '', '3', '-1-3', '1-2-3', 'a-b', '3-3', '90-95', '3-4'])('there is no quote at %p', (offsets) => {
  expect(readQuote('one two', offsets)).toBeNull()
})
