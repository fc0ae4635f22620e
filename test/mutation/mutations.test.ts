import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { codeOnly } from '../support/house'
import { type Kind, mutate, mutationsOf } from './mutations'

/** What a source becomes by its mutations of one kind. */
function mutants(kind: Kind, text: string): string[] {
  return mutationsOf(text).flatMap((mutation) => (mutation.kind === kind ? [mutate(text, mutation)] : []))
}

const block = (...lines: string[]) => ['function f() {', ...lines.map((line) => `  ${line}`), '}', ''].join('\n')

describe('comparisons are flipped', () => {
  test.each([
    ['const same = a === b', 'const same = a !== b'],
    ['const isLess = a < b', 'const isLess = a <= b'],
    ['const most =\n  a >=\n  b', 'const most =\n  a >\n  b'],
  ])('%s', (text, mutant) => expect(mutants('comparison', text)).toEqual([mutant]))

  test.each([
    ['an arrow', 'const f = (a) => b'],
    ['types and what is generic', 'const seen = new Map<string, Set<number>>()'],
    ['comments, strings, templates and regexes', "f('a === b', `c < d`, /e > f/) // g !== h"],
  ])('not %s', (_, text) => expect(mutants('comparison', text)).toEqual([]))
})

describe('statements are left out', () => {
  test.each([
    ['calls', block('await store.save(note)', 'return note'), block('', 'return note')],
    ['early returns', block('if (a) return b(c)', 'const d = e'), block('', 'const d = e')],
    ['assignments', block('const a = b', 'this.count += 1'), block('const a = b', '')],
  ])('%s', (_, text, mutant) =>
    expect(mutants('statement', text).map((one) => one.replaceAll(/^ +$/gm, ''))).toEqual([
      mutant.replaceAll(/^ +$/gm, ''),
    ]),
  )

  test.each([
    ['declarations, and what a function returns', block('const a = b()', 'return a')],
    ['parts of a statement', block('const a = [', '  f(),', '  g(),', ']', 'if (a)', '  h()')],
    [
      'members of objects, types and classes',
      'class A {\n  size = f()\n  b: { c(): void }\n}\nconst d = {\n  e() {},\n}',
    ],
    ['what is logged', block("this.#deps.log.warn({ a: 1 }, 'gone')")],
  ])('not %s', (_, text) => expect(mutants('statement', text)).toEqual([]))
})

describe('constants are changed', () => {
  test.each([
    ['const MOST = 200', ['const MOST = 201']],
    ['const WAIT_MS = 30_000', ['const WAIT_MS = 60000']],
    ['f(true, 0)', ['f(false, 0)', 'f(true, 1)']],
    ['const [a] = [0.5]', ['const [a] = [1.5]']],
  ])('%s', (text, mutated) => expect(mutants('constant', text)).toEqual(mutated))

  test.each([
    ['types', 'export type Level =\n  | 1\n  | 2\n\nexport interface A {\n  done: true\n}\nconst a: 1 | 2 = b'],
    ['imports', "import { a } from './1'\nimport {\n  b,\n} from './2'"],
    ['keys, names, big integers and hexadecimals', 'f({ 200: Page }, utf8, a.b1, 10n, 0xff)'],
    ['examples, and what is logged', 'g({\n  examples: [{ size: 3 }],\n})\nlog.info({ size: 3 }, f(1))'],
    ['what stands for nothing', 'const a = list[i] ?? 0'],
  ])('not of %s', (_, text) => expect(mutants('constant', text)).toEqual([]))
})

describe('conditions are negated', () => {
  test.each([
    ['if (a) b()', 'if (!(a)) b()'],
    ['} else if (f(a) && (b || c)) {', '} else if (!(f(a) && (b || c))) {'],
    ["if (a.startsWith(')')) b()", "if (!(a.startsWith(')'))) b()"],
  ])('%s', (text, mutant) => expect(mutants('condition', text)).toEqual([mutant]))

  test.each([
    ['loops, which might not end', 'while (a) b()'],
    ['functions with such a name', 'elif (a)\nverify(a)'],
    ['comments and texts', "// if (a)\nconst b = 'if (c)'"],
  ])('not %s', (_, text) => expect(mutants('condition', text)).toEqual([]))
})

test('the line of a mutation is counted from 1', () => {
  expect(mutationsOf('\n// a\nconst b = 1\n').map(({ line }) => line)).toEqual([3])
})

test('what is code is found in every file of src/', async () => {
  const root = join(import.meta.dir, '../..')
  const uneven: string[] = []
  for (const path of new Bun.Glob('src/**/*.ts').scanSync(root)) {
    const code = codeOnly(await Bun.file(join(root, path)).text())
    const count = (char: string) => code.split(char).length
    if (count('(') !== count(')') || count('[') !== count(']') || count('{') !== count('}')) uneven.push(path)
  }
  expect(uneven).toEqual([])
})
