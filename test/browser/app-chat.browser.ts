/** Chat in the app: answers with their sources, what they do and undo, and what is said when there is no answer. */
import { afterAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { breaksAfter, calls, fails, makeModel, says, waitsAfter } from '../chat/model'
import { type Ask, appSession, goTo, openTab, type Shown, until } from './app-session'
import { expectAccessible, picture, violations } from './support'

const HOSTILE = `<img src=x onerror="document.title=1"> [1] \u202edesrever\u202c ${'w'.repeat(500)}`

async function fill(ask: Ask) {
  const body = 'The boiler warranty ends on 3 May 2027. It was serviced in March.'
  await ask('POST', 'api/notes', { title: 'House', body, tags: ['home'] })
  await ask('POST', 'api/notes', { title: 'Old plan', body: 'Paint the hall.\nBuy a ladder.' })
  await ask('POST', 'api/tasks', { title: 'Water the plants' })
}

const box = (page: Page) => page.getByLabel('Ask, or say what to do')
const announced = (page: Page) => page.locator('.chat > [role=status]')
const lastTurn = (page: Page) => page.locator('.turn').last()

/** Asks by keyboard, and waits for the answer to be complete: it is announced then. */
async function say(page: Page, question: string) {
  await box(page).fill(question)
  await box(page).press('Enter')
  await page.locator('.chat > [role=status]:not(:empty)').waitFor()
}

/** Goes back with the keyboard, from the box to a button of the last answer. */
async function backTo(page: Page, name: string) {
  for (let steps = 0; steps < 12; steps++) {
    await page.keyboard.press('Shift+Tab')
    if (await page.evaluate((name) => document.activeElement?.textContent === name, name)) return
  }
  throw new Error(`${name} is not reached by the keyboard`)
}

const isBoxFocused = (page: Page) => box(page).evaluate((element) => element === document.activeElement)

describe('the built-in engine', () => {
  const { openApp, stopServer } = appSession()

  test('Chat has no fault that axe finds, and fit any window', async () => {
    const { page } = await openApp('#/chat', fill)
    await page.getByText('Summarize the note "House"').waitFor()
    await expectAccessible(page, 'app-chat-empty')
    await say(page, 'When does the boiler warranty end?')
    await say(page, 'add a task: swim tomorrow')
    await say(page, 'When do the neighbours water the boiler?')
    await say(page, 'rename the note "Old plan" to "New plan"')
    await expectAccessible(page, 'app-chat')
  })

  test('everything is done by keyboard: ask, open a source, undo, confirm, ask again', async () => {
    const { page, ask } = await openApp('#/chat', fill)
    const titles = async () => (await ask('GET', 'api/notes')).items.map(({ title }: Shown) => title).sort()
    await page.keyboard.type('When does the boiler warranty end?')
    await page.keyboard.press('Enter')
    await page.locator('.chat > [role=status]:not(:empty)').waitFor()
    expect(await announced(page).textContent()).toBe('From "House": "The boiler warranty ends on 3 May 2027." [1]')
    expect(await lastTurn(page).locator('blockquote').textContent()).toBe('The boiler warranty ends on 3 May 2027.')
    expect(await isBoxFocused(page)).toBe(true)
    const source = page.getByRole('link', { name: '[1] House' })
    expect(await source.getAttribute('href')).toMatch(/^#\/notes\/[0-9a-f-]{36}\?quote=0-39$/)

    await page.keyboard.press('ArrowUp')
    expect(await box(page).inputValue()).toBe('When does the boiler warranty end?')
    await box(page).fill('')
    await page.keyboard.type('add a task: swim')
    await page.keyboard.press('Shift+Enter')
    expect(await box(page).inputValue()).toBe('add a task: swim\n')
    await say(page, 'add a task: swim')
    await backTo(page, 'Undo')
    await page.keyboard.press('Enter')
    await page.locator('.turn').getByText('Undone.').waitFor()
    expect(await isBoxFocused(page)).toBe(true)
    expect((await ask('GET', 'api/tasks')).items).toHaveLength(1)

    await box(page).focus()
    await say(page, 'rename the note "Old plan" to "New plan"')
    expect(await lastTurn(page).locator('dd').allTextContents()).toEqual(['title: "Old plan"', 'title: "New plan"'])
    expect(await lastTurn(page).textContent()).not.toContain('Reply: confirm')
    await backTo(page, 'Confirm')
    await page.keyboard.press('Enter')
    await page.getByText('Confirmed.').waitFor()
    await lastTurn(page).getByRole('button', { name: 'Undo' }).waitFor()
    expect(await isBoxFocused(page)).toBe(true)
    expect(await titles()).toEqual(['House', 'New plan'])
    await backTo(page, 'Undo')
    await page.keyboard.press('z')
    await lastTurn(page).getByText('Undone.').waitFor()
    expect(await titles()).toEqual(['House', 'Old plan'])

    await box(page).focus()
    await say(page, 'trash the note "Old plan"')
    await backTo(page, 'Cancel')
    await page.keyboard.press('Enter')
    await page.getByText('Cancelled.').waitFor()
    await page.locator('.turn').getByText('Cancelled, nothing was done').waitFor()
    expect(await titles()).toEqual(['House', 'Old plan'])

    await page.getByRole('button', { name: 'New conversation' }).press('Enter')
    await page.getByText('Notes tagged home').waitFor()
    expect(await isBoxFocused(page)).toBe(true)
  })

  test('conversations are kept: gone on with in two tabs, found by a word, deleted and brought back', async () => {
    const { page } = await openApp('#/chat', fill)
    const past = page.locator('.past li')
    await say(page, 'When does the boiler warranty end?')
    await page.getByRole('button', { name: 'New conversation' }).click()
    await past.getByText('When does the boiler warranty end?').waitFor()
    await say(page, 'add a task: swim')
    const tab = await openTab(page)
    await tab.locator('.turn').getByText('add a task: swim').waitFor()
    await say(tab, 'What can you do?')
    await page.locator('.turn').nth(1).waitFor()
    await say(page, 'What is due this week?')
    const questions = () => page.locator('.turn .question').allTextContents()
    const all = ['You: add a task: swim', 'You: What can you do?', 'You: What is due this week?']
    expect(await questions()).toEqual(all)
    await page.reload()
    await page.locator('.turn').nth(2).waitFor()
    expect(await questions()).toEqual(all)

    await page.getByText('Earlier conversations').press('Enter')
    await page.getByLabel('Find a conversation').fill('MAY warranty')
    await until(
      () => past.count(),
      (count) => count === 1,
    )
    await past.getByRole('link').press('Enter')
    await lastTurn(page).getByText('ends on 3 May 2027').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('task: swim')
    await page.getByRole('option', { name: 'Conversation' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.turn').nth(2).waitFor()
    await page.getByText('Earlier conversations').press('Enter')
    await page.getByRole('button', { name: 'Delete add a task: swim' }).press('Enter')
    await page.getByText('Summarize the note').first().waitFor()
    await tab.getByText('Summarize the note').first().waitFor()
    expect(await past.count()).toBe(1)
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await past.getByText('add a task: swim').click()
    await page.locator('.turn').nth(2).waitFor()
    expect(await questions()).toEqual(all)
  })

  test('an address asks at once and changes nothing; so does a person who switched changes off', async () => {
    const { page, ask } = await openApp('#/chat?q=add+a+task%3A+swim', fill)
    await page.locator('.chat > [role=status]:not(:empty)').waitFor()
    expect(page.url()).toMatch(/#\/chat\/[0-9a-f-]{36}$/)
    expect((await ask('GET', 'api/tasks')).items).toHaveLength(1)
    await page.getByLabel('May change things').uncheck()
    await say(page, 'add a task: run')
    expect((await ask('GET', 'api/tasks')).items).toHaveLength(1)
    await lastTurn(page).getByRole('button', { name: 'Ask again, and let it change things' }).click()
    await lastTurn(page).getByText('Created the task "run"').waitFor()
    expect((await ask('GET', 'api/tasks')).items).toHaveLength(2)
    await goTo(page, '#/chat?q=When+does+the+boiler+warranty+end%3F')
    await lastTurn(page).getByText('ends on 3 May 2027').first().waitFor()
    // A citation opens its sentence.
    await lastTurn(page).getByRole('link', { name: 'House' }).last().click()
    await page.getByRole('heading', { level: 1, name: 'House' }).waitFor()
    const marked = await page.waitForFunction(() => [...(CSS.highlights.get('quote') ?? [])].map(String).join())
    expect(await marked.jsonValue()).toBe('The boiler warranty ends on 3 May 2027')
  })

  test('text of a note stays text, in an answer and in its source', async () => {
    const title = `<b>${HOSTILE}</b>`
    const { page } = await openApp(
      '#/chat',
      async (ask) => {
        await ask('POST', 'api/notes', { title: title.slice(0, 400), body: `The plumber said: ${HOSTILE}` })
        await ask('POST', 'api/tasks', { title: title.slice(0, 400) })
      },
      { viewport: { width: 320, height: 640 } },
    )
    await say(page, 'What did the plumber say?')
    await lastTurn(page).locator('blockquote').waitFor()
    expect(await lastTurn(page).locator('blockquote').textContent()).toContain(HOSTILE)
    await say(page, 'trash the note about the plumber')
    await say(page, 'find tasks about desrever')
    expect(await page.locator('.log').locator('img, b').count()).toBe(0)
    expect(await page.locator('.turn .mark').count()).toBe(await page.locator('.citations > li').count())
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    expect(await violations(page)).toEqual([])
    await picture(page, 'app-chat-large')
  })

  test('without a server, and when the hour is used up, the question is kept', async () => {
    const { page } = await openApp(
      '#/chat',
      async (ask) => {
        await fill(ask)
        for (let used = 3; used < 20; used++) await ask('GET', 'api/notes')
      },
      { key: null },
    )
    await say(page, 'When does the boiler warranty end?')
    const failed = lastTurn(page)
    expect(await failed.locator('.question').textContent()).toEndWith('When does the boiler warranty end?')
    expect(await failed.locator('.notice p').textContent()).toMatch(
      /used up\. Your question is kept: try again at \d\d:\d\d\./,
    )
    await picture(page, 'app-chat-429')
    await failed.getByRole('button', { name: 'Edit the question' }).click()
    expect(await box(page).inputValue()).toBe('When does the boiler warranty end?')
    await box(page).fill('Mine')
    await failed.getByRole('button', { name: 'Edit the question' }).click()
    expect(await box(page).inputValue()).toBe('Mine\nWhen does the boiler warranty end?')
    await stopServer()
    await failed.getByRole('button', { name: 'Try again' }).click()
    await failed.getByText('The server cannot be reached, or the answer broke off.').waitFor()
    await failed.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await page.locator('.turn').count()).toBe(1)
  })
})

describe('a language model', () => {
  const model = makeModel()
  const { openApp } = appSession(model.settings)
  afterAll(model.stop)

  test('Escape stops an answer, and what came stays; the page follows its end only for who is there', async () => {
    const { page } = await openApp('#/chat', fill)
    const lines = (word: string) => Array.from({ length: 60 }, (_, line) => `${word} ${line}\n`)
    const never = Promise.withResolvers<void>()
    model.plays(waitsAfter(lines('before'), never.promise))
    await box(page).fill('Tell me a story')
    await box(page).press('Enter')
    await page.getByText('before 59').waitFor()
    expect(await announced(page).textContent()).toBe('')
    await page.waitForFunction(() => scrollY + innerHeight > document.documentElement.scrollHeight - 8)
    const [asked] = model.asked
    const hungUp = new Promise((resolve) => asked?.signal.addEventListener('abort', resolve))
    await page.keyboard.press('Escape')
    await page.getByText('Stopped.', { exact: true }).waitFor()
    await hungUp
    never.resolve()
    expect(await announced(page).textContent()).toEndWith('Stopped.')
    expect(await lastTurn(page).textContent()).toContain('before 59')

    const later = Promise.withResolvers<void>()
    model.plays(waitsAfter(['Once '], later.promise, lines('after')))
    await box(page).fill('Go on')
    await box(page).press('Enter')
    await lastTurn(page).getByText('Once').waitFor()
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(1)
    await page.mouse.move(600, 300)
    await page.mouse.wheel(0, -600)
    await page.waitForFunction(() => scrollY + innerHeight < document.documentElement.scrollHeight - 400)
    const y = await page.evaluate(() => scrollY)
    later.resolve()
    await page.getByText('after 59').last().waitFor()
    await page.locator('.chat > [role=status]:not(:empty)').waitFor()
    expect(await page.evaluate(() => scrollY)).toBe(y)
    expect(model.asked[0]?.messages.map(({ content }) => content)).toContain('Tell me a story')
  })

  test('a flashcard is shown in place, a task by its address; an answer goes on while other screens are open', async () => {
    const { page, ask } = await openApp('#/chat', async (send) => {
      await fill(send)
      const deck = await send('POST', 'api/flashcards/decks', { name: 'Capitals' })
      await send('POST', 'api/flashcards/facts', { type: 'basic', deck_id: deck.id, front: 'Peru', back: 'Lima' })
      await send('POST', 'api/tasks', { title: 'Fly to Peru' })
    })
    model.plays(calls('search', { query: 'Peru' }), says('Lima [1] and [2].'))
    await say(page, 'What about Peru?')
    await page.getByRole('button', { name: /^\[\d\] Peru/ }).press('Enter')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('flashcard')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('blockquote').getByText('Lima').waitFor()
    expect(await page.getByRole('link', { name: 'Open its deck' }).getAttribute('href')).toStartWith('#/study/deck/')
    const tasks = (await ask('GET', 'api/tasks')).items
    const task = tasks.find(({ title }: Shown) => title === 'Fly to Peru')
    expect(await page.locator('a.mark').getAttribute('href')).toBe(`#/tasks/task/${task?.id}`)

    const later = Promise.withResolvers<void>()
    model.plays(waitsAfter(['It '], later.promise, ['goes on.']))
    await box(page).fill('Tell me more')
    await box(page).press('Enter')
    await lastTurn(page).getByText('It').waitFor()
    await page.getByRole('link', { name: 'Today' }).click()
    await page.getByText('Nothing is due today.').waitFor()
    later.resolve()
    await page.getByRole('link', { name: 'Chat' }).click()
    await lastTurn(page).getByText('It goes on.').waitFor()
  })

  test('a model that fails is told in words, and asked again', async () => {
    const { page, ask } = await openApp('#/chat', fill)
    model.plays(breaksAfter('Half an answer'))
    await say(page, 'Tell me a story')
    expect(await lastTurn(page).locator('.answer-text').textContent()).toBe('Half an answer')
    model.plays(says('A whole answer.'))
    await lastTurn(page).getByRole('button', { name: 'Try again' }).click()
    await page.getByText('A whole answer.').first().waitFor()
    await page.getByText('Nothing that you have stored supports this answer.').waitFor()
    model.plays(calls('create_task', { title: 'Swim' }), breaksAfter('I have'))
    await say(page, 'Remind me to swim')
    await lastTurn(page).getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Nothing was done twice.').waitFor()
    expect(await lastTurn(page).getByRole('link', { name: 'Open Swim' }).count()).toBe(1)
    expect((await ask('GET', 'api/tasks')).items).toHaveLength(2)
    model.plays(fails(503))
    await say(page, 'When does the boiler warranty end?')
    await page.getByText('This is from the built-in engine.').waitFor()
    expect(await lastTurn(page).locator('blockquote').textContent()).toBe('The boiler warranty ends on 3 May 2027.')
  })
})
