import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { diffTexts, type TextDiff } from '../../src/notes/revisions/diff'
import { spent } from '../support/cost'
import { makeFolder } from '../support/folder'
import { runs, slow } from '../support/full'

const compare = (from: string, to: string, context = 3): TextDiff =>
  diffTexts({ name: 'revision 1', text: from }, { name: 'revision 2', text: to }, context)

/** Lines that look like parts of a diff, and every way to end one. */
const line = fc
  .tuple(
    fc.constantFrom(
      '',
      'a',
      'b',
      'c',
      ' a',
      '-a',
      '+a',
      '-- a',
      '++ b',
      '@@ -1,1 +1,1 @@',
      '\\ No newline',
      'Index: a',
      'é\u2028',
    ),
    fc.constantFrom('\n', '\n', '\n', '\r\n', '\r'),
  )
  .map((parts) => parts.join(''))
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', 'end', '\r'))
  .map(([lines, end]) => lines.join('') + end)
const context = fc.integer({ min: 0, max: 20 })

/** Applies a unified diff as POSIX describes it, strictly: every line must be where the diff says. */
function apply(source: string, unified: string): string {
  if (unified === '') return source
  const [first, second, ...rest] = unified.split('\n').slice(0, -1)
  expect([first?.slice(0, 4), second?.slice(0, 4)]).toEqual(['--- ', '+++ '])
  const old = source.split(/(?<=\n)/)
  const result: string[] = []
  let at = 0
  let [oldLeft, newLeft] = [0, 0]
  rest.forEach((entry, i) => {
    const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(entry)
    if (oldLeft === 0 && newLeft === 0 && head) {
      const [from, oldLines, to, newLines] = head.slice(1).map(Number) as [number, number, number, number]
      const start = oldLines === 0 ? from : from - 1
      result.push(...old.slice(at, start))
      at = start
      expect(result.length).toBe(newLines === 0 ? to : to - 1)
      oldLeft = oldLines
      newLeft = newLines
      return
    }
    if (entry.startsWith('\\')) return
    const content = entry.slice(1) + (rest[i + 1]?.startsWith('\\') ? '' : '\n')
    if (entry[0] !== '+') {
      expect(old[at++]).toBe(content)
      oldLeft--
    }
    if (entry[0] !== '-') {
      result.push(content)
      newLeft--
    }
  })
  expect([oldLeft, newLeft]).toEqual([0, 0])
  return [...result, ...old.slice(at)].join('')
}

const program = Bun.which('patch')
const folder = makeFolder()

/** What the program `patch` makes of a text. */
async function patched(source: string, unified: string): Promise<string> {
  const [from, diff, to] = ['from', 'diff', 'to'].map((name) => join(folder, name)) as [string, string, string]
  await Promise.all([Bun.write(from, source), Bun.write(diff, unified), Bun.write(to, '')])
  const { exitCode, stderr } = Bun.spawnSync([program ?? '', '--fuzz=0', '--silent', '-o', to, from, diff])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  return Bun.file(to).text()
}

const unique = (prefix: string) =>
  Array.from({ length: 160_000 }, (_, i) => `${prefix}${i}`)
    .join('\n')
    .slice(0, 1024 * 1024)
const chosen = (seed: number) => {
  let state = seed
  const digits = Array.from({ length: 524_288 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 20) % 3
  })
  return digits.join('\n')
}

describe('a diff', () => {
  test('of equal texts is empty', () => {
    expect(compare('a\n', 'a\n')).toEqual({ added: 0, removed: 0, approximate: false, unified: '' })
  })

  test('shows as many unchanged lines as asked for', () => {
    const lines = Array.from({ length: 50 }, (_, i) => `${i}\n`)
    const changed = lines.with(25, 'x\n').join('')
    for (const n of [0, 1, 20]) {
      const { unified } = compare(lines.join(''), changed, n)
      expect(unified.split('\n').filter((entry) => entry.startsWith(' '))).toHaveLength(2 * n)
    }
  })

  test('turns any text into any other, by our own reading of the format', () => {
    fc.assert(
      fc.property(text, text, context, (from, to, lines) => {
        const diff = compare(from, to, lines)
        expect(diff.approximate).toBe(false)
        expect(apply(from, diff.unified)).toBe(to)
      }),
      { numRuns: runs(1000) },
    )
  })

  test.skipIf(!program)('turns any text into any other, by the program patch', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, context, async (from, to, lines) => {
        expect(await patched(from, compare(from, to, lines).unified)).toBe(to)
      }),
      { numRuns: runs(100) },
    )
  })

  const edges: [string, string, string][] = [
    ['nothing to something', '', 'a\n'],
    ['something to nothing', 'a\nb', ''],
    ['no newline at the end to one', 'a', 'a\n'],
    ['a newline at the end to none', 'a\n', 'a'],
    ['LF to CRLF', 'a\nb\n', 'a\r\nb\r\n'],
    ['CRLF kept', 'a\r\nb\r\nc\r\n', 'a\r\nx\r\nc\r\n'],
    ['a lone CR', 'a\rb\n', 'a\rc\n'],
  ]
  test.skipIf(!program).each(edges)('by the program patch: %s', async (_, from, to) => {
    expect(await patched(from, compare(from, to).unified)).toBe(to)
  })

  const large: [string, string, string][] = [
    ['lines that are all unique', unique('a'), unique('b')],
    ['lines of three kinds', chosen(1), chosen(2)],
    ['empty lines and short ones', '\n'.repeat(1024 * 1024), 'a\n'.repeat(512 * 1024)],
    [
      'long lines that differ at their ends',
      `${'x'.repeat(1018)}\n`.repeat(1029),
      `${'x'.repeat(1018)}y\n`.repeat(1028),
    ],
    ['one line each', 'a'.repeat(1024 * 1024), 'b'.repeat(1024 * 1024)],
  ]
  slow.each(large)('of two wholly different texts of 1 MiB takes under 1 s: %s', async (_, from, to) => {
    const { ms, value: diff } = await spent(() => compare(from, to))
    expect(ms).toBeLessThan(1000)
    expect(apply(from, diff.unified) === to).toBe(true)
  })

  test.each<[string, string, string]>([
    ['nothing', '', 'x\n'.repeat(2000)],
    ['to nothing', 'x\n'.repeat(2000), ''],
    ['no newline at the end', 'x\n'.repeat(2000), `${'y\n'.repeat(2000)}y`],
    ['empty lines', '\n'.repeat(2000), 'x\n'.repeat(2000)],
  ])('that is approximate applies as well: %s', (_, from, to) => {
    const diff = compare(from, to)
    expect(diff.approximate).toBe(true)
    expect(apply(from, diff.unified)).toBe(to)
  })

  test.skipIf(!program)('that is approximate applies by the program patch as well', async () => {
    const [from, to] = [`${'x\r\n'.repeat(2000)}x`, '\n+\n'.repeat(2000)]
    expect(await patched(from, compare(from, to).unified)).toBe(to)
    expect(await patched(to, compare(to, from).unified)).toBe(from)
  })

  test('that would take too long is one hunk from all to all, and says so', async () => {
    const [from, to] = ['from', 'to'].map((name) => Array.from({ length: 2000 }, (_, i) => `${name} ${i}`).join('\n'))
    const diff = compare(from ?? '', to ?? '')
    expect(diff).toMatchObject({ added: 2000, removed: 2000, approximate: true })
    expect(diff.unified.match(/^@@.*/gm)).toEqual(['@@ -1,2000 +1,2000 @@'])
    expect(apply(from ?? '', diff.unified)).toBe(to ?? '')
  })
})
