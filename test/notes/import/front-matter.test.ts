import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  changeFrontMatter,
  MAX_FRONT_MATTER_BYTES,
  readFrontMatter,
  writeFrontMatter,
} from '../../../src/notes/import/front-matter'
import { spent } from '../../support/cost'
import { FULL, runs, slow } from '../../support/full'

const block = (yaml: string) => `---\n${yaml}\n---\nbody`
const valuesOf = (text: string) =>
  Object.fromEntries([...(readFrontMatter(text).members ?? [])].map(([name, { value }]) => [name, value]))

/** Text that can be stored, with all that YAML finds special. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter((s) => s.isWellFormed() && !s.includes('\0')),
  fc.constantFrom(
    ...`yes null ~ 2024-01-01 1.0 *a &a !a --- ... << __proto__ \ufeff \u2028 \u0085 " ' % @ \` | > ?`.split(' '),
    ...['- a', '# a', 'a: b', ' a ', 'a\r\nb\n'],
  ),
)
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value

describe('front matter', () => {
  test('gives back whatever was written into it, and the body byte for byte', () => {
    fc.assert(
      fc.property(fc.dictionary(text, json, { maxKeys: 6 }), text, (members, body) => {
        // The first name is ours: a byte-order mark at the very beginning would be taken for one.
        const plain = { title: 'first', ...JSON.parse(JSON.stringify(members)) }
        const read = readFrontMatter(writeFrontMatter(plain) + body)
        expect(read.fault).toBeNull()
        expect(read.body).toBe(body)
        expect(JSON.stringify([...(read.members ?? [])].map(([name, { value }]) => [name, value]))).toBe(
          JSON.stringify(Object.entries(plain)),
        )
      }),
      { numRuns: runs(500) },
    )
  })

  slow('of 64 KiB of the worst properties is written so that it can be read', () => {
    let deep: unknown = Array.from({ length: 32_000 }, () => 0)
    for (let i = 0; i < 14; i++) deep = [deep]
    for (const properties of [
      { deep },
      { many: Array.from({ length: 21_000 }, () => []) },
      { text: '\u0001'.repeat(10_000) },
    ]) {
      const written = writeFrontMatter(properties)
      expect(Buffer.byteLength(written)).toBeLessThan(MAX_FRONT_MATTER_BYTES)
      expect(JSON.stringify(valuesOf(written))).toBe(JSON.stringify(properties))
    }
  })

  test('keeps dates as strings, and numbers that a double cannot hold', () => {
    const read = valuesOf(
      block('day: 2024-01-02\nat: 2024-01-02T03:04:05Z\nbig: 12345678901234567890\nnan: .nan\nn: 12'),
    )
    expect(read).toEqual({
      day: '2024-01-02',
      at: '2024-01-02T03:04:05Z',
      big: '12345678901234567890',
      nan: '.nan',
      n: 12,
    })
  })

  test('takes either line ending, and an empty block', () => {
    expect(readFrontMatter('---\r\na: 1\r\n---\r\nbody\r\n')).toMatchObject({ body: 'body\r\n', fault: null })
    expect(readFrontMatter('---\n---\nbody')).toEqual({
      members: new Map(),
      body: 'body',
      block: '---\n---\n',
      fault: null,
    })
    expect(readFrontMatter('---\na: 1\n---').body).toBe('')
  })

  test.each([
    '',
    'text',
    '--- \ntext',
    '----\na: 1\n---\n',
    ' ---\na: 1\n---\n',
    '---\na: 1\n',
    'text\n---\na: 1\n---\n',
  ])('%j has none', (body) => {
    expect(readFrontMatter(body)).toEqual({ members: null, body, block: '', fault: null })
  })

  const laughs = [
    'a: &a [lol, lol]',
    ...Array.from(
      { length: 9 },
      (_, i) => `${'bcdefghij'[i]}: &${'bcdefghij'[i]} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(', ')}]`,
    ),
  ].join('\n')
  const broken: [string, string][] = [
    ['a billion laughs', laughs],
    ['a single alias', 'a: &x 1\nb: *x'],
    ['a merge key', 'a: &x {b: 1}\nc:\n  <<: *x'],
    ['a name twice', 'a: 1\na: 2'],
    ['a list', '- a\n- b'],
    ['mere text', 'just a sentence between two rules'],
    ['an open bracket', 'a: [1'],
    ['deep brackets', `a: ${'['.repeat(100_000)}`],
    ['deep braces', `a: ${'{a: '.repeat(50_000)}`],
    ['deep dashes', '- '.repeat(100_000)],
    ['deep indentation', Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['NUL', 'a: "\\0"'],
    ['half a surrogate pair', 'a: "\\ud800"'],
    ['too much', `a: ${'x'.repeat(MAX_FRONT_MATTER_BYTES)}`],
    ['names without end', ':\n'.repeat(FULL ? 100_000 : 20_000)],
  ]

  test.each(broken)('%s: the block stays in the body, and why is told', async (_, yaml) => {
    const { ms, value: read } = await spent(() => readFrontMatter(block(yaml)))
    expect(read).toMatchObject({ members: null, body: block(yaml), fault: expect.stringMatching(/front matter/) })
    expect(ms).toBeLessThan(5000)
  })

  test('any text at all is read without a throw', () => {
    const yaml = fc.string({ unit: fc.constantFrom(...'a1:-?[]{},&*!|>\'"%@`#\n \t\\.~<'), maxLength: 60 })
    fc.assert(
      fc.property(yaml, (inner) => {
        const read = readFrontMatter(block(inner))
        expect(read.members === null ? read.body : 'body').toBe(read.members === null ? block(inner) : 'body')
      }),
      { numRuns: runs(1500) },
    )
  })
})

describe('a change of front matter', () => {
  test('leaves everything else as it is', () => {
    const text = block("# c\na: 1 # one\n'b':   [x,  y]\n\nc: 007").replace('body', '')
    expect(
      changeFrontMatter(
        text,
        new Map<string, unknown>([
          ['a', 2],
          ['b', undefined],
          ['d', ['z']],
        ]),
      ),
    ).toBe('---\n# c\na: 2 # one\n\nc: 007\nd:\n  - z\n---\n')
  })

  test.each(['{a: 1}', '? a\n: 1', '  a: 1\n  b: 2', '- a'])('of %j is not tried', (yaml) => {
    expect(changeFrontMatter(`---\n${yaml}\n---\n`, new Map([['a', 2]]))).toBeNull()
  })

  slow('of as many members as there can be is made in time', async () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `a${i}`)
    const text = `---\n${names.map((name) => `${name}: 1\n`).join('')}---\n`
    const removed = await spent(() => changeFrontMatter(text, new Map(names.map((name) => [name, undefined]))))
    expect(removed.value).toBe('---\n---\n')
    const changed = await spent(() => changeFrontMatter(text, new Map(names.map((name) => [name, 2]))))
    expect(changed.value).toBe(text.replaceAll(': 1', ': 2'))
    expect(removed.ms + changed.ms).toBeLessThan(5000)
  })
})
