import { describe, expect, test } from 'bun:test'
import { reduceDeclarations, reduceStyleSheet } from '../../../src/flashcards/rendering/styles'

const reduce = (css: string) => reduceStyleSheet(css, 's').replaceAll(':where(.s *)', '@')

describe('selectors', () => {
  test.each([
    ['.card{color:red}', '.card@{color:red}'],
    ['.card b , .cloze{color:red}', '.card b@,.cloze@{color:red}'],
    ['.a > b + i ~ u::before{color:red}', '.a > b + i ~ u@::before{color:red}'],
    ['li:nth-child( 2n + 1 ):not(.x):hover{color:red}', 'li:nth-child(2n+1):not(.x):hover@{color:red}'],
    ['#answer{color:red}', '.id-answer@{color:red}'],
    ['body{color:red}html,:root{color:blue}', '.card@{color:red}.card@,.card@{color:blue}'],
    ['.nightMode .card{color:red}', '.nightMode .card@{color:red}'],
    ['.card.nightMode{color:red}', '.card.nightMode@,.nightMode .card@{color:red}'],
    ['.nightMode{color:red}', '.nightMode@,.nightMode .card@{color:red}'],
    ['html.night_mode body .x{color:red}', 'html.night_mode body .x@{color:red}'],
    ['.card1{color:red}/* x */.mobile .card{color:red}', '.card1@{color:red}.mobile .card@{color:red}'],
    ['@media (max-width: 600px) { .card { color: red } }', '@media (max-width: 600px){.card@{color:red}}'],
  ])('%s is kept', (css, kept) => {
    expect(reduce(css)).toBe(kept)
  })

  test.each([
    ['a[href]{color:red}'],
    [':is(body){color:red}'],
    ['.card{}'],
    ['> b{color:red}'],
    ['b >{color:red}'],
    ['a:has(b){color:red}'],
    ['\\62 ody{color:red}'],
    ['@font-face{font-family:x}'],
    ['@supports (color:red){b{color:red}}'],
    ['@media url(x){b{color:red}}'],
    ['@import "x";'],
    ['a b c d e f g h i{color:red}'],
  ])('%s is left out', (css) => {
    expect(reduce(css)).toBe('')
    expect(reduce(`${css} b{color:red}`)).toEndWith('b@{color:red}')
  })
})

describe('declarations', () => {
  test.each([
    ['color: RED !important', 'color:RED !important'],
    [
      'background: linear-gradient(45deg, #fff 0%, rgba(0, 0, 0, .5) 100%)',
      'background:linear-gradient(45deg, #fff 0%, rgba(0, 0, 0, .5) 100%)',
    ],
    ['font-family: "Noto Sans", \'x y\', serif', 'font-family:"Noto Sans", \'x y\', serif'],
    ['margin: -1px auto 0 calc(1px + 2%)', 'margin:-1px auto 0 calc(1px + 2%)'],
    ['--x: 3px; width: var(--x)', '--x:3px;width:var(--x)'],
    ['position: absolute; top: 0', 'position:absolute;top:0'],
    ['content: "a;b}c"; color: red', 'content:"a;b}c";color:red'],
    ['color: red /* ; x */; ; width: 1px', 'color:red;width:1px'],
  ])('%s is kept', (text, kept) => {
    expect(reduceDeclarations(text)).toBe(kept)
  })

  test.each([
    ['background: url(x)'],
    ['background: u\\72l(x)'],
    ['background: image-set("x" 1x)'],
    ['position: fixed'],
    ['position: var(--x)'],
    ['behavior: x'],
    ['animation: x 1s'],
    ['color: red}'],
    ['color: rgb(1,2'],
    ['color: rgb(1))'],
    ['content: "<"'],
    ['content: "\\3c"'],
    ['color'],
    ['color:'],
    ['-moz-binding: x'],
    [`width: ${'1 '.repeat(1001)}`],
  ])('%s is left out', (text) => {
    expect(reduceDeclarations(text)).toBe('')
    expect(reduceDeclarations(`width:1px;${text}`)).toBe('width:1px')
  })
})

describe('size', () => {
  test('of what comes out is bounded', () => {
    const rules = reduceStyleSheet('.card{color:red}'.repeat(20_000), 's')
    expect(rules.length).toBeWithin(60_000, 65_537)
    expect(rules).toEndWith('{color:red}')
  })

  test.each([
    ['{'],
    ['}'],
    ['@media (a){'],
    ['a,'],
    ['/*'],
    ['"'],
    ["'"],
    ['\\'],
    ['('],
    [':not('],
    ['a{b:'],
    [' > '],
    ['a:'],
  ])('hostile CSS of %s is read in little time', (piece) => {
    const from = process.cpuUsage()
    reduceStyleSheet(piece.repeat(300_000), 's')
    reduceDeclarations(piece.repeat(300_000))
    expect(process.cpuUsage(from).user / 1000).toBeLessThan(2000)
  })

  test.each([
    ['b', 'a{', ''],
    ['b ', 'a{', '}'],
    [' ', 'a{color:', 'red}'],
    [' ', 'a', 'b{color:red}'],
    ['>', '', 'b{color:red}'],
  ])('a long run of %s after %s and before %s is read in little time', (piece, before, after) => {
    const from = process.cpuUsage()
    expect(reduceStyleSheet(before + piece.repeat(200_000 / piece.length) + after, 's')).not.toContain(
      piece.repeat(100),
    )
    expect(process.cpuUsage(from).user / 1000).toBeLessThan(2000)
  })
})
