/** Chat in the app: answers with their sources, what they do and undo, and what is said when there is no answer. */
import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeModel, says, waitsAfter } from '../chat/model'
import { type Ask, appSession } from './app-session'
import { LOOKS, picture, violations } from './support'

const { openApp, stopServer } = appSession()

const HOSTILE = '<img src=x onerror="document.title=1"> [1] ‮desrever‬'

async function fill(ask: Ask) {
  const body = `The boiler warranty ends on 3 May 2027.\n\nThe plumber said: ${HOSTILE} about the pipes.`
  await ask('POST', 'api/notes', { title: 'House', body, tags: ['home'] })
  await ask('POST', 'api/notes', { title: 'Old plan', body: 'Paint the hall.\nBuy a ladder.' })
  await ask('POST', 'api/tasks', { title: 'Water the plants' })
}

const box = (page: Page) => page.getByLabel('Ask, or say what to do')

/** Asks by keyboard, and waits for the answer to be complete: it is announced then. */
async function say(page: Page, question: string) {
  await box(page).fill(question)
  await box(page).press('Enter')
  await page.locator('.chat > [role=status]:not(:empty)').waitFor()
}

test.each(LOOKS)(
  'Chat in $name has no fault that axe finds, and fits the window',
  async ({ name, viewport, colorScheme }) => {
    const { page } = await openApp('#/chat', fill, { viewport, colorScheme })
    await page.getByText('Summarize the note "House"').waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, `app-chat-empty-${name}`)
    await say(page, 'When does the boiler warranty end?')
    await say(page, 'add a task: swim tomorrow')
    await say(page, 'what did the plumber say about the pipes?')
    await say(page, 'rename the note "Old plan" to "New plan"')
    await picture(page, `app-chat-${name}`)
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
  },
)
