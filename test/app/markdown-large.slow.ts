import { describe, expect, test } from 'bun:test'
import { outlineOf } from '../../app/markdown/markdown'
import { cost, spent } from '../support/cost'
import { find, textOf, treeOf } from './markdown-tree'

/** What a note can hold of Markdown at the most: the page must not hang on it. */

/** UTF-16 units: as many as are formatted. */
const MANY = 390_000
const FORMS = [
  ...['> ', '- ', '  - a\n', '[', '*a ', '**a*b', '<!--', '`a', '[a](', '$a', '$$', '|a|\n|-|\n', '~~a~', '<sub>'],
  ...['<details>\n\n', '[^1]: a\n', '[^a]: b\n\n    c\n\n', '[a]: b\n', '- [ ] a\n', '#\n', 'a\n', '> a\nb\n'],
  ...['- a\n\n', 'a  \n', '%%', '[[a]]', '#a ', '<a b="', '* - + '],
]

describe('large and hostile bodies', () => {
  test.each(FORMS)('%p over and over ends', async (form) => {
    const body = form.repeat(MANY / form.length)
    const { ms, value } = await spent(() => treeOf(body))
    expect(value.name).toBe('div')
    // Two seconds for the blocks and two for the text in them.
    expect(ms).toBeLessThan(5000)
  })

  test.each([10, 100, 2000])('%i levels of nesting end, and keep their words', (levels) => {
    const steps = Array.from({ length: levels }, (_, level) => level)
    for (const body of [
      steps.map((level) => `${'> '.repeat(level)}word${level}\nlazy`).join('\n'),
      `${'> '.repeat(levels)}deep`,
      `${'- '.repeat(levels)}deep`,
      `${'*a **b '.repeat(levels)}deep${' c** d*'.repeat(levels)}`,
      `${'<sub>'.repeat(levels)}deep${'</sub>'.repeat(levels)}`,
      `${'['.repeat(levels)}deep${'](https://example.org)'.repeat(levels)}`,
    ])
      expect(textOf(treeOf(body))).toContain(body.includes('deep') ? 'deep' : `word${levels - 1}`)
  })

  test.each([
    ['too large', `${'word '.repeat(210_000)}end`],
    ['of too many cells', `|${'a|'.repeat(400)}\n|${'-|'.repeat(400)}\n${'|a|\n'.repeat(400)}end`],
  ])('what is %s is shown as it is written, with a reason', (_, body) => {
    const tree = treeOf(body)
    expect(find(tree, 'p').map(textOf)).toEqual([
      'This note is too large or too complex to be formatted, so it is shown as it is written.',
    ])
    expect(textOf(find(tree, 'pre')[0] ?? '')).toBe(body)
    expect(outlineOf(body)).toEqual([])
  })

  test.each([
    ['large', `${`${'word '.repeat(40)}\n\n`.repeat(1000)}# end`],
    ['of many cells', `|${'a|'.repeat(100)}\n|${'-|'.repeat(100)}\n${'|a|\n'.repeat(90)}\n# end`],
    ['of many headings', '# a\n'.repeat(5000)],
  ])('what is %s is formatted', (_, body) => {
    expect(find(treeOf(body), 'p').map(textOf).join('')).not.toContain('too complex')
    expect(outlineOf(body).length).toBeGreaterThan(0)
  })

  test('100 KB take at most 100 ms', async () => {
    const part =
      '# Heading\n\nSome *text* with **bold**, [[Link]], #tag, `code`, https://example.org/x and $a^2$.\n\n- [ ] a\n  - [x] b\n\n> c\n\n| d | e |\n|---|---|\n| 1 | 2 |\n\n'
    const body = part.repeat(100_000 / part.length)
    let run = 0
    expect(await cost(100, () => treeOf(`${body}${run++}`))).toBeLessThan(100)
  })
})
