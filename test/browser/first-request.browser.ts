import { describe, expect, test } from 'bun:test'
import { action, browserSession, make, send, stored, untilAnswer, untilUsage } from './session'
import { picture, startServer, untilText } from './support'

const { open } = browserSession({}, startServer)

describe('the first request', () => {
  test('with a key writes a note, shows the answer with its limits and what is left, and the chat finds it', async () => {
    const page = await open()
    const key = await make(page, 'First')
    await page.getByLabel('Title').fill('House')
    const asked = page.waitForRequest('**/api/notes')
    await send(page)
    const request = await asked
    // The key is in X-API-Key and nowhere else.
    const { 'x-api-key': sent, ...others } = await request.allHeaders()
    expect(sent).toBe(key)
    expect(JSON.stringify([request.url(), request.postData(), others])).not.toContain(key)
    await untilText(page, '#answer-words', '201 Created.')
    await untilAnswer(page, 'X-RateLimit-Remaining: 998')
    await untilUsage(
      page,
      /^998 of 1,000 requests left this hour; full again in (less than a|\d\d?) minutes?, at \d\d:\d\d\.$/,
    )

    await page.getByText('Ask the chat', { exact: true }).click()
    await send(page)
    await page.locator('#answer-words', { hasText: 'The boiler warranty ends on 3 May 2027.' }).waitFor()
    await page.getByText('List notes').click()
    await send(page)
    await untilUsage(page, '996 of 1,000')
    await untilAnswer(page, '"House"')
    await picture(page, 'first-request')
    await page.getByRole('radio', { name: 'Without a key' }).check()
    expect(await page.locator('#answer').isVisible()).toBe(false)
  })

  test('without a key is free, and a refusal is told in the words of the server', async () => {
    const page = await open()
    await send(page)
    await untilAnswer(page, 'X-RateLimit-Remaining: 19')
    await page.evaluate(async () => {
      for (let call = 0; call < 19; call++) await fetch('/api/notes')
    })
    await send(page)
    await untilAnswer(page, '429 Too Many Requests')
    expect(await page.locator('#answer-words').textContent()).toContain('Slow down, or add an API key')
    expect(await page.locator('#answer-body').textContent()).toContain('"code": "rate_limited"')
    await untilUsage(page, 'The 20 requests of this hour are used up.')
    await picture(page, 'refused')
  })

  test('with an answer of another make shows it as it came', async () => {
    const page = await open()
    const title = '<img src=x onerror=alert(1)>'
    for (const json of [{ title }, null, 'a text', { message: null }, { message: { content: 3 } }, [null]]) {
      await page.route('**/api/notes', (route) => route.fulfill({ status: 200, json }), { times: 1 })
      await page.locator('#answer-words').evaluate((words) => words.replaceChildren())
      await send(page)
      await untilText(page, '#answer-words', '200 OK.')
      if (json !== null) await untilAnswer(page, typeof json === 'string' ? json : JSON.stringify(json, null, 2))
    }
    expect(await page.locator('main img').count()).toBe(0)
  })

  test('as a program shows a masked key and copies the whole one', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const key = await make(page)
    for (const language of ['curl', 'TypeScript', 'Python']) {
      await page.locator('#languages').getByText(language).click()
      expect(await page.locator('#program').textContent()).not.toContain(key)
      await page.locator('#copy-program').click()
      await untilText(page, '#said', language === 'TypeScript' ? 'Copied. ' : 'Copied.')
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(key)
    }
  })
})

describe('when something is missing', () => {
  test('the server: said in words, keys stay, and trying again works; a slow answer can be stopped', async () => {
    const page = await open()
    await page.route('**/api/**', (route) => route.abort())
    await make(page, 'Safe')
    await untilText(page, '#usage', 'The server cannot be reached. This does not touch your keys.')
    await send(page)
    await untilText(page, '#answer-words', 'The server cannot be reached. Nothing is known about the request.')
    await picture(page, 'unreachable')
    await page.unroute('**/api/**')
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await untilUsage(page, '1,000 requests left')
    expect((await stored(page)).keys).toHaveLength(1)

    // An answer that is not its own is shown as text.
    const body = '<h1>Bad gateway</h1><script>document.title = "taken"</script>'
    await page.route('**/api/notes', (route) => route.fulfill({ status: 502, contentType: 'text/html', body }))
    await send(page)
    await page.locator('#answer-words', { hasText: 'The server answered 502' }).waitFor()
    expect(await page.locator('#answer-body').textContent()).toEndWith(body)
    expect(await page.title()).not.toBe('taken')
    await page.unroute('**/api/notes')

    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/api/notes', async (route) => {
      await promise
      await route.abort()
    })
    await send(page)
    await page.getByRole('button', { name: 'Stop' }).click()
    await untilText(page, '#answer-words', 'Stopped. The server may have received the request.')
    resolve()
  })

  test('a copy: the page asks before it is left, and does not once there is one', async () => {
    const page = await open()
    await make(page)
    const asked = page.waitForEvent('dialog')
    const leaving = page.close({ runBeforeUnload: true })
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await leaving
    await action(page, 'Copy').click()
    await action(page, 'Copied').waitFor()
    let askedAgain = false
    page.on('dialog', (again) => {
      askedAgain = true
      return again.accept()
    })
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
    expect(askedAgain).toBe(false)
  })
})
