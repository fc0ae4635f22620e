/** What is typed and was not added or sent, also after a crash. What several tabs keep of it is in test/app/tabs.test.ts. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeKey } from '../support/keys'
import { type Ask, appSession, crash, keepKeys, type Shown, until } from './app-session'

const { openApp, key } = appSession()

const box = (page: Page) => page.getByRole('dialog', { name: 'Quick add' }).locator('textarea')

async function openBox(page: Page): Promise<string> {
  await page.locator('h1').click()
  await page.keyboard.press('q')
  return box(page).inputValue()
}

async function leaveInBox(page: Page, text: string): Promise<void> {
  await openBox(page)
  await box(page).fill(text)
  await page.keyboard.press('Escape')
  await box(page).waitFor({ state: 'detached' })
}

const untilValue = (field: () => Promise<string>, wanted: string) => until(field, (value) => value === wanted)

/** Does something, and holds the request that comes of it until what this resolves with is called. */
async function holdNext(page: Page, pattern: string, act: () => Promise<void>): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(pattern, (route) => promise.then(() => route.continue()), { times: 1 })
  const asked = page.waitForRequest(pattern)
  await act()
  await asked
  return resolve
}

test('the box keeps what was typed: behind its beginning, while a card is made, and for a key that is removed', async () => {
  const { page, ask } = await openApp('#/tasks/label/home', (ask) =>
    ask('POST', 'api/tasks', { title: 'Sweep', labels: ['home'] }),
  )
  // What opens the box is no draft until something is typed behind it.
  for (const typed of ['', 'Dust']) {
    await page.locator('.add-line').click()
    expect(await box(page).inputValue()).toBe('@home ')
    await page.keyboard.type(typed)
    await page.keyboard.press('Escape')
    expect(await openBox(page)).toBe(typed && `@home ${typed}`)
    await page.keyboard.press('Escape')
  }

  const goOn = await holdNext(page, '**/api/flashcards/decks', async () => {
    await openBox(page)
    await box(page).fill('Peru :: Lima')
    await page.keyboard.press('Enter')
  })
  await box(page).fill('')
  await page.keyboard.type('Buy rye')
  goOn()
  await page.locator('.notice-bar', { hasText: 'Added a card' }).waitFor()
  expect(await box(page).inputValue()).toBe('Buy rye')

  // The card is there before the network ends: only the task waits for it.
  await until(
    () => ask('GET', 'api/flashcards/facts'),
    ({ items }) => items.length === 1,
  )
  await page.context().route('**/api/**', (route) => route.abort())
  await page.keyboard.press('Enter')
  await page.getByText('One change waits for the server').waitFor()
  await page.keyboard.press('Escape')
  const keyPage = await page.context().newPage()
  await keyPage.goto(new URL('..', page.url()).href)
  await keepKeys(keyPage, makeKey(2), key())
  await page.goto(new URL('#/settings', page.url()).href)
  await page.getByRole('group', { name: 'Key 1' }).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('A change has not reached the server yet.').waitFor()
})

const DECK = '01980000-0000-7000-8000-0000000000e0'
const FACT = '01980000-0000-7000-8000-0000000000f0'
const NOTE = '01980000-0000-7000-8000-0000000000a0'

async function addCardAndNote(ask: Ask) {
  await ask('POST', 'api/flashcards/decks', { id: DECK, name: 'Rivers' })
  await ask('POST', 'api/flashcards/facts', { id: FACT, deck_id: DECK, type: 'basic', front: 'Vienna?', back: 'Rhine' })
  await ask('POST', 'api/notes', { id: NOTE, body: 'Tagus :: Lisbon\nSeine :: Paris\n' })
}
const factOf = async (ask: Ask) => {
  const { front, back } = await ask('GET', `api/flashcards/facts/${FACT}`)
  return { front, back }
}

/** The fields of a card, and the address that shows them. */
const CARDS = `#/study/deck/${DECK}`
const added = (page: Page) => page.locator('.study-add')
const edited = (page: Page) => page.getByRole('dialog', { name: 'Edit the card' })
const question = (fields: ReturnType<typeof added>) => fields.getByLabel('Question', { exact: true })
const answer = (fields: ReturnType<typeof added>) => fields.getByLabel('Answer', { exact: true })

/** Kills a tab, and opens its address in another. */
async function openAgain(page: Page): Promise<Page> {
  const [context, address] = [page.context(), page.url()]
  await crash(page)
  const next = await context.newPage()
  await next.goto(address)
  await next.locator('main h1').first().waitFor()
  return next
}

test('after a crash a begun card, a question to the chat and the text of the box are there; a card that is sent cannot be typed into', async () => {
  const { page, ask } = await openApp('#/chat', addCardAndNote)
  await page.getByLabel('Ask, or say what to do').fill('Which river?')
  await page.goto(`${page.url().split('#')[0]}${CARDS}`)
  await added(page).waitFor()
  await leaveInBox(page, 'Buy rye')
  await page.keyboard.press('n')
  await added(page).getByText('Both ways').click()
  await question(added(page)).fill('Budapest?')
  const next = await openAgain(page)
  await untilValue(() => question(added(next)).inputValue(), 'Budapest?')
  expect(await openBox(next)).toBe('Buy rye')
  await next.keyboard.press('Escape')
  await answer(added(next)).fill('Danube')
  const goOn = await holdNext(next, '**/api/flashcards/facts?*', () => answer(added(next)).press('Control+Enter'))
  await next.keyboard.type(', or Duna')
  expect(await answer(added(next)).inputValue()).toBe('Danube')
  goOn()
  await untilValue(() => answer(added(next)).inputValue(), '')
  await next.locator('.study-add textarea:focus').waitFor()
  await next.keyboard.type('Belgrade?')
  expect(await question(added(next)).inputValue()).toBe('Belgrade?')
  await question(added(next)).fill('')
  await next.locator('.study-cards li', { hasText: 'Budapest?' }).first().waitFor()
  const { items } = await ask('GET', `api/flashcards/facts?deck_id=${DECK}`)
  expect(items.map(({ type }: Shown) => type).sort()).toEqual(['basic', 'reversed'])
  await next.goto(`${next.url().split('#')[0]}#/chat`)
  const last = await openAgain(next)
  await untilValue(() => last.getByLabel('Ask, or say what to do').inputValue(), 'Which river?')
  await last.goto(`${last.url().split('#')[0]}${CARDS}`)
  await last.locator('.study-cards li').first().waitFor()
  expect([await question(added(last)).inputValue(), await answer(added(last)).inputValue()]).toEqual(['', ''])
})

test('a change of a card waits for its dialog to be opened again, and is not put over another one unseen', async () => {
  const { page, ask } = await openApp(CARDS, addCardAndNote)
  const edit = (page: Page) => page.getByRole('button', { name: 'Edit Vienna?' }).click()
  const warning = (page: Page) => page.getByText('The card was changed elsewhere')
  await edit(page)
  await answer(edited(page)).fill('Danube')
  await page.keyboard.press('Escape')
  await edit(page)
  expect([await answer(edited(page)).inputValue(), await warning(page).count()]).toEqual(['Danube', 0])
  await ask('PATCH', `api/flashcards/facts/${FACT}`, { back: 'Donau' })
  await edited(page).getByRole('button', { name: 'Save' }).click()
  await edited(page).locator('.fault:not(:empty)').waitFor()
  expect(await factOf(ask)).toEqual({ front: 'Vienna?', back: 'Donau' })
  const next = await openAgain(page)
  await edit(next)
  await warning(next).waitFor()
  expect(await answer(edited(next)).inputValue()).toBe('Danube')
  await edited(next).getByRole('button', { name: 'Save' }).click()
  await edited(next).waitFor({ state: 'detached' })
  expect(await factOf(ask)).toEqual({ front: 'Vienna?', back: 'Danube' })
  await edit(next)
  await question(edited(next)).fill('Linz?')
  await edited(next).getByRole('button', { name: 'Cancel' }).click()
  await edit(next)
  expect([await question(edited(next)).inputValue(), await warning(next).count()]).toEqual(['Vienna?', 0])
})

test('what was decided and edited of the cards of a note is there again, until the note is another', async () => {
  const { page, ask } = await openApp(`#/study/from-note/${NOTE}`, addCardAndNote)
  const rows = (page: Page) => page.locator('.study-draft')
  await rows(page).first().waitFor()
  await page.keyboard.press('a')
  await page.keyboard.press('e')
  await answer(rows(page).last()).fill('Paris, Rouen')
  const next = await openAgain(page)
  await rows(next).last().getByText('Paris, Rouen').waitFor()
  await next.getByText('1 of 2 taken').waitFor()
  const OTHER = '01980000-0000-7000-8000-0000000000a1'
  await ask('POST', 'api/notes', { id: OTHER, body: 'Arno :: Florence\n' })
  const show = (note: string) => next.goto(`${next.url().split('#')[0]}#/study/from-note/${note}`)
  await show(OTHER)
  await rows(next).getByText('Florence').waitFor()
  await next.keyboard.press('a')
  await next.getByText('1 of 1 taken').waitFor()
  await show(NOTE)
  await rows(next).last().getByText('Paris, Rouen').waitFor()
  await ask('PATCH', `api/notes/${NOTE}`, { body: 'Tagus :: Lisbon\nSeine :: Rouen\n' })
  await next.reload()
  await rows(next).last().getByText('Rouen', { exact: true }).waitFor()
  await next.getByText('0 of 2 taken').waitFor()
})

test('the chat and the editor have the focus in their field as soon as that is shown', async () => {
  const { page } = await openApp('', addCardAndNote)
  await page.getByText('Note of the day').waitFor()
  const untilFocused = ([address, field]: readonly [string, string]) =>
    new Promise((resolve) => {
      new MutationObserver(() => {
        if (document.querySelector(field)) resolve(document.querySelector(`${field} :focus`)?.localName)
      }).observe(document.body, { childList: true, subtree: true })
      location.hash = address
    })
  expect(await page.evaluate(untilFocused, ['#/chat', '.composer'] as const)).toBe('textarea')
  expect(await page.evaluate(untilFocused, [`#/notes/${NOTE}?edit=1`, '.note-edit'] as const)).toBe('textarea')
})
