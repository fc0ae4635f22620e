import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fold } from '../../src/search/fold'
import { runs } from '../support/full'
import { makeIndexed } from './indexed'

const PIECES = [
  ..."cafe Café a ab abc xab don't 10:30 C++ naïve Йод Ελλάς か が 会議 議事録 한국 ไทย".split(' '),
  ...'++ 😀 a🤩 ½ ﬁn ß #x => [[b]] % _ e-mail getUserName v1'.split(' '),
]
const piece = fc.constantFrom(...PIECES)
const text = fc
  .array(piece, { maxLength: 6 })
  .chain((pieces) => fc.constantFrom(' ', '\n', '', ', ').map((space) => pieces.join(space)))
const subject = fc.record({ title: text, tags: fc.array(piece, { maxLength: 2 }), body: text })
const asked = fc.oneof(
  fc.tuple(
    fc.constantFrom('', 'title:', 'body:'),
    text.map((own) => own.replaceAll('"', '')).filter((own) => own.trim() !== ''),
    fc.constant('quoted' as const),
  ),
  fc.tuple(fc.constantFrom('', 'title:', 'body:'), piece, fc.constantFrom('prefix' as const, 'substring' as const)),
)

const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}]/u
/** Words of a text; what of a run is in a script without spaces stands between as something that is no word. */
const words = (own: string) =>
  (fold(own).match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []).flatMap((run) =>
    UNSPACED.test(run)
      ? run
          .split(/([\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{M}]+)/u)
          .filter(Boolean)
          .map((one) => (UNSPACED.test(one) ? '\0' : one))
      : [run],
  )

function stands(own: string, value: string, form: 'quoted' | 'prefix' | 'substring'): boolean {
  const wanted = fold(value)
  if (form === 'substring' || UNSPACED.test(wanted) || !/[\p{L}\p{N}]/u.test(wanted)) return fold(own).includes(wanted)
  const [has, phrase] = [words(own), words(value)]
  const open = form === 'prefix' && /[\p{L}\p{N}\p{M}]$/u.test(wanted)
  return has.some((_, at) =>
    phrase.every((one, i) => has[at + i] === one || (open && i === phrase.length - 1 && has[at + i]?.startsWith(one))),
  )
}

const spelled = (value: string, form: string) =>
  ({ quoted: `"${value}"`, prefix: `${value}*`, substring: `*${value}*` })[form]

test('phrases, beginnings and pieces are found exactly where they stand, and nowhere else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(subject, { minLength: 1, maxLength: 12 }),
      fc.array(asked, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (subjects, list, stored) => {
        const indexed = await makeIndexed()
        for (const [key, own] of subjects.entries()) await indexed.write(key, own)
        if (stored) await indexed.run()
        for (const [field, value, form] of list) {
          const query = field + spelled(value, form)
          const expected = subjects.flatMap((own, key) => {
            const texts =
              field === 'title:'
                ? [own.title]
                : field === 'body:'
                  ? [own.body]
                  : [own.title, own.tags.join('\n'), own.body]
            return texts.some((one) => stands(one, value, form)) ? [key] : []
          })
          for (const not of [false, true]) {
            const { found } = await indexed.find((not ? 'NOT ' : '') + query, { limit: 100 })
            const keys = found.map(({ key }) => key).sort((a, b) => a - b)
            expect([query, not, keys]).toEqual([
              query,
              not,
              subjects.map((_, key) => key).filter((key) => expected.includes(key) !== not),
            ])
          }
        }
        await indexed.db.close()
      },
    ),
    { numRuns: runs(25) },
  )
})

describe('a phrase with signs', () => {
  const TEXTS = [
    'in C++ and 50%',
    'plan c of 50 people',
    'c+++ or C#',
    'the asp.net of plan.pdf',
    'Learn .NET now, $5, #1',
    'learn C. C++ now',
    'net pdf 1 and 5 dollars',
    'me@home.org and C++/CLI',
  ]
  const cases: [q: string, found: number[]][] = [
    ['"C++"', [0, 5, 7]],
    ['"c#"', [2]],
    ['"50%"', [0]],
    ['".net"', [3, 4]],
    ['".pdf"', [3]],
    ['"@home.org"', [7]],
    ['"$5"', [4]],
    ['"#1"', [4]],
    ['"C++ now"', [5]],
    ['"learn C++"', []],
    ['"learn c"', [5]],
    ['"c++ cli"', [7]],
    ['"asp .net"', [3]],
    ['-"C++"', [1, 2, 3, 4, 6]],
    ['title:C++', [0, 5, 7]],
    ['body:C++', []],
    ['"c++" OR "c#"', [0, 2, 5, 7]],
    // Signs that are a part of no name stay punctuation.
    ['"plan, c"', [1]],
    ['"c"', [0, 1, 2, 5, 7]],
    ['"(c)"', [0, 1, 2, 5, 7]],
    ['"now."', [4, 5]],
    ['"c+"', []],
    ['"##1"', [4, 6]],
    [`${'(title:c (body:x OR '.repeat(31)}title:now${'))'.repeat(31)}`, [5]],
  ]
  test.each(cases)('%s', async (q, expected) => {
    for (const stored of [false, true]) {
      const indexed = await makeIndexed()
      for (const [key, title] of TEXTS.entries()) await indexed.write(key, { title })
      if (stored) await indexed.run()
      const { found } = await indexed.find(q, { limit: 100 })
      expect(found.map(({ key }) => key).sort((a, b) => a - b)).toEqual(expected)
      await indexed.db.close()
    }
  })
})
