/** The notes of the app: the list and its search, a note to read and to edit, and what belongs to it. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession, goTo, sendAgain, until } from './app-session'
import { expectAccessible } from './support'

const { openApp } = appSession()

const PORTO = '01980000-0000-7000-8000-000000000001'
const PLAN = '01980000-0000-7000-8000-000000000002'
const BODY = `# Trip to Porto

The train leaves at nine, see [[Packing list]].

## To do

- [ ] book the #train
- [x] call Ana

## Costs

| What | How much |
| --- | ---: |
| Train | 49 € |
`

async function fill(ask: Ask) {
  const add = (title: string, more: object) => ask('POST', 'api/notes', { title, ...more })
  await add('Trip to Porto', { id: PORTO, body: BODY, folder: 'Travel/Portugal', tags: ['travel'] })
  await add('Packing list', {
    id: PLAN,
    body: 'For [[Trip to Porto]]: the blue bag, shoes, and a charger.\n',
    folder: 'Travel',
    tags: ['travel/parcels'],
    pinned: true,
  })
  await add('Bread', { body: 'Flour, water, salt. Twelve hours in the cold.', tags: ['kitchen'] })
  await add(`${'unbroken'.repeat(60)}`, {
    body: `<b onclick="x()">bold</b> ‮reversed‬ ${'x'.repeat(500)}`,
    tags: ['ünïcode'],
  })
  await ask('PATCH', `api/notes/${PORTO}`, { body: BODY.replace('nine', 'ten') })
}

/** What is marked in the rows. */
const found = async (page: Page) => {
  const marked = await page.waitForFunction(() => {
    const texts = [...(CSS.highlights.get('found') ?? [])].map(({ startContainer, startOffset, endOffset }) =>
      startContainer.textContent?.slice(startOffset, endOffset),
    )
    return texts.length > 0 && texts
  })
  return marked.jsonValue()
}

test('the notes have no fault that axe finds, and fit any window', async () => {
  const { page } = await openApp('#/notes', fill)
  const look = (part: string) => expectAccessible(page, `app-notes-${part}`)
  await page.getByLabel('Search notes').fill('tra')
  expect(await found(page)).toContain('Tra')
  await page.getByText('notes found').waitFor()
  await look('list')
  // It is the first once the server has answered, whose order is another than that of the copy.
  await page.locator('.note-row:first-child .note-title', { hasText: 'Trip to Porto' }).click()
  await page.getByRole('heading', { name: 'To do' }).waitFor()
  // From below, so that what opens moves none that is still to be clicked.
  for (const part of ['History', 'Linked from', 'Tags and folder']) {
    const section = page.locator('.note-section', { has: page.getByText(part, { exact: true }) })
    if ((await section.getAttribute('open')) === null) await section.locator('summary').click()
  }
  await page.getByText('the blue bag').waitFor()
  await page.locator('.note-history button').first().click()
  await page.getByText('Restore this version').waitFor()
  await look('note')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Text of the note').waitFor()
  await look('edit')
})

const text = (page: Page) => page.getByLabel('Text of the note')
const NEVER = '01980000-0000-7000-8000-0000000000ff'

test('a note that is found shows where, in its folder and its tags alone, and follows what another device does', async () => {
  const { page, ask } = await openApp('#/notes', fill)
  for (const [query, facts, marks] of [
    ['parcels', 'Pinned · Today · ⁨Travel⁩ · ⁨#travel/parcels⁩', ['parcels']],
    ['portugal', 'Today · ⁨Travel/Portugal⁩ · ⁨#train⁩ · ⁨#travel⁩', ['Portugal']],
    ['kitchen', 'Today · ⁨#kitchen⁩', ['kitchen']],
  ] as const) {
    await page.getByLabel('Search notes').fill(query)
    await page.locator('.row-facts', { hasText: marks[0] }).waitFor()
    await page.getByText('One note found.').waitFor()
    expect(await page.locator('.row-facts').first().textContent()).toBe(facts)
    expect(await found(page)).toEqual([...marks])
    // The query is kept in the address, half a second after it was typed.
    await page.waitForURL((url) => url.hash.includes(query))
  }
  await ask('POST', 'api/notes', {
    title: 'Dough',
    body: `${'Knead it. '.repeat(30)}\n\n> [!tip] Rest\n> a ==long nap== at $t_0$[^1]\n\n[^1]: In the cold`,
  })
  await page.getByLabel('Search notes').fill('nap')
  await page.locator('.note-excerpt', { hasText: /Rest a long nap at t_0 In the cold$/ }).waitFor()
  await page.getByText('One note found.').waitFor()
  expect(await found(page)).toEqual(['nap'])
  await page.getByLabel('Search notes').fill('bread')
  const row = page.locator('.note-row', { hasText: 'Rye bread' })
  await page.locator('.note-row', { hasText: 'Bread' }).waitFor()
  const { id } = await ask('POST', 'api/notes', { title: 'Rye bread' })
  await row.waitFor()
  await ask('DELETE', `api/notes/${id}`)
  await row.waitFor({ state: 'detached' })
})

test('by keyboard alone one finds, reads, edits, checks, writes and deletes a note, and takes that back', async () => {
  const { page, ask } = await openApp('#/notes', fill)
  const { keyboard } = page
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  await page.locator('.note-row').nth(3).waitFor()
  await keyboard.press('j')
  expect(await focused()).toContain('Packing list')
  await keyboard.press('j')
  await keyboard.press('k')
  expect(await focused()).toContain('Packing list')
  await keyboard.press('/')
  await keyboard.type('bread')
  await page.getByText('One note found.').waitFor()
  expect(await found(page)).toContain('Bread')
  await keyboard.press('ArrowDown')
  expect(await focused()).toContain('Bread')
  await keyboard.press('Enter')
  await page.locator('article', { hasText: 'Twelve hours in the cold.' }).waitFor()
  await keyboard.press('e')
  await text(page).waitFor()
  await keyboard.press('Control+End')
  await keyboard.type(' And then it is baked.\n\n- [ ] buy yeast')
  await keyboard.press('Escape')
  await page.getByRole('checkbox', { name: 'buy yeast' }).focus()
  await keyboard.press('Space')
  await keyboard.press('Escape')
  await page.getByLabel('Search notes').waitFor()
  const [bread] = (await ask('GET', 'api/notes?title=Bread')).items
  const written = await until(
    () => ask('GET', `api/notes/${bread?.id}`),
    ({ body }) => String(body).includes('[x]'),
  )
  expect(String(written.body)).toBe(
    'Flour, water, salt. Twelve hours in the cold. And then it is baked.\n\n- [x] buy yeast',
  )
  // The search is still there, and so is what was selected.
  expect(await page.getByLabel('Search notes').inputValue()).toBe('bread')
  await keyboard.press('n')
  await page.getByLabel('Title').fill('Rye bread')
  // It takes the place of the textarea, which closes what completes a link.
  await page.locator('.cm-content').waitFor()
  await keyboard.press('Enter')
  await keyboard.type('See [[Bre')
  await page.getByRole('option', { name: 'Bread', exact: true }).waitFor()
  await keyboard.press('Enter')
  await keyboard.press('Control+k')
  await keyboard.type('stop editing')
  await keyboard.press('Enter')
  await page.locator('.markdown a', { hasText: 'Bread' }).waitFor()
  await keyboard.press('Control+k')
  await keyboard.type('delete the note')
  await keyboard.press('Enter')
  await page.getByText('Deleted “Rye bread”.').waitFor()
  await keyboard.press('z')
  await page.getByText('Undone: Deleted “Rye bread”.').waitFor()
  await page.locator('.note-row', { hasText: 'Rye bread' }).waitFor()
})

test('the list stays beside an open note where there is room, with its search and its place', async () => {
  const { page } = await openApp('#/notes', fill, { viewport: { width: 1700, height: 900 } })
  await page.getByLabel('Search notes').fill('the')
  await page.locator('.note-row').getByText('Packing list').first().click()
  await page.getByRole('heading', { level: 1, name: 'Packing list' }).waitFor()
  await page.locator('.note-row .selected', { hasText: 'Packing list' }).waitFor()
  expect(await page.getByLabel('Search notes').inputValue()).toBe('the')
  await expectAccessible(page, 'app-notes-beside')
  await page.setViewportSize({ width: 1700, height: 900 })
  await page.getByLabel('Search notes').fill('porto')
  await page.locator('.note-row').getByText('Trip to Porto').first().click()
  await page.getByRole('heading', { level: 1, name: 'Trip to Porto' }).waitFor()
  await page.setViewportSize({ width: 1200, height: 900 })
  await page.getByLabel('Search notes').waitFor({ state: 'detached' })
  await page.locator('.note-back').getByRole('link', { name: 'Notes' }).click()
  await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor()
  expect(await page.getByLabel('Search notes').inputValue()).toBe('porto')
})

test('a new note that is stored while its title is typed stays as it is, with the focus where it was', async () => {
  const { page, ask } = await openApp('#/notes', fill)
  await page.locator('.note-row').first().waitFor()
  await page.keyboard.press('n')
  // At once: no letter of it is a shortcut.
  await page.keyboard.type('Rye')
  await page.getByRole('heading', { name: 'Edit Rye' }).waitFor()
  await page.keyboard.type(' bread')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Rye bread', exact: true }).waitFor()
  const made = await until(
    () => ask('GET', 'api/notes?include=body&title=Rye%20bread'),
    ({ items }) => items.length > 0,
  )
  expect(made.items).toMatchObject([{ body: '' }])

  // What is typed is sent whole if one goes elsewhere before the note was sent.
  await page.keyboard.press('Escape')
  await page.locator('.note-row').first().waitFor()
  await page.keyboard.press('n')
  await page.getByLabel('Title', { exact: true }).fill('Oats')
  await page.getByRole('heading', { name: 'Edit Oats' }).waitFor()
  await text(page).click()
  await page.keyboard.insertText('Flour')
  await goTo(page, '#/tasks')
  await until(
    () => ask('GET', 'api/notes?include=body&title=Oats'),
    ({ items }) => items[0]?.body === 'Flour',
  )
})

test('folders, tags, the archive and the trash show what belongs there', async () => {
  const { page } = await openApp('#/notes', fill)
  const titles = () => page.locator('.note-row .note-title').allTextContents()
  const filters = page.getByRole('navigation', { name: 'Folders and tags' })
  // A list puts what is searched into its address after 500 ms: here, when a link was followed that the page is not told of yet …
  const due = await page.evaluateHandle(() => {
    const [later, runs] = [window.setTimeout, [] as (() => void)[]]
    const hold = (run: () => void, wait?: number) => (wait === 500 ? runs.push(run) && 0 : later(run, wait))
    window.setTimeout = hold as typeof window.setTimeout
    return runs
  })
  await filters.getByRole('link', { name: 'Travel 2', exact: true }).click()
  await page.getByText('In Travel').waitFor()
  expect(await titles()).toEqual(['Packing list', 'Trip to Porto'])
  const address = await filters.getByRole('link', { name: 'Portugal 1', exact: true }).getAttribute('href')
  await due.evaluate((runs, address) => {
    location.hash = address
    runs.at(-1)?.()
  }, address ?? '')
  await page.getByText('In Travel/Portugal').waitFor()
  // … and when another list is open, which is not drawn yet.
  await due.evaluate(([run]) => run?.())
  expect(page.url()).toEndWith(address ?? '?')
  expect(await titles()).toEqual(['Trip to Porto'])
  await filters.getByRole('link', { name: '#travel 2', exact: true }).click()
  await page.getByText('Tagged #travel').waitFor()
  expect(await titles()).toEqual(['Packing list', 'Trip to Porto'])
  await page.locator('.note-row a').nth(1).click()
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await page.getByText('Archived “Trip to Porto”.').waitFor()
  await page.goto(`${page.url().split('#')[0]}#/notes?archived=1`)
  await page.locator('.note-row', { hasText: 'Trip to Porto' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('The archive is empty.').waitFor()
  await filters.getByRole('link', { name: 'Trash' }).click()
  expect(page.url()).toEndWith('#/settings/trash')
  await page.getByRole('link', { name: 'Trip to Porto' }).click()
  await page.getByText('This note is in the trash.').waitFor()
  expect(await page.getByRole('checkbox', { name: 'book the #train' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Restore it' }).click()
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await page.goto(`${page.url().split('#')[0]}#/notes/${NEVER}`)
  await page.getByText('It was erased, or the address is wrong.').waitFor()
})

const HOSTILE = `# Hostile

<script>ran = 1</script><img src=x onerror="ran = 2"><iframe srcdoc="<script>parent.ran = 3</script>"></iframe>
<a href="javascript:ran = 4">one</a> [two](javascript:ran=5) ![three](https://evil.example/x.png) <svg onload="ran = 6">
[[javascript:ran=7]] [four](data:text/html,<script>ran=8</script>) <style>@import "https://evil.example/x.css"</style>
<form action="https://evil.example/"><button>five</button></form> ‮reversed‬ ${'w'.repeat(500)}

- [ ] <b onclick="ran = 9">six</b>
`

test('a hostile note runs nothing and asks no other host, to read, to edit and in its history', async () => {
  const { page, ask } = await openApp('#/notes', async (ask) => {
    await ask('POST', 'api/notes', {
      id: NEVER,
      title: '<img src=x onerror="ran = 0">',
      body: HOSTILE,
      tags: ['"><script>ran=1</script>'],
    })
    await ask('PATCH', `api/notes/${NEVER}`, { body: HOSTILE.replace('six', 'seven') })
  })
  await page.getByLabel('Search notes').fill('hostile')
  await page.getByText('One note found.').waitFor()
  await page.locator('.note-row a').click()
  await page.getByRole('heading', { name: 'Hostile' }).waitFor()
  for (const link of await page.locator('.markdown a, .markdown button').all())
    if (/^(?:one|two|four|five)/.test((await link.textContent()) ?? '')) await link.click()
  await page.getByText('History').click()
  await page.locator('.note-history button').first().click()
  await page.locator('.note-diff .added', { hasText: 'seven' }).waitFor()
  await page.keyboard.press('e')
  await text(page).pressSequentially('<script>ran = 10</script>')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false)
  await until(
    () => ask('GET', `api/notes/${NEVER}`),
    ({ body }) => String(body).includes('ran = 10'),
  )
})

test('an earlier version comes back with all of it, and undo takes that back', async () => {
  const { page, ask } = await openApp(`#/notes/${PORTO}`, fill)
  await page.locator('.markdown').getByText('The train leaves at ten').waitFor()
  await page.getByText('History').click()
  await page.locator('.note-history button').click()
  await page.locator('.note-diff .removed', { hasText: 'nine' }).waitFor()
  await page.getByRole('button', { name: 'Restore this version' }).click()
  await page.locator('.markdown').getByText('The train leaves at nine').waitFor()
  expect(String((await ask('GET', `api/notes/${PORTO}`)).body)).toBe(BODY)
  await page.locator('.notice-bar').getByRole('button', { name: 'Undo' }).click()
  await page.locator('.markdown').getByText('The train leaves at ten').waitFor()
  await until(
    () => ask('GET', `api/notes/${PORTO}`),
    ({ body }) => String(body).includes('ten'),
  )
  await page.locator('.markdown').getByRole('link', { name: 'Packing list' }).click()
  await page.getByRole('heading', { name: 'Packing list' }).waitFor()
  await page.getByText('the blue bag').waitFor()
})

test('the caret opens in the paragraph that was read, also among equal ones, and is in view', async () => {
  const part = (n: number, word = '') =>
    `## ${word}Part\n\n- [ ] the **same** words, [as here](https://example.org/${n})\n`
  const { page, ask } = await openApp(`#/notes/${NEVER}`, (ask) =>
    ask('POST', 'api/notes', {
      id: NEVER,
      title: 'Long',
      body: Array.from({ length: 60 }, (_, n) => part(n)).join('\n'),
    }),
  )
  const heading = page.locator('.markdown').getByRole('heading', { name: 'Part' }).nth(30)
  await heading.evaluate((one) => one.scrollIntoView())
  await page.keyboard.press('e')
  await page.locator('.cm-content').waitFor()
  await page.keyboard.type('All ')
  const top = await page.locator('.cm-line', { hasText: 'All' }).evaluate((line) => line.getBoundingClientRect().top)
  expect(top).toBeWithin(0, 720)
  await until(
    () => ask('GET', `api/notes/${NEVER}`),
    ({ body }) => String(body).includes(part(30, 'All ')),
  )
})

/** One green dot. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC'

test('pictures that are dropped anywhere on a note are stored and shown at its end', async () => {
  const { page, ask } = await openApp(`#/notes/${PLAN}`, fill)
  const drop = (selector: string) =>
    page.locator(selector).evaluate((place, bytes) => {
      const data = new DataTransfer()
      const file = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))
      data.items.add(new File([file], 'image.png', { type: 'image/png' }))
      place.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }))
    }, PNG)
  await page.getByText('the blue bag').waitFor()
  await drop('article h1')
  await page.getByText(/^!\[\[Pasted [^\]]*\.png\]\]/).waitFor()
  await page.getByLabel('Title', { exact: true }).focus()
  await drop('.note-title-field')
  await until(
    () => ask('GET', `api/notes/${PLAN}`),
    ({ body }) => /a charger\.\n(?:!\[\[Pasted [^\]]*\.png\]\]\n?){2}$/.test(String(body)),
  )
  await page.keyboard.press('Escape')
  const shown = page.locator('.markdown img').first()
  await shown.waitFor()
  await until(
    () => shown.evaluate((img: HTMLImageElement) => img.naturalWidth),
    (width) => width === 1,
  )
  const { items } = await ask('GET', 'api/notes/attachments')
  expect(items).toMatchObject(Array(2).fill({ folder: 'Travel', content_type: 'image/png' }))
  // Another page reads it with the key.
  await page.reload()
  await until(
    () => shown.evaluate((img: HTMLImageElement) => img.naturalWidth),
    (width) => width === 1,
  )
})

test('of what was typed when the page was killed at most a second is lost', async () => {
  const { page, ask } = await openApp(`#/notes/${PLAN}?edit=1`, fill)
  await page.route('**/batch', (route) => route.abort())
  await text(page).press('Control+End')
  await page.keyboard.type('typed and not sent')
  expect(await page.evaluate(isStoredWithin, ['typed and not sent', 1000] as const)).toBe(true)
  const session = await page.context().newCDPSession(page)
  const next = await page.context().newPage()
  session.send('Page.crash').catch(() => {})
  await next.goto(page.url())
  await text(next).getByText('typed and not sent').waitFor()
  // Right before the page is loaded again nothing is lost.
  await next.context().route('**/api/**', (route) => route.abort())
  await text(next).press('Control+End')
  await next.keyboard.insertText(', but stored')
  await next.evaluate(() => location.reload())
  await text(next).getByText('typed and not sent, but stored').waitFor()
  await next.context().unroute('**/api/**')
  await sendAgain(next)
  await until(
    () => ask('GET', `api/notes/${PLAN}`),
    ({ body }) =>
      String(body) === 'For [[Trip to Porto]]: the blue bag, shoes, and a charger.\ntyped and not sent, but stored',
  )
})

/**
 * Whether the writes that the browser keeps have a text within so many milliseconds, by the timers of the page: those of the
 * app wait for the processor as well. Runs in the page.
 */
async function isStoredWithin([text, withinMs]: readonly [string, number]): Promise<boolean> {
  let isOver = false
  setTimeout(() => {
    isOver = true
  }, withinMs)
  const all = await indexedDB.databases()
  const name = all.find((each) => each.name?.startsWith('satchel '))?.name ?? ''
  const wait = <Result>(request: IDBRequest<Result>) =>
    new Promise<Result>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const db = await wait(indexedDB.open(name))
  for (let isLast = false; ; isLast = isOver) {
    const writes = await wait(db.transaction('writes').objectStore('writes').getAll())
    const isStored = JSON.stringify(writes).includes(text)
    if (!isStored && !isLast) continue
    db.close()
    return isStored
  }
}

test('a note that changes elsewhere is shown as it is then; what was typed into the older one is kept beside it', async () => {
  const { page, ask } = await openApp(`#/notes/${PLAN}`, fill)
  await page.getByText('the blue bag').waitFor()
  await ask('PATCH', `api/notes/${PLAN}`, { body: 'From elsewhere, while it was read.' })
  await page.getByText('while it was read').waitFor()
  await page.keyboard.press('e')
  await ask('PATCH', `api/notes/${PLAN}`, { body: 'From elsewhere, while it was edited.' })
  await text(page).getByText('while it was edited').waitFor()
  await page.route('**/batch', (route) => route.abort())
  await text(page).press('Control+End')
  await page.keyboard.type(' Typed here.')
  await ask('PATCH', `api/notes/${PLAN}`, { body: 'From elsewhere, at the same time.' })
  await page.unroute('**/batch')
  await page.getByText('was changed elsewhere while you changed it here').waitFor({ timeout: 15_000 })
  // One goes on to type where the text is.
  await page.keyboard.type(' And more.')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Packing list (conflicting copy)' }).waitFor()
  await page.getByText('while it was edited. Typed here. And more.').waitFor()
  await page.locator('.notice').getByRole('link', { name: 'Packing list' }).click()
  await page.getByText('at the same time').waitFor()
  const found = await until(
    () => ask('GET', 'api/notes?include=body&title=Packing%20list%20(conflicting%20copy)'),
    ({ items }) => JSON.stringify(items).includes('And more'),
  )
  expect(found.items).toMatchObject([{ body: 'From elsewhere, while it was edited. Typed here. And more.' }])
})

test('of 10,000 notes only the rows in the window are drawn, also far down', async () => {
  const { page } = await openApp('#/notes', fill)
  await page.locator('.note-row').first().waitFor()
  await page.evaluate(storeNotes, 10_000)
  await page.reload()
  const field = page.getByLabel('Search notes')
  for (const [query, least] of [
    ['garden', 5],
    ['prepared', 0],
    ['', 5],
  ] as const) {
    await field.fill(query)
    if (least === 0) await page.getByText('No notes found').waitFor()
    else await page.locator('.note-row').nth(least).waitFor()
    expect(await page.locator('.note-row').count()).toBeLessThan(40)
  }
  await until(
    () => page.locator('.note-rows').evaluate((list) => list.clientHeight),
    (height) => height > 1_000_000,
  )
  await page.evaluate(() => scrollTo(0, 500_000))
  await until(
    () => page.locator('.note-row').last().getAttribute('aria-posinset'),
    (place) => Number(place) > 1000,
  )
  expect(await page.locator('.note-row').count()).toBeLessThan(40)
})

/** Adds notes to the copy of the browser, which the server knows nothing of. Runs in the page. */
async function storeNotes(count: number): Promise<void> {
  const all = await indexedDB.databases()
  const name = all.find((each) => each.name?.startsWith('satchel '))?.name ?? ''
  const wait = <Result>(request: IDBRequest<Result>) =>
    new Promise<Result>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const db = await wait(indexedDB.open(name))
  const store = db.transaction('resources', 'readwrite').objectStore('resources')
  const [kept] = await wait(store.getAll())
  const [first] = JSON.parse(kept.json)
  const notes: unknown[] = []
  const words = ['garden', 'bread', 'lisbon', 'zurich', 'meeting', 'plan', 'invoice', 'book']
  const word = (place: number) => words[place % words.length]
  for (let place = 0; place < count; place++) {
    const id = `01990000-0000-7000-8000-${String(place).padStart(12, '0')}`
    const excerpt = Array.from({ length: 28 }, (_, i) => `${word(place * 7 + i * i)}${(place * 31 + i) % 97}`).join(' ')
    const more = { id, title: `Note ${place} ${word(place)}`, folder: `Folder ${place % 40}`, tags: [`t${place % 60}`] }
    notes.push({ ...first, ...more, excerpt, inline_tags: [], pinned: false })
  }
  store.put({ type: 'note', part: 1000, json: JSON.stringify(notes) })
  await new Promise((resolve) => {
    store.transaction.oncomplete = resolve
  })
  db.close()
}
