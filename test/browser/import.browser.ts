/** Importing a file with the key page. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { zipOf, zipOfTexts } from '../support/zip'
import { browserSession, make } from './session'
import { LOOKS, picture, untilText, violations } from './support'

const { open, stopServer } = browserSession()

async function choose(page: Page, name: string, content: string | Uint8Array) {
  const buffer = Buffer.from(content)
  await page.locator('#upload-file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
}

const start = (page: Page) => page.getByRole('button', { name: 'Import', exact: true }).click()

/** So many notes that an import of them can be watched. */
const many = (count: number) =>
  zipOfTexts(
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`note ${i}.md`, `# Note ${i}\n\n${'word '.repeat(200)}`]),
    ),
  )

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
  test('tells what it came to and which items failed, as text, and the figures of the page follow', async () => {
    const page = await open()
    await make(page)
    await untilText(page, '#usage-tier', 'API, with a key')
    await choose(page, 'mixed.zip', mixed())
    await start(page)
    await expectEnd(page, /^Imported: 1 created, 22 failed\.$/)
    const told = await page.locator('#upload-report li').allTextContents()
    expect(told.filter((text) => /^<b>bad \d+<\/b>\.md: ./.test(text))).toHaveLength(20)
    expect(told.at(-1)).toBe('2 more failed.')
    expect(await page.locator('#upload-report b').count()).toBe(0)
    await page.getByText(/^1 of [\d,]+ items/).waitFor()
  })

  test('works without a key, and tries a file without changing a thing', async () => {
    const page = await open()
    await choose(page, 'a.md', '# a')
    await page.getByRole('button', { name: 'Show what it would do' }).click()
    await expectEnd(page, /^A dry run, nothing was changed\. It would come to: 1 created\.$/)
    expect(await page.locator('#upload-table :is(th, td)').allTextContents()).toEqual(['What', 'New', 'note', '1'])
    await page.getByRole('button', { name: 'Import this' }).click()
    await expectEnd(page, /^Imported: 1 created\.$/)
  })

  test('is cancelled on the server; what was done stays, and the focus is not lost', async () => {
    const page = await open()
    await make(page)
    await choose(page, 'many.zip', many(12_000))
    await start(page)
    await underWay(page)
    await page.getByRole('button', { name: 'Cancel', exact: true }).focus()
    await page.keyboard.press('Enter')
    const words = await expectEnd(page, /^Stopped\. What was imported until then stays: [\d,]+ created\.$/)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('upload-start')
    const created = /([\d,]+) created/.exec(words ?? '')?.[1]
    await page.getByText(new RegExp(`^${created} of [\\d,]+ items`)).waitFor()
    expect(created).not.toBe('12,000')
  })

  test('is found again after a reload, and ends', async () => {
    const page = await open()
    await make(page)
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    await choose(page, 'many.zip', many(6000))
    await start(page)
    await underWay(page)
    await page.reload()
    await untilText(page, '#upload-name', 'The import before this page was loaded')
    await expectEnd(page, /^Imported: 6,000 created\.$/)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('that no import takes, or that the server refuses, or that nobody answers, is told in a sentence', async () => {
    const page = await open()
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

  test('of the wrong kind are told in a sentence, and keys are sent nowhere', async () => {
    const page = await open()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const keys = '{\n  "about": "Keys to Satchel workspaces.", "keys": [{"key":"a-secret-key"}] }'
    await drop(page, 'h1', { 'photo.png': 'PNG', 'satchel-keys-all.json': keys })
    await page.getByText('photo.png is not a file that can be imported.').waitFor()
    await page.getByText('satchel-keys-all.json holds keys').waitFor()
    expect(asked.filter((address) => /\/api\/.*import/.test(address))).toEqual([])
    expect(await page.locator('html').getAttribute('class')).toBe('')
  })

  test('do nothing where it is text that is dropped', async () => {
    const page = await open()
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

describe.each(LOOKS)('axe-core finds nothing wrong in $name', ({ viewport, colorScheme, name }) => {
  test('with an import that runs, and with its report', async () => {
    const page = await open({ viewport, colorScheme })
    await make(page)
    await choose(page, 'many.zip', many(8000))
    await start(page)
    await underWay(page)
    expect(await violations(page)).toEqual([])
    await picture(page, `import-runs-${name}`)
    await expectEnd(page, /^Imported: 8,000 created\.$/)
    await choose(page, 'mixed.zip', mixed())
    await start(page)
    await untilText(page, '#upload-state', 'Imported: 1 created, 22 failed.')
    await page.locator('#upload-report li').last().waitFor()
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
    await picture(page, `import-report-${name}`)
  })
})
