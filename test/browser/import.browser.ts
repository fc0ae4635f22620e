/** Importing a file with the key page. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { zipOf, zipOfTexts } from '../support/zip'
import { browserSession, make } from './session'
import { expectAccessible, startServer, untilText } from './support'

const { open, stopServer } = browserSession({}, startServer)

async function choose(page: Page, name: string, content: string | Uint8Array) {
  const buffer = Buffer.from(content)
  await page.locator('#upload-file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
}

const start = (page: Page) => page.getByRole('button', { name: 'Import', exact: true }).click()

const many = (count: number) =>
  zipOfTexts(Object.fromEntries(Array.from({ length: count }, (_, i) => [`note ${i}.md`, `# Note ${i}`])))

/** Until what it returns is called, the page is told that its import is half done, however far the server is. */
async function holdHalfway(page: Page): Promise<() => void> {
  let isHeld = true
  await page.route('**/api/imports/*', async (route) => {
    const response = await route.fetch()
    const json = await response.json()
    await route.fulfill({ response, json: isHeld ? { ...json, state: 'running', done: 1, total: 2 } : json })
  })
  return () => {
    isHeld = false
  }
}

/** Waits until the page tells of the run's end in words like these. */
async function expectEnd(page: Page, words: RegExp) {
  const state = page.locator('#upload-state').filter({ hasText: words })
  await state.waitFor()
  await page.locator('#upload-moving').waitFor({ state: 'hidden' })
  return state.textContent()
}

/** Waits until the bar has moved, which it does once notes are written. */
const underWay = (page: Page) =>
  page.locator('#upload-bar[value]:not([value="0"])').and(page.getByRole('progressbar')).waitFor()

const mixed = () =>
  zipOf([
    { name: 'good.md', data: '# good' },
    ...Array.from({ length: 22 }, (_, i) => ({ name: `<b>bad ${i}</b>.md`, data: new Uint8Array([0xff, 0xfe, 0xff]) })),
  ])

describe('an import', () => {
  test('tries a file without changing a thing, works without a key, and tells which items failed, as text', async () => {
    const page = await open()
    await choose(page, 'a.md', '# a')
    await page.getByRole('button', { name: 'Show what it would do' }).click()
    await expectEnd(page, /^A dry run, nothing was changed\. It would come to: 1 created\.$/)
    expect(await page.locator('#upload-table :is(th, td)').allTextContents()).toEqual(['What', 'New', 'note', '1'])
    await page.getByRole('button', { name: 'Import this' }).click()
    await expectEnd(page, /^Imported: 1 created\.$/)
    await choose(page, 'mixed.zip', mixed())
    await start(page)
    await expectEnd(page, /^Imported: 1 created, 22 failed\.$/)
    const told = await page.locator('#upload-report li').allTextContents()
    expect(told.filter((text) => /^<b>bad \d+<\/b>\.md: ./.test(text))).toHaveLength(20)
    expect(told.at(-1)).toBe('2 more failed.')
    expect(await page.locator('#upload-report b').count()).toBe(0)
    await page.getByText(/^2 of [\d,]+ items/).waitFor()
  })

  test('is found again after a reload, and ends', async () => {
    const page = await open()
    await make(page)
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    const letGo = await holdHalfway(page)
    await choose(page, 'two.zip', many(2))
    await start(page)
    await underWay(page)
    await page.reload()
    await untilText(page, '#upload-name', 'The import before this page was loaded')
    letGo()
    await expectEnd(page, /^Imported: 2 created\.$/)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('that no import takes is told before anything is sent, and what the server refuses, or nobody answers', async () => {
    const page = await open()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    for (const name of ['a.md', 'a.zip', 'todo.txt']) {
      await choose(page, name, '')
      await start(page)
      await untilText(page, '#upload-fault', `${name} is empty, or a folder: that can be imported as a zip.`)
    }
    const buffer = Buffer.from('MZ')
    const files = Array.from({ length: 40 }, (_, i) => ({ name: `${i}.exe`, mimeType: '', buffer }))
    await page.locator('#upload-file').setInputFiles(files)
    await start(page)
    await page.getByText('37 more cannot be imported.').waitFor()
    expect((await page.locator('#upload-fault').textContent())?.match(/\d+\.exe/g)).toEqual(['0.exe', '1.exe', '2.exe'])
    expect(sent).toEqual([])

    await choose(page, 'photo.png', 'PNG')
    await start(page)
    await page.getByText('photo.png is not a file that can be imported.').waitFor()
    expect(await page.locator('#upload-file').getAttribute('aria-invalid')).toBe('true')
    await choose(page, 'big.md', 'x'.repeat(5 * 2 ** 20))
    await start(page)
    await expectEnd(page, /bytes|larger/)
    await untilText(page, '#upload-fault', '')
    await stopServer()
    await choose(page, 'a.md', '# a')
    await start(page)
    await untilText(
      page,
      '#upload-state',
      'The connection broke: nothing was imported. The file may be larger than the server takes.',
    )
  })

  test('is stopped, also where the server does not listen at first, is not pestered meanwhile, and the focus is not lost', async () => {
    const page = await open()
    const run = {
      id: 'a',
      kind: 'notes',
      state: 'running',
      done: 1,
      total: 9,
      totals: { created: 1234 },
      warnings: [],
      items: [],
    }
    let asked: string[] = []
    await page.route('**/api/notes/import', (route) => route.fulfill({ status: 202, json: run }))
    await page.route('**/api/imports/a', (route) => {
      const method = route.request().method()
      asked.push(method)
      const stops = asked.filter((one) => one === 'DELETE').length
      if (method === 'DELETE' && stops === 1) return route.abort()
      if (method === 'DELETE' && stops === 2) return route.fulfill({ status: 503, json: {} })
      return route.fulfill({ status: 200, json: stops > 2 ? { ...run, state: 'cancelled' } : run })
    })
    await choose(page, 'a.md', '# a')
    await start(page)
    await page.getByText('Importing.', { exact: true }).waitFor()
    asked = []
    const began = performance.now()
    await page.getByRole('button', { name: 'Cancel', exact: true }).focus()
    await page.keyboard.press('Enter')
    await expectEnd(page, /^Stopped\. What was imported until then stays: 1,234 created\.$/)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('upload-start')
    expect(asked).toEqual(['DELETE', 'DELETE', 'DELETE'])
    expect(performance.now() - began).toBeGreaterThan(1900)
  })

  test('is begun once by two presses, and tells which files were not begun after one that the server refused', async () => {
    const page = await open()
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') sent++
    })
    const files = ['a.zip', 'b.md', 'c.md'].map((name) => ({
      name,
      mimeType: '',
      buffer: Buffer.from(name === 'a.zip' ? 'PK\u0003\u0004 but no zip' : '# one'),
    }))
    await page.locator('#upload-file').setInputFiles(files)
    await page.locator('#upload-start').evaluate((button) => {
      for (let press = 0; press < 3; press++) (button as HTMLButtonElement).click()
    })
    await page.getByText('Not begun: b.md, c.md.').waitFor()
    expect(sent).toBe(1)
  })

  test('asked of a server that is gone before the first is told so', async () => {
    const page = await open()
    await choose(page, 'a.md', '# a')
    await stopServer()
    await start(page)
    await untilText(page, '#upload-fault', 'The server cannot be reached.')
  })
})

/** Drops files on a part of the page, as a person does with the mouse. */
async function drop(page: Page, place: string, files: Record<string, string>) {
  const dataTransfer = await page.evaluateHandle((contents) => {
    const dropped = new DataTransfer()
    for (const [name, content] of Object.entries(contents)) dropped.items.add(new File([content], name))
    return dropped
  }, files)
  for (const type of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent(place, type, { dataTransfer })
}

describe('files that are dropped anywhere on the page', () => {
  test('are shown in a table with what they would come to, and imported after a press', async () => {
    const page = await open()
    await make(page)
    const address = page.url()
    await drop(page, '#plain', { 'a.md': '# a', 'todo.txt': 'Water the plants\nCall the plumber' })
    await page.getByRole('button', { name: 'Import this' }).waitFor()
    expect(await page.locator('#upload-table :is(th, td)').allTextContents()).toEqual([
      ...['What', 'New'],
      ...['a.md: note', '1'],
      ...['todo.txt: task', '2'],
    ])
    expect(page.url()).toBe(address)
    await untilText(page, '#usage-tier', 'API, with a key')
    expect(await page.locator('#usage-stored').textContent()).toStartWith('0 of')
    await page.getByRole('button', { name: 'Import this' }).click()
    await page.getByText(/^3 of [\d,]+ items/).waitFor()
    await untilText(page, '#upload-state', 'Imported: 2 created.')
    expect(await page.getByRole('button', { name: 'Import this' }).isVisible()).toBe(false)
  })

  test('are imported only into the workspace in which it was shown what they would do', async () => {
    const page = await open()
    await make(page)
    await drop(page, '#plain', { 'a.md': '# a' })
    await page.getByRole('button', { name: 'Import this' }).waitFor()
    await page.getByRole('radio', { name: 'Without a key' }).check()
    expect(await page.getByRole('button', { name: 'Import this' }).isVisible()).toBe(false)
  })

  test('of the wrong kind are told in a sentence, keys are sent nowhere, and text is left alone', async () => {
    const page = await open()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const keys = '{\n  "about": "Keys to Satchel workspaces.", "keys": [{"key":"a-secret-key"}] }'
    await drop(page, 'h1', { 'photo.png': 'PNG', 'satchel-keys-all.json': keys })
    await page.getByText('photo.png is not a file that can be imported.').waitFor()
    await page.getByText('satchel-keys-all.json holds keys').waitFor()
    expect(asked.filter((address) => /\/api\/.*import/.test(address))).toEqual([])
    expect(await page.locator('html').getAttribute('class')).toBe('')
    // Text goes where the browser puts it.
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.setData('text/plain', 'words')
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
      document.body.dispatchEvent(event)
      if (event.defaultPrevented) throw new Error('it was taken')
    })
    expect(await page.locator('#upload-run').isVisible()).toBe(false)
  })
})

test('axe-core finds nothing wrong with an import that runs, and with its report', async () => {
  const page = await open()
  await make(page)
  const letGo = await holdHalfway(page)
  await choose(page, 'two.zip', many(2))
  await start(page)
  await underWay(page)
  await expectAccessible(page, 'import-runs')
  letGo()
  await expectEnd(page, /^Imported: 2 created\.$/)
  await choose(page, 'mixed.zip', mixed())
  await start(page)
  await untilText(page, '#upload-state', 'Imported: 1 created, 22 failed.')
  await page.locator('#upload-report li').last().waitFor()
  await expectAccessible(page, 'import-report')
})
