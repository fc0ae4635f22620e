/** What the keys of the app's editor do to a text, and what happens to it that was not typed. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { endQuote, indentBlock } from '../../app/editor/lists'
import {
  applyEdit,
  type Change,
  completeLink,
  findLinkQuery,
  isLinkable,
  linkWords,
  makeLink,
  type TextRange,
  toggleMark,
} from '../../app/editor/markdown'
import { changeFromOutside, Echoes, makePlaceholder, withoutPlaceholders, withTyped } from '../../app/editor/outside'
import { readPasted } from '../../app/editor/paste'
import { suggest } from '../../app/editor/suggestions'
import { runs } from '../support/full'

/** A text whose selection is between `<` and `>`, or at `|`. */
function read(marked: string): { text: string; range: TextRange } {
  const caret = marked.indexOf('|')
  if (caret !== -1) return { text: marked.replace('|', ''), range: { from: caret, to: caret } }
  const from = marked.indexOf('<')
  return { text: marked.replace('<', '').replace('>', ''), range: { from, to: marked.indexOf('>') - 1 } }
}

function write(text: string, { from, to }: TextRange): string {
  return from === to
    ? `${text.slice(0, from)}|${text.slice(from)}`
    : `${text.slice(0, from)}<${text.slice(from, to)}>${text.slice(to)}`
}

/** What a key makes of a marked text; null if it does nothing of its own. */
function press(marked: string, key: (text: string, range: TextRange) => Change | null): string | null {
  const { text, range } = read(marked)
  const change = key(text, range)
  return change && write(applyEdit(text, change.edit), change.selection)
}

const strong = (text: string, range: TextRange) => toggleMark(text, range, '**')
const emphasis = (text: string, range: TextRange) => toggleMark(text, range, '*')

test.each([
  ['> one\n> |', '> one\n|'],
  ['> one\n>|\nmore', '> one\n|\nmore'],
  ['> > |', '> |'],
  ['> one|', null],
  ['> |one', null],
  ['one\n|', null],
  ['```\n> |', null],
])('Enter ends a quote in its empty line: %j', (before, after) => {
  expect(press(before, endQuote)).toBe(after)
})

describe('Tab', () => {
  const tab = (text: string, range: TextRange) => indentBlock(text, range, 1)
  const back = (text: string, range: TextRange) => indentBlock(text, range, -1)

  test.each([
    ['- a\n- b|', '- a\n  - b|'],
    ['- a\n-| b\n- c', '- a\n  -| b\n- c'],
    ['- a\n- b|\n  - c\n\n    more\n- d', '- a\n  - b|\n    - c\n\n      more\n- d'],
    ['- a\n<- b\n- c>\n- d', '- a\n  <- b\n  - c>\n- d'],
    ['- a\n- <b\n>- c', '- a\n  - <b\n>- c'],
    ['1. a\n2. b|\n3. c', '1. a\n   1. b|\n2. c'],
    ['1. a\n   1. b\n2. c|\n3. d', '1. a\n   1. b\n   2. c|\n2. d'],
    ['- [ ] a\n- [x] |b', '- [ ] a\n  - [x] |b'],
    ['- a\n\n- b|', '- a\n\n  - b|'],
    ['- x\n\t- y\n- z|', '- x\n\t- y\n\t- z|'],
    ['> - a\n> - b|', '> - a\n>   - b|'],
    ['```\nco|de\n```', '```\n  co|de\n```'],
    ['```\n<one\n\ntwo>', '```\n  <one\n\n  two>'],
  ])('indents %j', (before, after) => {
    expect(press(before, tab)).toBe(after)
    if (!after.includes('<')) expect(press(after, back)).toBe(before)
  })

  test.each([
    ['- a|', '- a|'],
    ['- a\n  - b|', '- a\n  - b|'],
    ['text\n\n- a\n\ntext\n- b|', 'text\n\n- a\n\ntext\n- b|'],
    ['> - a\n- b|', '> - a\n- b|'],
  ])('leaves %j, whose item can go no deeper', (before, after) => {
    expect(press(before, tab)).toBe(after)
  })

  test.each([
    ['- a|', '- a|'],
    ['- a\n  - b\n    - c|', '- a\n  - b\n  - c|'],
    ['- a\n  - <b\n    - c>\n- d', '- a\n- <b\n  - c>\n- d'],
    ['1. a\n   1. b|\n   2. c\n2. d', '1. a\n2. b|\n   2. c\n3. d'],
    ['  - a|', '- a|'],
    ['- a\n |  - b', '- a\n|- b'],
  ])('with Shift outdents %j', (before, after) => {
    expect(press(before, back)).toBe(after)
  })

  test.each(['one|', '', 'one|\n- a', '- a\n\none|', '```|\ncode', '```\ncode\n``|`', '# one|', '> one|'])(
    'is the key of the focus in %j',
    (before) => {
      expect(press(before, tab)).toBeNull()
      expect(press(before, back)).toBeNull()
    },
  )

  test('keeps every word, its order, and what is around the list', () => {
    const line = fc.constantFrom('- a', '  - b', '1. c', '   2. d', '\t- e', '', 'text', '> - f', '    more', '```')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.nat(), fc.nat(), fc.boolean(), (lines, a, b, isBack) => {
        const text = lines.join('\n')
        const [from = 0, to = 0] = [a % (text.length + 1), b % (text.length + 1)].toSorted((x, y) => x - y)
        const change = indentBlock(text, { from, to }, isBack ? -1 : 1)
        if (!change) return
        const after = applyEdit(text, change.edit)
        const words = (one: string) => one.replace(/\d|[ \t]/g, '')
        expect(words(after)).toBe(words(text))
        expect(change.selection.from).toBeGreaterThanOrEqual(0)
        expect(change.selection.from).toBeLessThanOrEqual(change.selection.to)
        expect(change.selection.to).toBeLessThanOrEqual(after.length)
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('a mark', () => {
  test.each([
    ['one <two> three', 'one **<two>** three'],
    ['one <two >three', 'one **<two>** three'],
    ['one **<two>** three', 'one <two> three'],
    ['one <**two**> three', 'one <two> three'],
    ['one *<two>* three', 'one ***<two>*** three'],
    ['one ***<two>*** three', 'one *<two>* three'],
    ['|', '**|**'],
    ['**|**', '|'],
    ['**two|**', '**two**|'],
    ['one |**two**', 'one **|****two**'],
    ['**one** two|**', '**one** two**|****'],
  ])('makes strong, or plain again: %j', (before, after) => {
    expect(press(before, strong)).toBe(after)
  })

  test.each([
    ['<two>', '*<two>*'],
    ['*<two>*', '<two>'],
    ['**<two>**', '***<two>***'],
    ['***<two>***', '**<two>**'],
    ['<*two*>', '<two>'],
    ['*two|*', '*two*|'],
    ['**two|**', '**two*|***'],
  ])('emphasizes, or makes plain again: %j', (before, after) => {
    expect(press(before, emphasis)).toBe(after)
  })

  test('pressed twice leaves the text as it was', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'ß', '𝕏', ' ', '\n', '_'), minLength: 1 })
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), fc.constantFrom('*' as const, '**' as const), (text, a, b, mark) => {
        const [from = 0, to = 0] = [a % (text.length + 1), b % (text.length + 1)].toSorted((x, y) => x - y)
        const once = toggleMark(text, { from, to }, mark)
        const marked = applyEdit(text, once.edit)
        const twice = toggleMark(marked, once.selection, mark)
        expect(applyEdit(marked, twice.edit)).toBe(text)
      }),
    )
  })
})

test.each([
  ['see <this> now', 'see [this](<url>) now'],
  ['see <https://example.org/a> now', 'see [|](https://example.org/a) now'],
  ['see |', 'see [|](url)'],
])('makes a link of %j', (before, after) => {
  expect(press(before, makeLink)).toBe(after)
})

test.each([
  ['see <this> now', 'https://example.org/a', 'see [this](https://example.org/a)| now'],
  ['<two words >', 'mailto:a@example.org\n', '[two words](mailto:a@example.org)| '],
  ['<a>', 'https://example.org/a_(b)', '[a](<https://example.org/a_(b)>)|'],
  ['|', 'https://example.org', null],
  ['< >', 'https://example.org', null],
  ['<a\nb>', 'https://example.org', null],
  ['<[a]>', 'https://example.org', null],
  ['<https://example.org>', 'https://example.com', null],
  ['<a>', 'example', null],
  ['<a>', 'https://example.org and more', null],
])('over %j the pasted %j makes %j', (before, pasted, after) => {
  expect(press(before, (text, range) => linkWords(text, range, pasted))).toBe(after)
})

test.each([
  [
    '<p>See <a href="https://example.org/a">this</a>, <b>now</b></p>',
    'See [this](https://example.org/a), **now**',
    'other',
  ],
  ['<ul><li>one<ol><li>two</li></ol></li></ul>', '- one\n  1. two', 'other'],
  [
    '<ul><li><input type="checkbox" checked> a</li><li><input type="checkbox"> b</li></ul>',
    '- [x] a\n- [ ] b',
    'other',
  ],
  ['<h2>A</h2><pre>b\n  c</pre>', '## A\n\n```\nb\n  c\n```', 'other'],
  ['<table><tr><td>1</td><td>a</td></tr><tr><td>2</td></tr></table>', '| 1 | a |\n| --- | --- |\n| 2 |  |', 'other'],
  ['<b style="font-weight:normal"><span style="font-weight:700">a</span> <i>b</i></b>', '**a** *b*', 'other'],
  ['<table><tr><td>1</td></tr></table>', null, '1'],
  ['<div style="color:red"><div>a_b = *1*</div><div>c</div></div>', null, 'a_b = *1*\nc'],
  ['<ul><li>one</li><li>two</li></ul>', null, '- one\n- two'],
  ['<p>', null, ''],
  ['<div>'.repeat(1000), null, ''],
])('the HTML %j is pasted as %j', (html, markdown, plain) => {
  expect(readPasted(html, plain)).toBe(markdown)
})

describe('a link to complete', () => {
  test.each([
    ['see [[|', ''],
    ['see [[Zü|', 'Zü'],
    ['[[One]] and [[t|', 't'],
    ['[[[x|', 'x'],
  ])('is found in %j', (marked, query) => {
    const { text, range } = read(marked)
    expect(findLinkQuery(text, range.from)?.query).toBe(query)
  })

  test.each(['see [x|', '[[One]]|', '![[pict|', '[[One\n|', '[[One#he|', '[[a]b|', 'plain|'])(
    'is not found in %j',
    (marked) => {
      const { text, range } = read(marked)
      expect(findLinkQuery(text, range.from)).toBeNull()
    },
  )

  test('is closed, by the brackets that are there or by others', () => {
    const take = (text: string, { from }: TextRange) => completeLink(text, 6, from, 'Zoo')
    expect(press('see [[z|', take)).toBe('see [[Zoo]]|')
    expect(press('see [[z|]] now', take)).toBe('see [[Zoo]]| now')
    expect(press('see [[z| ]', take)).toBe('see [[Zoo]]| ]')
  })

  test('has at most 10 titles, each once, of notes that a link can name', () => {
    const titles = ['a', 'a', 'b]', 'c#', 'd|', ' ', '^e', ...'fghijklmnop']
    const found = suggest('[[', 2, () => titles.map((title) => ({ title })))
    expect(found).toEqual({ from: 2, titles: ['a', ...'fghijklmn'] })
    expect(suggest('[[', 2, () => [])).toBeNull()
    expect(suggest('[', 1, () => [{ title: 'a' }])).toBeNull()
    expect(['Plan', 'a/b', 'C++ & co'].every(isLinkable)).toBe(true)
  })

  test('that is taken is a link to that title', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', ' ', ']', '[', '\n', '|', '𝕏') })
    fc.assert(
      fc.property(letters, letters, (before, after) => {
        const text = `${before}${after}`
        const query = findLinkQuery(text, before.length)
        if (!query) return
        const { edit, selection } = completeLink(text, query.from, before.length, 'Zoo')
        expect(applyEdit(text, edit).slice(0, selection.to)).toEndWith('[[Zoo]]')
      }),
    )
  })
})

describe('a text from elsewhere', () => {
  const outside = (marked: string, text: string, placeholders: readonly string[] = []) =>
    press(marked, (content, range) => changeFromOutside(content, range, placeholders, text))

  test.each([
    ['one|', 'zero one', 'zero one|'],
    ['one|', 'one two', 'one| two'],
    ['a\nmi|ne\nz', 'A\nmine\nZ', 'A\nmi|ne\nZ'],
    ['a\nx\nmi|ne\nz', 'mine\nZ', 'mi|ne\nZ'],
    ['a\n<mine>\nz', '\nA\nmine\nZ', '\nA\n<mine>\nZ'],
    ['abc|def', '', '|'],
    ['same|', 'same', 'same|'],
  ])('keeps the caret where that is sensible: %j', (before, text, after) => {
    expect(outside(before, text)).toBe(after)
  })

  test('keeps placeholders where they were', () => {
    expect(outside('a\n(P)mi|ne\nz', 'A\nmine\nZ', ['(P)'])).toBe('A\n(P)mi|ne\nZ')
    expect(outside('(P)|', 'new', ['(P)'])).toBe('(P)|new')
    expect(outside('one(P) tw(Q)o|', 'one', ['(Q)', '(P)'])).toBe('one(P)(Q)|')
  })

  test('is what the editor holds then but for placeholders, and no surrogate pair is split', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' ', '𝕏', '𝕐') })
    const places = fc.array(fc.nat(), { maxLength: 3 })
    fc.assert(
      fc.property(texts, texts, places, fc.nat(), fc.nat(), (before, text, at, a, b) => {
        const placeholders = at.map((_, i) => `(${i})`)
        const content = at.reduce((rest, offset, i) => {
          const place = offset % (rest.length + 1)
          const isWithin = /[\uDC00-\uDFFF]/.test(rest[place] ?? '') || /\([^)]*$/.test(rest.slice(0, place))
          return isWithin ? `(${i})${rest}` : `${rest.slice(0, place)}(${i})${rest.slice(place)}`
        }, before)
        const [from = 0, to = 0] = [a % (content.length + 1), b % (content.length + 1)].toSorted((x, y) => x - y)
        const { edit, selection } = changeFromOutside(content, { from, to }, placeholders, text)
        const after = applyEdit(content, edit)
        expect(withoutPlaceholders(after, placeholders)).toBe(text)
        for (const placeholder of placeholders) expect(after).toContain(placeholder)
        expect(selection.from).toBeGreaterThanOrEqual(0)
        expect(selection.to).toBeLessThanOrEqual(after.length)
        for (const offset of [edit.from, edit.to]) expect(content[offset] ?? '').not.toMatch(/[\uDC00-\uDFFF]/)
      }),
      { numRuns: runs(2000) },
    )
  })

  test('is told from one that comes back, also late', () => {
    const echoes = new Echoes('')
    for (const text of ['a', 'ab', 'abc']) expect(echoes.add(text)).toBe(true)
    expect(echoes.add('abc')).toBe(false)
    expect(echoes.isForeign('ab')).toBe(false)
    expect(echoes.isForeign('abc')).toBe(false)
    expect(echoes.isForeign('ab')).toBe(true)
    expect(echoes.isForeign('ab')).toBe(false)
  })

  test('is told from one that comes back when an owner never gives back many large ones', () => {
    const echoes = new Echoes('')
    const large = 'x'.repeat(1_000_000)
    for (let i = 0; i < 20; i++) echoes.add(`${large}${i}`)
    expect(echoes.isForeign(`${large}19`)).toBe(false)
    const forgotten = new Echoes('')
    for (let i = 0; i < 20; i++) forgotten.add(`${large}${i}`)
    expect(forgotten.isForeign(`${large}0`)).toBe(true)
  })
})

test('a placeholder is of the text and of its file alone', () => {
  expect(makePlaceholder('', ['cat.png'], [])).toBe('![Uploading cat.png…]()')
  expect(makePlaceholder('', ['a](b).png'], [])).toBe('![Uploading a--b-.png…]()')
  expect(makePlaceholder('', ['a', 'b'], [])).toBe('![Uploading 2 files…]()')
  expect(makePlaceholder('![Uploading a…]()', ['a'], ['![Uploading a… (2)]()'])).toBe('![Uploading a… (3)]()')
  expect(withoutPlaceholders('x![Uploading a…]()y$&', ['![Uploading a…]()'])).toBe('xy$&')
})

test.each([
  ['one\ntwo', 'oneに\ntwo', 'one\nTWO', 'oneに\nTWO'],
  ['one\ntwo', 'one\ntwoに', 'ONE\n\ntwo', 'ONE\n\ntwoに'],
  ['one\ntwo', 'one\ntwo', 'ONE\ntwo', 'ONE\ntwo'],
])('of %p, which an input method made %p, the text %p is %p', (held, typed, text, result) => {
  expect(withTyped(held, typed, text)).toBe(result)
})

test('what an input method composed is in the text from outside, whatever that is', () => {
  const line = fc.array(fc.constantFrom('a', 'b', '\n'), { maxLength: 8 }).map((chars) => chars.join(''))
  fc.assert(
    fc.property(line, line, line, (before, after, text) => {
      expect(withTyped(before + after, `${before}に${after}`, text)).toContain('に')
    }),
  )
})
