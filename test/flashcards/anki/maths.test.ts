import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { plainText } from '../../../src/flashcards/cards/compare-answer'
import { makeFaces, requireCloze } from '../../../src/flashcards/facts/cloze'
import { clozeToField, fieldToMarkdown, markdownToField } from '../../../src/flashcards/facts/field-html'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'

/** TeX, with every sign that Markdown or HTML reads. */
const tex = fc
  .array(
    fc.constantFrom(
      ...['a', 'b_1', '^{2}', '\\frac{a}{b}', '\\\\', '\\\\[2pt]', '*', '**', '_', '~~', '`', '#', '> ', '- ', '1. '],
      ...['<', '<b>', '</i>', '&', '&amp;', '&lt;', '|', '!', '[x](y)', '[', ']', '{', '}', '%', '"', "'", ' ', '= '],
      ...['\n', '\n\n', '\n- ', '\n# ', '\n= ', '\n    ', 'é', '😀', 'https://a.b/c', '&#36;', '\\{', '\\,'],
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join('').trim())
  .filter((text) => text !== '')
const inline = tex.filter((text) => !text.includes('\n') && !text.endsWith('\\'))
const maths = fc.oneof(
  tex.map((text) => `\\(${text}\\)`),
  tex.map((text) => `\\[${text}\\]`),
  tex.map((text) => `[latex]${text}[/latex]`),
)
/** With what a field has for it. */
const dollars = fc.oneof(
  tex.map((text) => [`$$${text}$$`, `\\[${text}\\]`] as const),
  inline.map((text) => [`$x_${text}$`, `\\(x_${text}\\)`] as const),
)
const around = fc.constantFrom(
  ...['@', 'Text @ and text', '**Bold:**@', '- one @\n- two', '> said @', '# @', '| @ | b |\n| --- | --- |\n| c | @ |'],
  ...['*@*', '$5 and $6, @', '`$` @', 'see \\[1] @', '{{c1::@}} or {{c2::x::hint}}', '[link](https://a.b/$c_d$) @'],
)

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

describe('any maths, in any place', () => {
  test('comes to the field as it is, and back', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          maths.map((same) => [same, same] as const),
          dollars,
        ),
        around,
        ([given, there], place) => {
          const field = markdownToField(place.replaceAll('@', () => given))
          expect(field.replaceAll('&quot;', '"')).toContain(escapeHtml(there))
          expect(fieldToMarkdown(field)).toContain(there)
          expect(markdownToField(fieldToMarkdown(field))).toBe(field)
        },
      ),
      { numRuns: runs(1000) },
    )
  })

  test('of a field comes to Markdown as it is, its entities decoded once', () => {
    fc.assert(
      fc.property(maths, (given) => {
        const field = `<div>a <b>x</b> ${escapeHtml(given).replaceAll('\n', '<br>')}</div>`
        expect(fieldToMarkdown(field)).toBe(`a **x** ${given}`)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('what a field holds', () => {
  test.each([
    ['two lines', '\\(a<div>b</div>\\)', '\\(a\nb\\)'],
    ['signs of HTML', '\\(a_b &lt; c &amp;&amp; d&nbsp;e\\)', '\\(a_b < c && d e\\)'],
    ['an entity that is shown', '\\(a &amp;lt; b\\)', '\\(a &lt; b\\)'],
    ['tags of an editor', '\\(<span style="x">a</span>_b\\)', '\\(a_b\\)'],
    ['maths within cloze', '{{c1::\\(a_b\\)}} \\({{c2::a*b*c}}\\)', '{{c1::\\(a_b\\)}} \\({{c2::a*b*c}}\\)'],
    ['commands of Anki', '[$]a_b[/$] [$$]*x*[/$$]', '[$]a_b[/$] [$$]*x*[/$$]'],
    ['an escaped backslash before the end', '\\(a\\\\) b_c\\)', '\\(a\\\\) b_c\\)'],
  ])('is maths: %s', (_, field, markdown) => {
    expect(fieldToMarkdown(field)).toBe(markdown)
  })

  test.each([
    ['prices', '$5 and $6', '$5 and $6'],
    ['dollars', '$x_1$ $$y$$', '\\$x_1$ \\$\\$y$$'],
    ['code', '<code>\\(a\\)</code>', '`\\(a\\)`'],
    ['prices with the sign behind', 'from $5 to 6$ *each*', 'from $5 to 6$ \\*each\\*'],
    ['brackets', 'see [1] and [2]', 'see \\[1] and \\[2]'],
    ['a beginning without end', '\\(a_b* <i>c</i>', '\\\\(a_b\\* *c*'],
    ['dollars around other markup', '$<b>x_1</b>$', '\\$**x_1**$'],
    ['an address', '<a href="https://a.b/$c_d$">x</a>', '[x](https://a.b/$c_d$)'],
    ['an entity that is shown', '&amp;lt; <b>&amp;amp;</b>', '\\&lt; **\\&amp;**'],
    ['nothing between', '$$ $$ a_b\\(\\)', '$$ $$ a_b\\\\(\\\\)'],
  ])('is no maths: %s', (_, field, markdown) => {
    expect(fieldToMarkdown(field)).toBe(markdown)
    expect(fieldToMarkdown(markdownToField(markdown))).toBe(markdown)
  })
})

test('readings stay, in both directions', () => {
  const ruby = '<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>'
  expect(fieldToMarkdown(`<div>${ruby}字</div>`)).toBe(`${ruby}字`)
  expect(markdownToField(`${ruby}字`)).toBe(`${ruby}字`)
})

test('a quoted formula does not get the signs of the quote', () => {
  expect(markdownToField('> \\[a\n> + b\\]')).toContain('\\[a\n+ b\\]')
  expect(markdownToField('\\[a\n> b\\]')).toBe('\\[a\n&gt; b\\]')
})

test.each(['\\(', '\\[', '$', '$$', '$a_', '[latex]', '![', '<a', '`$', '> \\[', '<pre>', '漢[', '漢あ'])(
  'many beginnings with %s take no time',
  async (sign) => {
    const text = sign.repeat(20_000 / sign.length)
    expect(await cost(1000, () => fieldToMarkdown(markdownToField(`${text}\\]`)))).toBeLessThan(1000)
  },
)

const facesOf = (text: string, number: number) => makeFaces(requireCloze(text), number)

describe('a cloze', () => {
  test.each([
    ['{{c1::$\\sqrt{\\frac{a}{b}}$}}', '{{c1::\\(\\sqrt{\\frac{a}{b&#125;}\\)}}'],
    ['{{c1::`a::b}}`::x}}', '{{c1::<code>a&#58;:b&#125;}</code>::x}}'],
    ['$x_{{c1::1}}$ {{c2::b::c}}', '\\(x_{{c1::1}}\\) {{c2::b::c}}'],
    ['{{c1::$x_1 \\) y$}}', '{{c1::$x_1 \\) y$}}'],
  ])('is written to a field as Anki reads it: %p', (text, field) => {
    expect(clozeToField(text)).toBe(field)
    expect(fieldToMarkdown(field)).toBe(fieldToMarkdown(markdownToField(text)))
  })

  test.each([
    ['\\({{c1::a}} + b\\)', '\\([…] + b\\)', '\\(a + b\\)'],
    ['`x = {{c1::1}}`', '`x = […]`', '`x = 1`'],
    ['```\n{{c1::if}} (x)\n```', '```\n[…] (x)\n```', '```\nif (x)\n```'],
    ['$x_{{c1::1}}$ {{c1::b}}', '$x_[…]$ […]', '$x_1$ **b**'],
    ['{{c1::a $x_{{c2::1}}$}}', '[…]', '**a $x_1$**'],
  ])('in code or maths is not bold: %p', (text, prompt, answer) => {
    expect(facesOf(text, 1)).toEqual({ prompt, answer })
  })

  test.each([
    ['{{c1::$\\sqrt{\\frac{a}{b}}$}}', '**$\\sqrt{\\frac{a}{b}}$**'],
    ['{{c1::`a}}b::c`}}', '**`a}}b::c`**'],
    ['{{c1::$x_1}}$ b', '**$x_1**$ b'],
    ['{{c1::\\(a\\)}} b', '**\\(a\\)** b'],
    ['`code` {{c1::a}} `code`', '`code` **a** `code`'],
    ['{{c1::$5}} or {{c2::$6}}', '**$5** or $6'],
    ['costs {{c1::$5}} or {{c2::x$}}', 'costs **$5** or x$'],
  ])('around maths, beside code and with prices is bold: %p', (text, answer) => {
    expect(facesOf(text, 1).answer).toBe(answer)
  })
})

test('the plain text of an answer keeps its maths', () => {
  expect(plainText('**It is** $a*b*c$ or \\(x_1\\)')).toBe('It is $a*b*c$ or \\(x_1\\)')
})
