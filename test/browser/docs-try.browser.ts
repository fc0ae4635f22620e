/** The forms that try the calls of the documentation. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeKey } from '../support/world'
import { browserSession } from './session'
import { expectAccessible, readDownload } from './support'

const { visitAs } = browserSession({ FREE_LIMIT_PER_HOUR: '200' })

/** Puts a key into the storage, as the key page does. */
function keep(page: Page, key: string) {
  const kept = { key, name: 'Laptop', made_at: '2026-03-01T08:15:00.000Z', saved: true }
  return page.evaluate(
    (one) => localStorage.setItem('satchel.keys', JSON.stringify({ keys: [one], chosen: one.key })),
    kept,
  )
}

/** Opens the form of a call. @param path of its page */
async function openForm(page: Page, path: string, call: string) {
  await page.goto(new URL(path, page.url()).href)
  const section = page.locator(`#${call}`)
  await section.locator('.try > summary').click()
  const form = section.locator('form')
  await form.waitFor()
  return { section, form, answer: section.locator('.answer') }
}

type Opened = Awaited<ReturnType<typeof openForm>>

const send = ({ form }: Opened) => form.getByRole('button', { name: 'Send' }).click()
/** Waits for the title of an answer. */
const until = ({ answer }: Opened, title: string) => answer.locator('h4', { hasText: title }).waitFor()

test('axe-core finds nothing wrong with a form and its answer, and nothing sticks out', async () => {
  const page = await visitAs()
  for (const [path, call, title] of [
    ['docs/notes', 'listNotes', '200 OK'],
    ['docs/notes', 'createNote', '201 Created'],
    ['docs/attachments', 'getAttachment', '404 Not Found'],
  ] as const) {
    const opened = await openForm(page, `/${path}`, call)
    const optional = opened.form.getByText('Optional parameters')
    if (await optional.isVisible()) await optional.click()
    await send(opened)
    await until(opened, title)
    await expectAccessible(page, `docs-try-${call}`)
  }
})

describe('a form', () => {
  test('that does not load says so, and loads at the second try', async () => {
    const page = await visitAs()
    await page.goto(new URL('/docs/notes', page.url()).href)
    await page.route('**/docs/forms/notes', (route) => route.abort())
    const section = page.locator('#listNotes')
    await section.locator('.try > summary').click()
    await section.getByText('This did not load').waitFor()
    await page.unroute('**/docs/forms/notes')
    await section.getByRole('button', { name: 'Try again' }).click()
    await section.locator('form').waitFor()
  })

  test('changes the sample as it is typed into, sends what the sample shows, and says that nothing is known without network', async () => {
    const page = await visitAs()
    const opened = await openForm(page, '/docs/notes', 'listNotes')
    expect(await opened.form.textContent()).toContain('without a key: in the free tier')
    const sample = opened.section.locator('.sample[open] code')
    expect(await sample.textContent()).toBe(`curl '${new URL('/api/notes', page.url()).href}'`)
    await opened.form.getByText('Optional parameters').click()
    await opened.form.getByLabel('limit').fill('7')
    await opened.form.getByLabel('tag').fill("home\nnot 'work'")
    await opened.form.getByLabel('pinned').selectOption('true')
    const url = new URL('/api/notes?limit=7&tag=home&tag=not+%27work%27&pinned=true', page.url()).href
    expect(await sample.textContent()).toBe(`curl '${url}'`)
    const [request] = await Promise.all([page.waitForRequest(url), send(opened)])
    expect([request.method(), request.headers()['x-api-key'], request.postData()]).toEqual(['GET', undefined, null])
    await until(opened, '200 OK')
    expect(await opened.answer.textContent()).toMatch(/1\d\d of 200 requests left this hour without a key\./)
    expect(await opened.answer.locator('pre').textContent()).toBe('{\n  "items": [],\n  "next_cursor": null\n}')

    await page.route(url, (route) => route.abort())
    await send(opened)
    await until(opened, 'No answer')
    expect(await opened.answer.textContent()).toContain('may or may not have received')
    await page.unroute(url)
    await send(opened)
    await until(opened, '200 OK')
  })

  test('has the chosen key, whole in the request alone, takes another one when it is chosen elsewhere, and sends JSON alone', async () => {
    const page = await visitAs()
    const key = makeKey(1)
    await keep(page, key)
    const opened = await openForm(page, '/docs/notes', 'createNote')
    await opened.form.getByText('with the key “Laptop”. It may change what is stored there.').waitFor()
    await opened.form.getByLabel('Body').fill('{ "title": "It\'s here", "body": "" }')
    const sample = opened.section.locator('.sample[open] code')
    expect(await sample.textContent()).toEndWith(`--data-raw '{ "title": "It'\\''s here", "body": "" }'`)
    const [request] = await Promise.all([page.waitForRequest('**/api/notes'), send(opened)])
    expect([request.headers()['x-api-key'], request.postDataJSON()]).toEqual([key, { title: "It's here", body: '' }])
    await until(opened, '201 Created')
    expect(await opened.answer.textContent()).toContain('999 of 1,000 requests left this hour with this key.')
    expect(await opened.answer.textContent()).toContain('ETag"1-0"')
    expect(await page.locator('body').textContent()).not.toContain(key)
    const other = await page.context().newPage()
    await other.goto(new URL('/', page.url()).href)
    await other.getByRole('radio', { name: 'Without a key' }).check()
    await opened.form.getByText('without a key').waitFor()
    expect(await sample.textContent()).not.toContain('X-API-Key')
    await page.getByText('The samples have no key').waitFor()

    // What is not JSON is said and not sent; the sample stays as it was.
    const before = await sample.textContent()
    const body = opened.form.getByLabel('Body')
    await body.fill('{ "title": ')
    await send(opened)
    await opened.form.getByText('This is not JSON').waitFor()
    expect(await body.evaluate((one) => [one === document.activeElement, one.ariaInvalid])).toEqual([true, 'true'])
    expect(await sample.textContent()).toBe(before)
    await body.fill('')
    await send(opened)
    await until(opened, '400 Bad Request')
    expect(await sample.textContent()).not.toContain('--data')
  })

  test('erases only when it is told to, in the body', async () => {
    const page = await visitAs()
    for (const [path, call, title] of [
      ['/docs/workspace', 'eraseWorkspace', '204 No Content'],
      ['/docs/trash', 'emptyTrash', '200 OK'],
    ] as const) {
      const opened = await openForm(page, path, call)
      const body = opened.form.getByRole('textbox', { name: 'Body' })
      expect([call, await body.inputValue()]).toEqual([call, '{\n  "confirm": ""\n}'])
      await send(opened)
      await until(opened, '400 Bad Request')
      expect(await opened.answer.textContent()).toContain('erase')
      await body.fill('{ "confirm": "erase" }')
      await send(opened)
      await until(opened, title)
    }
    const other = await openForm(page, '/docs/workspace', 'updateWorkspaceSettings')
    expect(await other.form.getByRole('textbox', { name: 'Body' }).inputValue()).toContain('"Europe/Lisbon"')
  })

  test('says what cannot be sent at all, that a call deletes, and explains a refusal', async () => {
    const page = await visitAs()
    const opened = await openForm(page, '/docs/notes', 'updateNote')
    await opened.form.getByText('Optional parameters').click()
    const header = opened.form.getByLabel('If-Match')
    for (const wrong of ['"1–0"', '"€"', '\u200b"1-0"']) {
      await header.fill(wrong)
      await send(opened)
      await until(opened, 'Not sent')
      expect(await opened.answer.textContent()).not.toContain('may or may not')
    }
    await header.fill('')
    const id = opened.form.getByLabel('id', { exact: false }).first()
    const before = await id.inputValue()
    for (const wrong of ['.', '..']) {
      await id.fill(wrong)
      await send(opened)
      await until(opened, 'Not sent')
    }
    await id.fill(before)
    for (const right of ['"1-0"', '"é"', '*']) {
      await header.fill(right)
      await send(opened)
      await until(opened, '404 Not Found')
    }

    const section = page.locator('#deleteNote')
    await section.locator('.try > summary').click()
    const removing = { section, form: section.locator('form'), answer: section.locator('.answer') }
    await removing.form.getByText('It deletes what is stored there.').waitFor()
    await removing.form.getByLabel('id', { exact: false }).first().fill('')
    await send(removing)
    expect(await removing.answer.isVisible()).toBe(false)
    await removing.form.getByLabel('id', { exact: false }).first().fill('no id')
    await send(removing)
    await until(removing, '400 Bad Request')
    await removing.answer.getByRole('link', { name: 'About invalid_request' }).click()
    await page.waitForURL('**/docs/errors#invalid_request')
  })

  test('is worked by the keyboard alone, and a screen reader hears the answer', async () => {
    const page = await visitAs()
    await page.goto(new URL('/docs/server', page.url()).href)
    const section = page.locator('#getUsage')
    await section.locator('.try > summary').focus()
    await page.keyboard.press('Enter')
    await section.locator('form').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Send')
    await page.keyboard.press('Enter')
    await page.locator('#said', { hasText: '200 OK' }).waitFor({ state: 'attached' })
    expect(await page.locator('#said').textContent()).toContain('requests left this hour')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Send')
  })

  test('offers a file for download, sends one from this computer, and says that there is no content', async () => {
    const page = await visitAs()
    await keep(page, makeKey(2))
    const upload = await openForm(page, '/docs/attachments', 'createAttachment')
    const file = { name: 'my cat.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }
    await upload.form.getByLabel('File').setInputFiles(file)
    const sample = upload.section.locator('.sample[open] code')
    expect(await sample.textContent()).toMatch(/\?name=my\+cat\.png' .*--data-binary '@my cat\.png'$/s)
    await send(upload)
    await until(upload, '201 Created')
    const { id } = JSON.parse((await upload.answer.locator('pre').textContent()) ?? '')
    const get = await openForm(page, '/docs/attachments', 'getAttachment')
    await get.form.getByLabel('id', { exact: false }).first().fill(id)
    await send(get)
    await until(get, '200 OK')
    const [download] = await Promise.all([page.waitForEvent('download'), get.answer.getByText('Download').click()])
    expect(String(await readDownload(download))).toBe('no picture')
    const remove = await openForm(page, '/docs/attachments', 'deleteAttachment')
    await remove.form.getByLabel('id', { exact: false }).first().fill(id)
    await send(remove)
    await until(remove, '204 No Content')
    expect(await remove.answer.textContent()).toContain('No content.')
  })

  test('shows a stream as it comes, until it is stopped', async () => {
    const page = await visitAs()
    const opened = await openForm(page, '/docs/changes', 'streamChanges')
    await send(opened)
    await until(opened, '200 OK')
    await page.evaluate(() =>
      fetch('../api/notes', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"title":"Seen"}',
      }),
    )
    await opened.answer.locator('pre', { hasText: '"type":"note"' }).waitFor()
    await opened.form.getByRole('button', { name: 'Stop' }).click()
    await opened.answer.getByText('Stopped.').waitFor()
    expect(await opened.form.getByRole('button', { name: 'Stop' }).isVisible()).toBe(false)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Send')
  })

  test('is not there without a script', async () => {
    const page = await visitAs({ javaScriptEnabled: false })
    await page.goto(new URL('/docs/notes', page.url()).href)
    expect(await page.locator('.try').first().isVisible()).toBe(false)
    expect(await page.locator('#whose-key').textContent()).toContain('or leave that header out: the free tier')
  })

  test('says when to try again once the hour is used up', async () => {
    const page = await visitAs()
    const opened = await openForm(page, '/docs/notes', 'listNotes')
    await page.evaluate(async () => {
      while ((await fetch('/api/notes')).status !== 429);
    })
    await send(opened)
    await until(opened, '429 Too Many Requests')
    expect(await opened.answer.textContent()).toMatch(
      /0 of 200 requests left this hour without a key\. Try again in \d+ (s|minutes)\./,
    )
  })
})
