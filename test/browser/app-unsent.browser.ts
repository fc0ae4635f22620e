/** What is typed and was not added or sent: of several tabs, of a tab that was killed, and of a key that was removed. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeKey } from '../support/keys'
import { type Ask, appSession, crash, keepKeys, openTab, until } from './app-session'
import { startServer } from './support'

const { openApp } = appSession({ API_LIMIT_PER_HOUR: '100000' }, startServer)

const KEY = makeKey(1)
const box = (page: Page) => page.getByRole('dialog', { name: 'Quick add' }).locator('textarea')
const line = (page: Page) => page.getByLabel('Add to the note of the day')

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
const titles = async (ask: Ask) =>
  ((await ask('GET', 'api/tasks')).items as unknown as { title: string }[]).map(({ title }) => title)

test('each of two tabs keeps what was typed there, and that of a killed tab is in a new one', async () => {
  const { page, ask } = await openApp()
  const other = await openTab(page)
  await leaveInBox(page, 'Buy rye')
  await line(page).fill('It rained')
  expect([await openBox(other), await line(other).inputValue()]).toEqual(['', ''])
  await box(other).fill('Feed the cat')
  await other.keyboard.press('Enter')
  await other.locator('.notice-bar', { hasText: 'Added “Feed the cat”.' }).waitFor()
  await box(other).fill('Sweep')
  await other.keyboard.press('Escape')
  await line(other).fill('It snowed')
  await line(other).press('Enter')
  expect([await openBox(page), await line(page).inputValue()]).toEqual(['Buy rye', 'It rained'])
  expect([await openBox(other), await titles(ask)]).toEqual(['Sweep', ['Feed the cat']])
  await crash(page)
  await untilValue(() => line(other).inputValue(), 'It rained')
  const next = await openTab(other)
  await openBox(next)
  await untilValue(() => box(next).inputValue(), 'Buy rye')
  expect([await box(other).inputValue(), await line(next).inputValue()]).toEqual(['Sweep', ''])
})

test('what opens the box is no draft until something is typed behind it', async () => {
  const { page } = await openApp('#/tasks/label/home', (ask) =>
    ask('POST', 'api/tasks', { title: 'Sweep', labels: ['home'] }),
  )
  for (const typed of ['', 'Dust']) {
    await page.locator('.add-line').click()
    expect(await box(page).inputValue()).toBe('@home ')
    await page.keyboard.type(typed)
    await page.keyboard.press('Escape')
    expect(await openBox(page)).toBe(typed && `@home ${typed}`)
    await page.keyboard.press('Escape')
  }
})

test('what is typed while something is added stays in the box', async () => {
  const { page } = await openApp()
  const released = Promise.withResolvers<void>()
  await page.route('**/api/flashcards/decks', async (route) => {
    await released.promise
    await route.continue()
  })
  await openBox(page)
  await box(page).fill('Peru :: Lima')
  const asked = page.waitForRequest('**/api/flashcards/decks')
  await page.keyboard.press('Enter')
  await asked
  await page.keyboard.type('Buy rye')
  released.resolve()
  await page.locator('.notice-bar', { hasText: 'Added a card' }).waitFor()
  expect(await box(page).inputValue()).toBe('Buy rye')
})

test('who removes a key that is not in use is told of what was not sent', async () => {
  const { page } = await openApp()
  await page.context().route('**/api/**', (route) => route.abort())
  await openBox(page)
  await box(page).fill('Buy rye')
  await page.keyboard.press('Enter')
  await page.getByText('One change waits for the server').waitFor()
  await page.keyboard.press('Escape')
  const keyPage = await page.context().newPage()
  await keyPage.goto(new URL('..', page.url()).href)
  await keepKeys(keyPage, makeKey(2), KEY)
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
  const { front, back } = (await ask('GET', `api/flashcards/facts/${FACT}`)) as never as { front: string; back: string }
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

test('a card that was begun comes back to its deck, and a question to the chat', async () => {
  const { page, ask } = await openApp('#/chat', addCardAndNote)
  await page.getByLabel('Ask, or say what to do').fill('Which river?')
  await page.goto(`${page.url().split('#')[0]}${CARDS}`)
  await added(page).waitFor()
  await page.keyboard.press('n')
  await added(page).getByText('Both ways').click()
  await question(added(page)).fill('Budapest?')
  const next = await openAgain(page)
  await untilValue(() => question(added(next)).inputValue(), 'Budapest?')
  await answer(added(next)).fill('Danube')
  await answer(added(next)).press('Control+Enter')
  await next.locator('.study-cards li', { hasText: 'Budapest?' }).first().waitFor()
  const { items } = (await ask('GET', `api/flashcards/facts?deck_id=${DECK}`)) as never as { items: { type: string }[] }
  expect(items.map(({ type }) => type).sort()).toEqual(['basic', 'reversed'])
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

test('nothing can be typed into a card while it is sent, as it would be lost', async () => {
  const { page } = await openApp(CARDS, addCardAndNote)
  const released = Promise.withResolvers<void>()
  await page.route('**/api/flashcards/facts?*', async (route) => {
    await released.promise
    await route.continue()
  })
  await added(page).locator('summary').click()
  await question(added(page)).fill('Budapest?')
  await answer(added(page)).fill('Danube')
  const asked = page.waitForRequest('**/api/flashcards/facts?*')
  await page.keyboard.press('Control+Enter')
  await asked
  await page.keyboard.type(', or Duna')
  expect(await answer(added(page)).inputValue()).toBe('Danube')
  released.resolve()
  await untilValue(() => answer(added(page)).inputValue(), '')
  await page.locator('.study-add textarea:focus').waitFor()
  await page.keyboard.type('Belgrade?')
  expect(await question(added(page)).inputValue()).toBe('Belgrade?')
})

test.each([
  ['#/chat', '.composer'],
  [`#/notes/${NOTE}?edit=1`, '.note-edit'],
])('%s has the focus in its field as soon as that is shown', async (address, field) => {
  const { page } = await openApp('', addCardAndNote)
  await page.getByText('Note of the day').waitFor()
  expect(
    await page.evaluate(
      ({ address, field }) =>
        new Promise((resolve) => {
          new MutationObserver(() => {
            if (document.querySelector(field)) resolve(document.querySelector(`${field} :focus`)?.localName)
          }).observe(document.body, { childList: true, subtree: true })
          location.hash = address
        }),
      { address, field },
    ),
  ).toBe('textarea')
})
