import fc from 'fast-check'
import type { Tree } from './matcher'

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
/** Texts of these words. */
export const text = fc
  .array(word, { maxLength: 6 })
  .chain((words) => fc.constantFrom(' ', '\n', '', ', ').map((space) => words.join(space)))
export const TAGS = ['x', 'X/y', 'x/y/z', 'cafe', 'café']
const FOLDERS = ['Work', 'Work/Plans', 'work', 'Café']

/** Notes. */
export const subject = fc.record(
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

/** Queries, see matcher.ts. */
export const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((any) => ({ any })),
    tie('tree').map((not) => ({ not: 'not' in not ? { all: [not, not] } : not })),
  ),
}))
