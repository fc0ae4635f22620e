import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MANY_CALLERS, makeKey, makeWorld } from '../../support/world'
import { matches, type Subject, spelled, type Tree } from './matcher'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)

let keys = 0
const stranger = () => ({ key: makeKey(++keys) })

async function ids(me: { key: string }, q: string, more = ''): Promise<string[]> {
  const answer = await world.call(me, 'GET', `/api/notes/search?limit=200&q=${encodeURIComponent(q)}${more}`)
  if (answer.status !== 200) throw new Error(`${q}: ${JSON.stringify(answer.body)}`)
  return answer.body.items.map((item: { note: { id: string } }) => item.note.id)
}

const WORDS = [
  'cafe',
  'Café',
  'CAFE\u0301',
  'a',
  'b',
  'ab',
  'abc',
  'xab',
  "don't",
  '10:30',
  'C++',
  'naïve',
  'Йод',
  'йод',
  'Ελλάς',
  'ΕΛΛΑΣ',
  'ｶﾞ',
  'ガ',
  'か',
  'が',
  '会議',
  '議事録',
  '会議の議事録',
  '한국',
  'ไทย',
  '++',
  '😀',
  '🤩',
  'a🤩',
  '½',
  'ﬁn',
  'ß',
  '#x',
  '=>',
  '[[b]]',
  '`code`',
  'हिन्दी',
  '%',
  '_',
]
const word = fc.constantFrom(...WORDS)
const text = fc
  .array(word, { maxLength: 6 })
  .chain((words) => fc.constantFrom(' ', '\n', '', ', ').map((space) => words.join(space)))
const TAGS = ['x', 'X/y', 'x/y/z', 'cafe', 'café']
const FOLDERS = ['Work', 'Work/Plans', 'work', 'Café']

const subject = fc.record(
  {
    title: text.map((title) => title.replace(/\n/g, ' ')).filter((title) => title.trim() !== ''),
    body: fc.tuple(fc.constantFrom('', '# ', '- [ ] ', '- [x] '), text).map((parts) => parts.join('')),
    tags: fc.subarray(TAGS, { maxLength: 2 }),
    folder: fc.constantFrom(...FOLDERS),
    pinned: fc.boolean(),
    archived_at: fc.constant('2026-01-01T00:00:00.000Z'),
  },
  { requiredKeys: ['title', 'body'] },
)

const quotable = text.map((value) => value.replaceAll('"', '')).filter((value) => value.trim() !== '')
const leaf: fc.Arbitrary<Tree> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      field: fc.constantFrom('', '', 'title', 'body'),
      value: word.filter((value) => !/^-.$|^-[^-]/.test(value)),
      form: fc.constantFrom('plain', 'prefix', 'substring'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ field: fc.constantFrom('', 'title', 'body'), value: quotable, form: fc.constant('quoted') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      field: fc.constant('tag'),
      value: fc.constantFrom(...TAGS, 'ca', 'x/'),
      form: fc.constantFrom('plain', 'prefix', 'substring'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      field: fc.constant('folder'),
      value: fc.constantFrom(...FOLDERS, 'or'),
      form: fc.constantFrom('plain', 'prefix', 'substring'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      field: fc.constantFrom('created', 'updated'),
      value: fc.constantFrom(
        '2026',
        '2026-03',
        '2026-03-03',
        '>2026-03-03',
        '>=2026-03-03',
        '<2026-03-03',
        '<=2026-03-03',
        '2026-03-02..2026-03-03',
        '2025',
      ),
      form: fc.constant('plain'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        'is:pinned',
        'is:archived',
        'is:daily',
        'is:orphan',
        'is:untagged',
        'has:link',
        'has:checklist',
        'has:todo',
        'has:code',
        'has:heading',
      )
      .map((both): Tree => ({ field: both.split(':')[0] ?? '', value: both.split(':')[1] ?? '', form: 'plain' })),
  },
) as fc.Arbitrary<Tree>

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((any) => ({ any })),
    tie('tree').map((not) => ({ not: 'not' in not ? { all: [not, not] } : not })),
  ),
}))

describe('what a search finds', () => {
  test('is what a plain matcher finds, note by note, for random notes and queries', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(subject, { minLength: 4, maxLength: 12 }),
        fc.array(tree, { minLength: 10, maxLength: 25 }),
        async (subjects, trees) => {
          const me = stranger()
          for (const [n, input] of subjects.entries()) {
            world.clock.now = Date.parse('2026-03-02T12:00:00.000Z') + n * 5 * 3_600_000
            await world.call(me, 'POST', '/api/notes', input)
          }
          // Read when all are there: who links to a note is known only then.
          const list = await world.call(me, 'GET', '/api/notes?archived=any&include=body&sort=updated')
          const notes: (Subject & { id: string })[] = list.body.items
          expect(notes).toHaveLength(subjects.length)
          for (const one of trees) {
            const wanted = notes
              .filter((note) => matches(one, note))
              .map(({ id }) => id)
              .sort()
            const q = spelled(one)
            expect([q, (await ids(me, q)).sort()]).toEqual([q, wanted])
            const newest = notes
              .filter(({ id }) => wanted.includes(id))
              .map(({ id }) => id)
              .reverse()
            expect([q, await ids(me, q, '&sort=-updated')]).toEqual([q, newest])
          }
        },
      ),
      { numRuns: 20 },
    )
  }, 120_000)
})
