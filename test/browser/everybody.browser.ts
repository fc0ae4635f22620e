/** What holds for every visitor: no violations that axe-core finds, a focus one can see, little to load, a server that may go. */
import { describe, expect, test } from 'bun:test'
import { isSatchelKey } from '../../public/key-format.js'
import { action, browserSession, make, pasted, send, stored, untilAnswer } from './session'
import { expectAccessible, startServer, untilText, visit } from './support'

const { open, stopServer } = browserSession({}, startServer)

test('axe-core finds nothing wrong with the key page in any of its states, which fit any window', async () => {
  const page = await open()
  const look = (state: string) => expectAccessible(page, state)
  await look('first-visit')
  await make(page, 'A key with a rather long name, as people like to give them')
  await send(page)
  await page.locator('#answer').waitFor()
  await page.getByText('Add a key you already have').click()
  await page.getByRole('button', { name: 'Add this key' }).click()
  await page.getByText('Ask the chat', { exact: true }).click()
  await action(page, 'Rename').click()
  await look('rename')
  await action(page, 'Delete').click()
  await look('delete')
})

/** Where the focus is: what it is called, and whether one sees it and its mark. */
function focused() {
  const at = document.activeElement
  if (!(at instanceof HTMLElement) || at === document.body) return null
  const { top, bottom } = at.getBoundingClientRect()
  const marks = [at, at.nextElementSibling, at.parentElement].filter((one) => one !== null)
  return {
    name: at.ariaLabel ?? (at.textContent || at.id),
    inSight: at.checkVisibility() && bottom > 0 && top < innerHeight,
    marked: marks.some((one) => getComputedStyle(one).outlineStyle === 'solid'),
  }
}

describe('the page', () => {
  test('says what it is, and takes three clicks from a first visit to a key that is kept and a first answer', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    expect(await page.title()).toBe('Satchel – your keys')
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Make yourself a key'])
    const words = await page.locator('main').textContent()
    expect(words).toContain('The server has no list of keys and cannot recover one.')
    expect(words).toContain('Deleting a key here removes it from this browser.')
    const key = await make(page)
    await action(page, 'Copy').click()
    await send(page)
    await untilAnswer(page, '201 Created')
    expect(isSatchelKey(key)).toBe(true)
    expect(await pasted(page)).toBe(key)
    expect((await stored(page)).keys).toEqual([expect.objectContaining({ key, saved: true })])
  })

  test('weighs under 40 KiB on the wire, with its first look at the usage, all of it from this server', async () => {
    const page = await open()
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    await network.send('Network.setCacheDisabled', { cacheDisabled: true })
    const hosts: string[] = []
    let bytes = 0
    page.on('request', (request) => hosts.push(new URL(request.url()).origin))
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.reload({ waitUntil: 'networkidle' })
    expect(hosts.length).toBeGreaterThan(12)
    expect([...new Set(hosts)]).toEqual([new URL(page.url()).origin])
    expect(bytes).toBeGreaterThan(20 * 1024)
    expect(bytes).toBeLessThan(40 * 1024)
  })

  test('can be walked with Tab from end to end, and the focus is in sight and marked at every stop', async () => {
    const page = await open({ viewport: { width: 320, height: 640 } })
    await make(page, 'Walked')
    await send(page)
    await untilAnswer(page, '201 Created')
    await page.locator('.brand').focus()
    await page.keyboard.press('Shift+Tab')
    const stops = []
    for (let stop = await page.evaluate(focused); stop && stops.length < 60; stop = await page.evaluate(focused)) {
      stops.push(stop)
      await page.keyboard.press('Tab')
    }
    expect(stops.filter(({ inSight, marked }) => !inSight || !marked)).toEqual([])
    const names = stops.map(({ name }) => name)
    const expected = ['Skip to the content', 'Copy', 'Delete', 'Send', 'Answer as it came', 'Errors']
    expect(names.filter((name) => expected.includes(name))).toEqual([
      ...expected.slice(0, 5),
      'Copy',
      'Copy',
      ...expected.slice(5),
    ])
  })
})

describe('what may happen to it', () => {
  test('a server with limits of its own: the page tells those', async () => {
    const server = await startServer({ FREE_LIMIT_PER_HOUR: '7', API_LIMIT_PER_HOUR: '50000' })
    const browser = (await open()).context().browser()
    if (!browser) throw new Error('a page that was opened has a browser')
    const { page, faults } = await visit(browser, server.url)
    await page.locator('#usage', { hasText: '7 of 7 requests left' }).waitFor()
    const told = await page.locator('[data-limit]').allTextContents()
    expect(told).toEqual(['50,000', '7', '50,000', '7'])
    expect(await page.locator('main').textContent()).not.toMatch(/\b(20|1,000) requests/)
    await page.close()
    await server.stop()
    expect(faults).toEqual([])
  })

  test('a hostile name from a file is text wherever it appears, and no part of a file name', async () => {
    const page = await open({ viewport: { width: 320, height: 640 } })
    const hostile = '"\'><svg onload=alert(1)></title><script>document.title="taken"</script>\n\u202Egnp.exe'
    const keys = [{ key: 'satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA13finxh', name: hostile + 'W'.repeat(10_000) }]
    await page.getByText('Add a key you already have').click()
    const buffer = Buffer.from(JSON.stringify({ keys }))
    await page.locator('#import-file').setInputFiles({ name: '../../evil.json', mimeType: 'application/json', buffer })
    await page.getByRole('radio', { name: '<svg onload=alert(1)>' }).waitFor()
    const { name } = (await stored(page)).keys[0] ?? {}
    expect([...String(name)]).toHaveLength(60)
    await untilText(page, '#try-as', `with the key “${name}”`)
    await action(page, 'Delete').click()
    await untilText(page, '#delete-title', `Delete “${name}”?`)
    await page.keyboard.press('Escape')
    const coming = page.waitForEvent('download')
    await action(page, 'Download').click()
    expect((await coming).suggestedFilename()).toMatch(/^satchel-key-[a-z0-9-]+\.json$/)
    expect(await page.locator('script, svg').count()).toBe(1)
    expect(await page.title()).toBe('Satchel – your keys')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })

  test('the server goes away: that is said in words, and keys are still made, copied and kept', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await stopServer()
    const key = await make(page, 'Made alone')
    await untilText(page, '#usage', 'The server cannot be reached. This does not touch your keys.')
    await action(page, 'Copy').click()
    await action(page, 'Copied').waitFor()
    expect(await pasted(page)).toBe(key)
    await send(page)
    await untilText(page, '#answer-words', 'The server cannot be reached. Nothing is known about the request.')
    expect((await stored(page)).keys).toEqual([expect.objectContaining({ key, saved: true })])
  })
})
