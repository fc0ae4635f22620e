import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { titleKey } from '../../../src/lib/text'
import { toFilterText } from '../../../src/tasks/filter/store'
import { createTaskQueries } from '../../../src/tasks/list'
import { runs } from '../../support/full'
import { idOf, openTables, PLAIN, type Plain, writeShelf, writeTask } from './support'

const world = openTables()
afterAll(() => world.db.close())
const lists = createTaskQueries({ now: () => 0, findByText: world.mayHold })
const NOTHING = { projects: [], sections: [], labels: [] }

/** Characters that folding takes away, joins or takes apart, and words that no index keeps whole. */
const PIECES = fc.oneof(
  fc.constantFrom(
    ...[
      'a',
      'B',
      ' ',
      '  ',
      '\n',
      '\r\n',
      '\t',
      '\u00a0',
      '\u2028',
      '\x01',
      '-',
      '.',
      '#',
      '++',
      '_',
      '*',
      '?',
      '[',
      ']',
    ],
    ...['é', 'e\u0301', 'É', 'ß', 'ẞ', 'Ł', 'ı', 'İ', 'ς', 'Σ', 'ﬁ', 'ŉ', '½', '①', '\u00ad', '\u200d', '\u0301', 'ﷺ'],
    ...[
      '日',
      '本',
      'テ',
      '\u3099',
      'ｶﾞ',
      '가',
      '각',
      '\u1100\u1161',
      'ก',
      'ำ',
      'ม่',
      'क',
      'ः',
      'مُ',
      'أ',
      'ـ',
      'שׁ',
      '👩‍👩‍👧',
      '🇩🇪',
    ],
    ...['rent', 'Milk', 'getUserName', 'v1.2', 'e-mail', 'C++', 'x'.repeat(70), 'y'.repeat(300)],
  ),
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 3 })
    .filter((text) => !text.includes('\0') && text.isWellFormed()),
)
const anyText = fc.array(PIECES, { maxLength: 8 }).map((pieces) => pieces.join(''))

/** Parts of what a filter looks through. */
function partsOf(text: string, cuts: readonly (readonly [number, number])[]): string[] {
  const points = Array.from(titleKey(text))
  return cuts
    .map(([start, length]) => {
      const from = Math.floor(start * points.length)
      return points.slice(from, from + 1 + Math.floor(length * 6)).join('')
    })
    .filter((part) => titleKey(part) !== '')
}

describe('a text is found wherever it stands', () => {
  const cut = fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  const drawn = fc.record({ title: anyText, notes: anyText, cuts: fc.array(cut, { minLength: 2, maxLength: 4 }) })

  test.each([
    ['indexed', 80, true],
    ['to be indexed yet', 10, false],
    ['to be indexed yet, and many', 40, false],
  ])(
    'in texts that are %s, and nowhere else',
    async (_, count, indexed) => {
      let workspaces = 0
      await fc.assert(
        fc.asyncProperty(fc.array(drawn, { minLength: count, maxLength: count }), async (texts) => {
          const me = world.session(`${count}${++workspaces}`.padStart(32, indexed ? '1' : '2'))
          const shelf = await writeShelf(me, NOTHING)
          const tasks = texts.map(({ title, notes }, i): Plain => ({ ...PLAIN, n: i + 1, title, notes }))
          for (const task of tasks) await writeTask(me, task, shelf)
          if (indexed) await world.index()
          for (const { title, notes, cuts } of texts)
            for (const part of [...partsOf(title, cuts.slice(0, 2)), ...partsOf(notes, cuts)]) {
              const filter = `"${part.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
              const { items } = await lists.list(me, { filter, limit: '200', sort: 'created' })
              const held = tasks.filter((task) =>
                [task.title, task.notes].some((one) => titleKey(one).includes(titleKey(part))),
              )
              expect([part, items.map(({ id }) => id)]).toEqual([part, held.map(({ n }) => idOf(n))])
            }
        }),
        { numRuns: runs(4), endOnFailure: true },
      )
    },
    60_000,
  )
})

describe('a text is stored beside its task', () => {
  test.each([
    ['ASCII, whatever its case', 'Buy MILK', 'and Bread'],
    ['letters without another case, or in lower case', 'Kauf ÄPFEL', 'schöne äpfel für 日本'],
    ['white space', '  two   blanks ', '\r\n- one\n\n- two\t(three) '],
    ['words of less than 64 letters', 'x'.repeat(63), `${'y'.repeat(63)}-${'y'.repeat(63)}`],
  ])('not: %s', (_, title, notes) => {
    expect(toFilterText({ title, notes })).toBeNull()
  })

  test.each([
    ['other cases than those of ASCII', 'a', 'ÄPFEL', 'a\näpfel'],
    ['letters that are folded to others', 'a', 'die Straße', 'a\ndie strasse'],
    ['letters with their accents beside them', 'a', 'e\u0301', 'a\né'],
    ['other blanks', 'a', 'b\u00a0c', 'a\nb c'],
    ['what SQLite marks blanks with', 'a', 'b\x01 c', 'a\nb\x01 c'],
    ['long words of a title', `A ${'x'.repeat(64)}`, '', `a ${'x'.repeat(64)}\n`],
    ['long words of notes', 'a', 'x'.repeat(64), `a\n${'x'.repeat(64)}`],
  ])('that is: %s', (_, title, notes, stored) => {
    expect(toFilterText({ title, notes })?.text).toBe(stored)
  })

  test('and goes when it need not be any more', async () => {
    const me = world.session('4'.repeat(32))
    const shelf = await writeShelf(me, NOTHING)
    await writeTask(me, { ...PLAIN, notes: 'ÄPFEL' }, shelf)
    const stored = () => me.db.all('SELECT text FROM task_texts WHERE workspace = $1', [me.workspace.id])
    expect(await stored()).toEqual([{ text: 'plain\näpfel' }])
  })
})
