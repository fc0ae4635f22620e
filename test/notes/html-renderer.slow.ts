import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createHtmlRenderer, type HtmlRenderer } from '../../src/notes/html/render-in-worker'
import { spent } from '../support/cost'
import { watch } from './busy'
import { elementsOf, textOf } from './html-tree'
import { isFallback } from './html-world'

const MIB = 2 ** 20
const NONE: ReadonlyMap<string, string> = new Map()
/** It takes most of a second. */
const HOSTILE = '- [[a]]\n'.repeat(MIB / 8)

const open: HtmlRenderer[] = []
const warnings: string[] = []

function start(base = 2000, perMiB = 0): HtmlRenderer {
  const renderer = createHtmlRenderer({
    limitMs: { base, perMiB },
    log: { warn: ({ reason }) => warnings.push(reason) },
  })
  open.push(renderer)
  return renderer
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((renderer) => renderer.close()))
  warnings.length = 0
})

describe('rendering', () => {
  test('answers each of many at once with its own', async () => {
    const renderer = start()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => renderer.render(`*${n}*`, NONE, `caller ${n % 7}`)),
    )
    expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => `<p><em>${n}</em></p>\n`))
  })

  test('shows the source, and nothing but text, when the stack overflows', async () => {
    // The limit is not what ends it, however busy the machine is.
    const renderer = start(30_000)
    const source = `${'>'.repeat(20_000)} <script>alert("1")</script> & '2'`
    const html = await renderer.render(source, NONE)
    expect(elementsOf(html)).toEqual([{ element: 'pre', attributes: { 'data-fallback': 'too_complex' } }])
    expect(textOf(html)).toBe(source)
    expect(warnings).toEqual([])
    expect(await renderer.render('*b*', NONE)).toBe('<p><em>b</em></p>\n')
  })

  test('outlives a crash of the worker', async () => {
    const renderer = start()
    const unreadable = { size: 1 } as unknown as typeof NONE
    const [first, second] = await Promise.all([renderer.render('[[a]]', unreadable), renderer.render('*b*', NONE)])
    expect(first).toBe('<pre data-fallback="too_complex">[[a]]</pre>')
    expect(second).toBe('<p><em>b</em></p>\n')
    expect(warnings).toHaveLength(1)
  })
})

describe('the limit of processor time', () => {
  test('gives a hostile body its fallback, and the next one its HTML', async () => {
    const renderer = start(100)
    const [hostile, next] = await Promise.all([renderer.render(HOSTILE, NONE), renderer.render('*b*', NONE)])
    expect(isFallback(hostile)).toBe(true)
    expect(next).toBe('<p><em>b</em></p>\n')
    expect(warnings).toEqual(['no answer within 100 ms'])
  })

  test('grows with the body', async () => {
    const renderer = start(50, 100)
    await renderer.render(HOSTILE, NONE)
    await renderer.render(HOSTILE.slice(0, MIB / 2), NONE)
    expect(warnings).toEqual(['no answer within 150 ms', 'no answer within 100 ms'])
  })

  test('holds each other caller up once, however many hostile bodies one sends', async () => {
    const renderer = start(100)
    const order: string[] = []
    const ask = (markdown: string, caller: string) =>
      renderer
        .render(markdown, NONE, caller)
        .then((html) => order.push(`${caller} ${isFallback(html) ? 'fallback' : 'html'}`))
    await Promise.all([
      ask(HOSTILE, 'A'),
      ask(HOSTILE, 'A'),
      ask(HOSTILE, 'A'),
      ask('b', 'B'),
      ask('c', 'C'),
      ask('b', 'B'),
    ])
    expect(order).toEqual(['A fallback', 'B html', 'C html', 'A fallback', 'B html', 'A fallback'])
  })
})

describe('HTML is kept', () => {
  test('by its name, and not without one', async () => {
    const renderer = start()
    expect(await renderer.render('*a*', NONE, 'A', 'one')).toBe('<p><em>a</em></p>\n')
    expect(await renderer.render('*b*', NONE, 'A', 'one')).toBe('<p><em>a</em></p>\n')
    expect(await renderer.render('*b*', NONE, 'A', 'two')).toBe('<p><em>b</em></p>\n')
    expect(await renderer.render('*c*', NONE, 'A')).toBe('<p><em>c</em></p>\n')
  })

  test('but no fallback, whatever it came of', async () => {
    const renderer = start(100)
    const unreadable = { size: 1 } as unknown as typeof NONE
    const failing: [string, typeof NONE][] = [
      [HOSTILE, NONE],
      ['>'.repeat(20_000), NONE],
      ['[[a]]', unreadable],
    ]
    for (const [body, targets] of failing) {
      expect(isFallback(await renderer.render(body, targets, 'A', 'name'))).toBe(true)
    }
    expect(await renderer.render('*b*', NONE, 'A', 'name')).toBe('<p><em>b</em></p>\n')
  })
})

describe('1 MiB of', () => {
  const levels = Array.from({ length: 1440 }, (_, depth) => `${' '.repeat(depth)}- a\n`)
  const bodies: [name: string, body: string][] = [
    ...['>', '[', '_a', '`', '![[', '|', '#a '].map((piece): [string, string] => [
      piece,
      piece.repeat(MIB / piece.length),
    ]),
    ['nested lists', levels.join('')],
    ['lists on one line', '1) '.repeat(MIB / 3)],
    ['rows of a table', `|a|b|\n|-|-|\n${'|a|b|\n'.repeat(MIB / 6)}`],
  ]
  const LIMIT_MS = 100

  test.each(bodies)('%s is answered in time, while everything else goes on', async (_, body) => {
    const renderer = start(LIMIT_MS)
    await renderer.render('warm', NONE)
    // Between two turns of this thread's loop others have to wait for it.
    const watched = watch()
    const { ms: took, value: html } = await spent(() => renderer.render(body, NONE))
    const longest = watched.longest()
    // Of the processor, with what this thread does besides.
    expect(took).toBeLessThan(LIMIT_MS + 850)
    expect(longest).toBeLessThan(100)
    if (isFallback(html)) expect(textOf(html)).toBe(body)
  })
})

describe('the worker', () => {
  const script = (lines: string) => `
    const { createHtmlRenderer } = await import(${JSON.stringify(join(import.meta.dir, '../../src/notes/html/render-in-worker.ts'))})
    const renderer = createHtmlRenderer({ limitMs: { base: 2000, perMiB: 0 } })
    ${lines}`

  test.each([
    ['before the first body', '', ''],
    ['after the last', `console.write(await renderer.render('*a*', new Map()))`, '<p><em>a</em></p>\n'],
  ])('does not keep the process alive %s', async (_, lines, output) => {
    const child = Bun.spawn([process.execPath, '-e', script(lines)], { stdout: 'pipe', stderr: 'pipe' })
    const limit = setTimeout(() => child.kill(), 60_000)
    expect(await new Response(child.stdout).text()).toBe(output)
    expect(await child.exited).toBe(0)
    clearTimeout(limit)
  })

  test('is gone after close(), and whoever waits has a fallback', async () => {
    const renderer = start()
    const waiting = [
      renderer.render(HOSTILE, NONE, 'A'),
      renderer.render('b', NONE, 'A'),
      renderer.render('c', NONE, 'B'),
    ]
    await renderer.close()
    expect((await Promise.all(waiting)).map(isFallback)).toEqual([true, true, true])
    expect(await renderer.render('d', NONE)).toBe('<pre data-fallback="too_complex">d</pre>')
    await renderer.close()
  })
})
