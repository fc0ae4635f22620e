/** The editor of the app in Chromium: on a desktop and on a phone, under the policy of the page. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { EditorPage } from './editor-page'
import { expectAccessible, looksIn, openBrowser, violations, visit, WINDOWS } from './support'

declare const editorPage: EditorPage

const ROOT = join(import.meta.dir, '../..')
const POLICY = "default-src 'self'"
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Editor</title>
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<link rel="stylesheet" href="style.css"><link rel="stylesheet" href="editor.css">
<script type="module" src="editor-page.js"></script></head>
<body><main><h1>A note</h1><div id="app"></div><button type="button">After</button></main></body></html>`

const reports: string[] = []
const files = new Map<string, Blob>()
/** Whether the part that has CodeMirror is served, and what a request for it waits for. */
let codeMirror: 'served' | 'missing' | Promise<void> = 'served'
let server: ReturnType<typeof Bun.serve>
let browser: Browser
let chunkName = ''

beforeAll(async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'editor-page.tsx')],
    target: 'browser',
    splitting: true,
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  for (const output of outputs) files.set(output.path.replace('./', '/'), output)
  files.set('/style.css', Bun.file(join(ROOT, 'public/style.css')))
  files.set('/editor.css', Bun.file(join(ROOT, 'app/editor/editor.css')))
  files.set('/', new Blob([HTML], { type: 'text/html' }))
  const texts = await Promise.all([...files].map(async ([name, file]) => ({ name, text: await file.text() })))
  chunkName = texts.find(({ name, text }) => name !== '/editor-page.js' && text.includes('cm-content'))?.name ?? ''
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: serve })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.stop(true)
})

async function serve(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/reports') {
    reports.push(await request.text())
    return new Response(null, { status: 204 })
  }
  if (pathname === chunkName && codeMirror !== 'served') {
    if (codeMirror === 'missing') return new Response(null, { status: 404 })
    await codeMirror
  }
  const headers = { 'Content-Security-Policy': `${POLICY}; report-uri /reports` }
  const file = files.get(pathname)
  if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
  return file ? new Response(file, { headers }) : new Response(null, { status: 404 })
}

const WIDE = { viewport: { width: 1280, height: 800 } }
/** CodeMirror takes the keys of Android by another way. */
const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'
const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true, userAgent: ANDROID }
const VARIANTS = [
  { name: 'a desktop', options: WIDE, isPhone: false },
  { name: 'a phone', options: PHONE, isPhone: true },
]

const field = (page: Page) => page.getByRole('textbox', { name: 'Text of the note' })
const shown = (page: Page) => page.evaluate(() => editorPage.reports.at(-1) ?? editorPage.text.peek())
const options = (page: Page) => page.getByRole('option').allTextContents()
const give = (page: Page, text: string) =>
  page.evaluate((text) => {
    editorPage.text.value = text
  }, text)
/** What the editor holds: with it placeholders, which the owner never gets. */
const held = (page: Page) => page.evaluate(() => editorPage.held())

/** Opens the page and puts the caret at the end of a text. */
async function open(options: BrowserContextOptions, text = '', isLoaded = true) {
  const { page, faults } = await visit(browser, server.url.href, options)
  if (isLoaded) await page.locator('.cm-content').waitFor()
  await field(page).focus()
  if (text) await give(page, text)
  await page.keyboard.press('Control+End')
  return { page, faults, close: () => page.context().close() }
}

/** Pastes or drops files, as a browser hands them over. */
const handOver = (page: Page, kind: 'paste' | 'drop', names: readonly string[], text = '', html = '') =>
  field(page).evaluate(
    (one, { kind, names, text, html }) => {
      const data = new DataTransfer()
      for (const name of names) data.items.add(new File(['x'], name, { type: 'image/png' }))
      if (text) data.setData('text/plain', text)
      if (html) data.setData('text/html', html)
      const init = { bubbles: true, composed: true, cancelable: true }
      const { left, top } = one.getBoundingClientRect()
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent('drop', { ...init, dataTransfer: data, clientX: left + 20, clientY: top + 20 })
      return one.dispatchEvent(event)
    },
    { kind, names, text, html },
  )
const settle = (page: Page, markdown: string | null) =>
  page.evaluate(async (markdown) => {
    const waiting = editorPage.waiting.shift()
    if (markdown === null) waiting?.fail()
    else waiting?.store(markdown)
    await new Promise(requestAnimationFrame)
  }, markdown)

describe.each(VARIANTS)('the editor on $name', ({ options: context, isPhone }) => {
  test('takes typing, marks, links and the undo key, and reports each change once', async () => {
    const { page, faults, close } = await open(context)
    await page.keyboard.type('plain ')
    await page.keyboard.press('Control+b')
    await page.keyboard.type('strong')
    await page.keyboard.press('Control+b')
    await page.keyboard.type(' ')
    await page.keyboard.press('Control+i')
    await page.keyboard.type('so')
    await page.keyboard.press('Control+i')
    await page.keyboard.type(' word')
    await page.keyboard.press('Control+Shift+ArrowLeft')
    await page.keyboard.press('Control+b')
    expect(await shown(page)).toBe('plain **strong** *so* **word**')
    await page.keyboard.press('Control+b')
    await page.keyboard.press('Control+Shift+k')
    await page.keyboard.type('/')
    expect(await shown(page)).toBe('plain **strong** *so* [word](/)')
    const reported = await page.evaluate(() => editorPage.reports)
    expect(reported.every((one, i) => one !== reported[i - 1])).toBe(true)
    for (let presses = 0; presses < 60; presses++) await page.keyboard.press('Control+z')
    expect(await shown(page)).toBe('')
    expect(faults).toEqual([])
    await close()
  })

  test('goes on with lists and quotes at Enter, and ends them where they are empty', async () => {
    const { page, faults, close } = await open(context)
    const lines = ['> q', 'r', '', '- one', 'two', '', '1. a', 'b', '', '- [x] done', 'next']
    for (const [place, line] of lines.entries()) {
      if (place > 0) await page.keyboard.press('Enter')
      // On Android CodeMirror waits for the next frame with it.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      await page.keyboard.type(line)
    }
    expect(await shown(page)).toBe('> q\n> r\n- one\n- two\n1. a\n2. b\n- [x] done\n- [ ] next')
    // As the keyboard of a phone sends Enter: without a key.
    if (isPhone) {
      const enter = { inputType: 'insertParagraph', bubbles: true, cancelable: true, composed: true }
      await field(page).evaluate((one, enter) => one.dispatchEvent(new InputEvent('beforeinput', enter)), enter)
      await page.waitForFunction(() => editorPage.reports.at(-1)?.endsWith('\n- [ ] next\n- [ ] '))
    }
    await give(page, '- a\n  - b\n  - ')
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => editorPage.reports.at(-1) === '- a\n  - b\n- ')
    await page.keyboard.press('Control+z')
    expect(await shown(page)).toBe('- a\n  - b\n  - ')
    await give(page, '```\n- code')
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => editorPage.reports.at(-1) === '```\n- code\n')
    expect(faults).toEqual([])
    await close()
  })

  test('completes links by keys and by clicks, and closes at Escape', async () => {
    const { page, faults, close } = await open(context)
    await page.keyboard.type('see [[')
    expect((await options(page)).length).toBe(10)
    await page.keyboard.type('z')
    expect(await options(page)).toEqual(['Zürich in spring', 'Zoo'])
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: 'Zoo', selected: true }).waitFor()
    // CodeMirror writes its attributes a moment after the list is drawn.
    const list = await field(page).evaluate(async (one) => {
      const root = one.getRootNode() as Document | ShadowRoot
      const active = () => root.getElementById(one.getAttribute('aria-activedescendant') ?? '')?.textContent
      while (active() !== 'Zoo') await new Promise(requestAnimationFrame)
      return one.getAttribute('aria-controls')
    })
    expect(await page.locator(`[id="${list}"]`).getAttribute('role')).toBe('listbox')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    expect(await shown(page)).toBe('see [[Zoo]]')
    expect(await options(page)).toEqual([])
    await page.keyboard.type(' [[zür')
    await page.keyboard.press('Tab')
    expect(await shown(page)).toBe('see [[Zoo]] [[Zürich in spring]]')
    await page.keyboard.type(' [[Day 1')
    await page.keyboard.press('Escape')
    expect(await options(page)).toEqual([])
    await page.keyboard.type('2')
    expect(await options(page)).toEqual([])
    await page.keyboard.type(' [[Cannot')
    expect(await options(page)).toEqual([])
    await page.keyboard.type(' [[sho')
    await page.getByRole('option', { name: 'Shopping' }).click()
    await page.keyboard.type('!')
    expect(await shown(page)).toEndWith('[[Shopping]]!')
    await page.keyboard.type(' [[zo')
    await page.keyboard.press('ArrowLeft')
    expect(await options(page)).toEqual(['Zürich in spring', 'Zoo'].slice(1))
    for (let presses = 0; presses < 4; presses++) await page.keyboard.press('ArrowLeft')
    expect(await options(page)).toEqual([])
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Enter')
    await page.keyboard.insertText(`${'x'.repeat(isPhone ? 30 : 95)} [[zü`)
    const [box, editor] = await Promise.all([page.getByRole('listbox').boundingBox(), field(page).boundingBox()])
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((editor?.x ?? 0) + (editor?.width ?? 0) + 1)
    expect(faults).toEqual([])
    await close()
  })

  test('puts in what was pasted once it is stored, also after the editor is gone, and nothing where that failed', async () => {
    const { page, faults, close } = await open(context, 'before after')
    for (let presses = 0; presses < 5; presses++) await page.keyboard.press('ArrowLeft')
    expect(await handOver(page, 'paste', ['cat [1].png'])).toBe(false)
    expect(await held(page)).toBe('before ![Uploading cat -1-.png…]()after')
    await page.keyboard.type('and ')
    expect(await shown(page)).toBe('before and after')
    await settle(page, '![[cat.png]] ')
    expect(await shown(page)).toBe('before ![[cat.png]] and after')
    await page.keyboard.type('then ')
    expect(await shown(page)).toBe('before ![[cat.png]] and then after')
    expect(await page.getByRole('status').textContent()).toBe('cat [1].png uploaded.')
    for (const key of ['Control+z', 'Control+y']) {
      for (let presses = 0; presses < 30; presses++) {
        await page.keyboard.press(key)
        expect(await held(page)).not.toContain('Uploading')
      }
      expect((await shown(page)).includes('cat.png')).toBe(key === 'Control+y')
    }
    expect(await held(page)).toBe('before ![[cat.png]] and then after')
    await handOver(page, 'paste', ['a.png', 'b.png'])
    await settle(page, null)
    expect(await held(page)).toBe('before ![[cat.png]] and then after')
    expect(await page.getByRole('status').textContent()).toBe('2 files could not be uploaded.')
    await handOver(page, 'paste', ['table.png'], 'cells')
    expect(await page.evaluate(() => editorPage.waiting.length)).toBe(0)
    expect(await handOver(page, 'drop', ['d.png'])).toBe(false)
    await settle(page, '![[d.png]]')
    expect(await shown(page)).toContain('![[d.png]]')

    // For its own note also after that is gone.
    await give(page, 'note')
    await page.keyboard.press('Control+End')
    await handOver(page, 'paste', ['cat.png'])
    await page.evaluate(() => {
      editorPage.isShown.value = false
    })
    await page.locator('.editor').waitFor({ state: 'detached' })
    await settle(page, '![[cat.png]]')
    expect(await shown(page)).toBe('note![[cat.png]]')
    expect(faults).toEqual([])
    await close()
  })

  test('makes Markdown of HTML, a link of a pasted address, and leaves plain text and code as they are', async () => {
    const { page, faults, close } = await open(context, 'see ')
    const html = '<a href="https://example.org/a">this</a> and <b>that</b>'
    const paste = (text: string, html?: string) => handOver(page, 'paste', [], text, html)
    const becomes = (text: string) => page.waitForFunction((text) => editorPage.reports.at(-1) === text, text)
    expect(await paste('this and that', html)).toBe(false)
    await becomes('see [this](https://example.org/a) and **that**')
    for (const text of ['see this and that', 'see ']) {
      await page.keyboard.press('Control+z')
      await becomes(text)
    }
    await page.keyboard.press('Control+Shift+ArrowLeft')
    expect(await paste('https://example.org/b')).toBe(false)
    await becomes('[see](https://example.org/b) ')
    // Not by the keyboard, which would paste what the machine has.
    await field(page).evaluate((one) => {
      const keys = { key: 'V', ctrlKey: true, shiftKey: true, bubbles: true, composed: true }
      one.dispatchEvent(new KeyboardEvent('keydown', keys))
    })
    await paste('plain', html)
    await becomes('[see](https://example.org/b)plain ')
    await give(page, '```\n')
    await page.keyboard.press('Control+End')
    await paste('this and that', html)
    await becomes('```\nthis and that')
    expect(faults).toEqual([])
    await close()
  })

  test('takes a text from elsewhere, keeps the caret in its line and a file that waits', async () => {
    const { page, close } = await open(context, 'first\nmine\nlast')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Home')
    await page.keyboard.type('>')
    await handOver(page, 'paste', ['cat.png'])
    await give(page, 'zeroth\nfirst\n>mine\nlast!')
    expect(await held(page)).toBe('zeroth\nfirst\n>![Uploading cat.png…]()mine\nlast!')
    await page.keyboard.type('~')
    expect(await shown(page)).toBe('zeroth\nfirst\n>~mine\nlast!')
    await settle(page, '[c]')
    expect(await shown(page)).toBe('zeroth\nfirst\n>[c]~mine\nlast!')
    await page.evaluate(() => {
      editorPage.gives = false
    })
    await page.keyboard.type('late')
    await give(page, 'zeroth\nfirst\n>[c]~l' + 'mine\nlast!')
    expect(await held(page)).toBe('zeroth\nfirst\n>[c]~latemine\nlast!')
    await give(page, 'other\r\ntext')
    expect(await held(page)).toBe('other\ntext')
    await page.keyboard.press('Control+z')
    await page.keyboard.type('.')
    expect(await shown(page)).toContain('other')
    await close()
  })

  test('leaves what an input method composes alone, and what waits comes after it', async () => {
    const { page, faults, close } = await open(context, '- [[zo')
    const session = await page.context().newCDPSession(page)
    await page.keyboard.type('o')
    expect(await options(page)).toEqual(['Zoo'])
    await session.send('Input.imeSetComposition', { text: 'n', selectionStart: 1, selectionEnd: 1 })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+b')
    await field(page).evaluate((one) =>
      one.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, composed: true }),
      ),
    )
    expect(await held(page)).toBe('- [[zoon')
    await session.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 })
    await page.keyboard.press('Escape')
    await session.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 })
    await give(page, '- elsewhere')
    expect(await held(page)).toBe('- [[zooに')
    await session.send('Input.insertText', { text: '日本' })
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    expect(await shown(page)).toBe('- elsewhere日本')
    expect(await held(page)).toBe('- elsewhere日本')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => editorPage.reports.at(-1) === '- elsewhere日本\n- ')
    expect(faults).toEqual([])
    await close()
  })

  test('lets Escape and Tab leave a list, has a label, spell checking, the language of the page, and a handle', async () => {
    const { page, close } = await open(context, '- item\n- part')
    await page.keyboard.press('Tab')
    expect(await shown(page)).toBe('- item\n  - part')
    await page.keyboard.press('Shift+Tab')
    expect(await shown(page)).toBe('- item\n- part')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    const next = isPhone ? 'Check box' : 'After'
    await page.getByRole('button', { name: next }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.type('x')
    expect((await shown(page)).replace('x', '')).toBe('- item\n- part')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Shift+Tab')
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true)

    await give(page, '')
    const element = field(page)
    expect(await element.getAttribute('spellcheck')).toBe('true')
    expect(await element.evaluate((one) => one.closest('[lang]'))).toBeNull()
    await page.getByRole('button', { name: 'After' }).focus()
    await page.evaluate(() => {
      editorPage.label.value = 'Renamed'
      editorPage.handle.current?.focus()
    })
    await page.getByRole('textbox', { name: 'Renamed' }).waitFor()
    await page.keyboard.type('!')
    expect(await shown(page)).toBe('!')
    await page.evaluate(() => {
      editorPage.isShown.value = false
    })
    await page.locator('.editor').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => editorPage.handle.current)).toBeNull()
    await close()
  })
})

const SAMPLE =
  '# Lisbon\n\nThe **tram** is *slow*, ~~fast~~ `code` [map](https://example.org)\n\n- [ ] pack\n- [x] book\n\n> quote [[zo'

test.each([
  ['as usual', {}],
  ['in forced colours', { forcedColors: 'active' as const }],
])('axe-core finds nothing wrong %s', async (kind, more) => {
  for (const viewport of WINDOWS) {
    const { page, faults, close } = await open({ viewport, ...more }, SAMPLE)
    await page.keyboard.type('o')
    expect(await options(page)).toEqual(['Zoo'])
    await expectAccessible(page, `editor-${kind.replaceAll(' ', '-')}`, looksIn(viewport))
    const active = page.getByRole('option', { selected: true })
    const outline = await active.evaluate((one) => getComputedStyle(one).outlineStyle)
    expect(outline).toBe('solid')
    expect(faults).toEqual([])
    await close()
  }
})

describe('Markdown is drawn', () => {
  const lines = (page: Page) => page.locator('.cm-line').allTextContents()

  test('except on the lines of the caret, in code and in front matter', async () => {
    const marked = [
      '## Head ##',
      '**a** _b_ ~~c~~ ==d== `e` [f](https://a.example "t") [[Zoo|g]] \\*h [i]',
      '> [!tip] Title',
    ] as const
    const drawn = ['Head ', 'a b c d e f g *h [i]', 'Title'] as const
    const same = ['---', 'a: **b**', '---']
    const code = ['```', '**x** [[y]] $z$', '```'] as const
    const { page, faults, close } = await open(
      WIDE,
      [...same, ...marked, '> **q**', ...code, '$$', 'x^2', '$$', '---'].join('\n'),
    )
    await page.locator('.cm-content math').waitFor()
    const after = async (at: number) => (await lines(page)).slice(at)
    expect((await lines(page)).slice(0, 7)).toEqual([...same, ...drawn, 'q'])
    expect(await after(7)).toEqual(['', code[1], '', expect.stringContaining('x'), '', '', '---'])
    await page.keyboard.press('Control+Home')
    for (let presses = 0; presses < 4; presses++) await page.keyboard.press('ArrowDown')
    expect((await lines(page)).slice(0, 7)).toEqual([...same, drawn[0], marked[1], drawn[2], 'q'])
    await page.keyboard.press('Shift+ArrowDown')
    expect((await lines(page)).slice(3, 7)).toEqual([drawn[0], marked[1], marked[2], 'q'])
    await page.locator('.cm-line', { hasText: '[[y]]' }).click()
    expect((await lines(page)).slice(4, 10)).toEqual([drawn[1], drawn[2], 'q', ...code])
    await page.locator('.cm-content math').click()
    expect((await after(10)).slice(0, 3)).toEqual(['$$', 'x^2', '$$'])
    await page.getByRole('button', { name: 'After' }).focus()
    expect((await lines(page)).slice(7, 10)).toEqual(['', code[1], ''])
    expect(faults).toEqual([])
    await close()
  })

  test('check boxes write themselves, and pictures of other hosts are not loaded', async () => {
    const { page, faults, close } = await open(WIDE, '- [ ] one\n  1. [x] **two**\n![p](https://evil.example/x.png)\n')
    const [one, two] = [page.getByRole('checkbox', { name: 'one' }), page.getByRole('checkbox', { name: '**two**' })]
    await one.click()
    await two.click()
    expect(await shown(page)).toBe('- [x] one\n  1. [ ] **two**\n![p](https://evil.example/x.png)\n')
    expect([await one.isChecked(), await two.isChecked()]).toEqual([true, false])
    expect(await page.locator('.cm-drawn img').count()).toBe(0)
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    expect(await shown(page)).toStartWith('- [ ] one\n  1. [x] ')
    await page.getByText('Picture from evil.example').waitFor()
    expect(faults).toEqual([])
    await close()
  })
})

test('the bar of a phone has what its keyboard lacks, and is not there for a mouse', async () => {
  const { page, faults, close } = await open(PHONE, 'one\ntwo')
  const press = (name: string) => page.getByRole('toolbar').getByRole('button', { name, exact: true }).tap()
  const steps = [
    ['List', 'one\n- two'],
    ['Check box', 'one\n- [ ] two'],
    ['Check box', 'one\n- [x] two'],
    ['List', 'one\n- two'],
    ['Heading', 'one\n# - two'],
    ['Undo', 'one\n- two'],
  ] as const
  for (const [name, text] of steps) {
    await press(name)
    expect([name, await held(page)]).toEqual([name, text])
  }
  await page.keyboard.press('ArrowUp')
  await press('List')
  await page.keyboard.press('ArrowDown')
  await press('Indent')
  expect(await shown(page)).toBe('- one\n  - two')
  await press('Outdent')
  await press('Link')
  await page.keyboard.type('zo')
  await page.getByRole('option', { name: 'Zoo' }).tap()
  expect(await shown(page)).toBe('- one\n- two[[Zoo]]')
  const chosen = page.waitForEvent('filechooser')
  await press('Picture')
  await (await chosen).setFiles({ name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from('x') })
  await page.waitForFunction(() => editorPage.waiting.length === 1)
  await settle(page, '![[cat.png]]')
  expect(await shown(page)).toBe('- one\n- two[[Zoo]]![[cat.png]]')
  for (const button of await page.getByRole('toolbar').getByRole('button').all()) {
    const { width = 0, height = 0 } = (await button.boundingBox()) ?? {}
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
  }
  expect(faults).toEqual([])
  await close()
  const desktop = await open(WIDE)
  expect(await desktop.page.getByRole('toolbar').count()).toBe(0)
  await desktop.close()
})

describe('until CodeMirror is there', () => {
  test('a textarea takes what is typed, which is kept with the caret and the focus', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    codeMirror = promise
    const { page, faults, close } = await open(WIDE, '', false)
    await page.keyboard.type('typed early')
    for (let presses = 0; presses < 6; presses++) await page.keyboard.press('ArrowLeft')
    await handOver(page, 'paste', ['cat.png'])
    resolve()
    codeMirror = 'served'
    await page.locator('.cm-content').waitFor()
    await page.keyboard.type(' and')
    await settle(page, '[c]')
    expect(await shown(page)).toBe('typed[c] and early')
    expect(await field(page).count()).toBe(1)
    expect(faults).toEqual([])
    await close()
  })

  test('and it stays where CodeMirror cannot be loaded', async () => {
    codeMirror = 'missing'
    const { page, close } = await open(WIDE, '', false)
    await page.waitForLoadState('networkidle')
    await page.keyboard.type('still here')
    expect(await shown(page)).toBe('still here')
    expect(await page.locator('.cm-content').count()).toBe(0)
    codeMirror = 'served'
    await close()
  })
})

test('the policy of the page was never broken', () => {
  expect(reports).toEqual([])
})
