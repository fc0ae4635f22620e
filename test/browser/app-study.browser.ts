/** Decks, studying, statistics and cards from a note. */
import { afterEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession } from './app-session'
import { LOOKS, picture, violations } from './support'

const { openApp } = appSession()

const DECK = '01980000-0000-7000-8000-0000000000e0'
const NOTE = '01980000-0000-7000-8000-0000000000a0'

async function addDeck(ask: Ask, facts: readonly object[], settings = {}) {
  await ask('POST', 'api/flashcards/decks', { id: DECK, name: 'Geography', settings })
  await ask('POST', 'api/flashcards/facts/batch', { items: facts.map((fact) => ({ deck_id: DECK, ...fact })) })
}

const CAPITALS = [
  { type: 'basic', front: 'What is the capital of **Portugal**?', back: 'Lisbon', extra: 'On the *Tagus*.' },
  { type: 'cloze', text: 'The capital of {{c1::Peru}} is {{c2::Lima::a city}}.' },
  { type: 'typed', front: 'The capital of Chile?', back: 'Santiago', accepted: ['Santiago de Chile'] },
  { type: 'basic', front: 'Solve $x^2 = 4$', back: '\\(x = \\pm 2\\)\n\n| a | b |\n|---|---|\n| 1 | 2 |' },
]
const NUMBERS = Array.from({ length: 40 }, (_, at) => ({ type: 'basic', front: `Number ${at}?`, back: `It is ${at}.` }))

const LISTED = `# Rivers

Tagus :: Lisbon
Q: Which river flows through Vienna?
A: The Danube

The river of Paris is ==the Seine==.
What is the capital of **Portugal**? :: Lisbon
`

async function fill(ask: Ask) {
  await addDeck(ask, CAPITALS)
  await ask('POST', 'api/flashcards/decks', { name: 'Rivers', parent_id: DECK })
  await ask('POST', 'api/notes', { id: NOTE, body: LISTED })
  const { items } = (await ask('GET', 'api/flashcards/cards?limit=1')) as never as { items: { id: string }[] }
  await ask('POST', `api/flashcards/cards/${items[0]?.id}/reviews`, { rating: 4, duration_ms: 4000 })
}

/** Counts the requests that a page sends to the server's API. */
function countRequests(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.includes('/api/') && !pathname.includes('/changes')) sent.push(`${request.method()} ${pathname}`)
  })
  return sent
}

const card = (page: Page) => page.locator('.study-card:not([hidden]) > div:not([hidden])')

test.each(LOOKS)(
  'Study in $name has no fault that axe finds, and fits the window',
  async ({ name, viewport, colorScheme }) => {
    const { page } = await openApp('#/study', fill, { viewport, colorScheme })
    const look = async (screen: string) => {
      await picture(page, `app-study-${screen}-${name}`)
      expect([screen, await violations(page)]).toEqual([screen, []])
      expect([screen, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
        screen,
        viewport.width,
      ])
    }
    await page
      .getByText(/\d+ new/)
      .first()
      .waitFor()
    await look('decks')
    await page.goto(`${page.url().split('#')[0]}#/study/go`)
    await page.getByText('Show the answer').waitFor()
    await look('question')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: /^Good/ }).waitFor()
    await look('answer')
    await page.goto(`${page.url().split('#')[0]}#/study/statistics`)
    await page.getByText('Times of day').waitFor()
    await look('statistics')
    await page.goto(`${page.url().split('#')[0]}#/study/from-note/${NOTE}`)
    await page.getByText('Line 3').waitFor()
    await look('drafts')
    await page.goto(`${page.url().split('#')[0]}#/study/deck/${DECK}`)
    await page.getByText('capital of Portugal').first().waitFor()
    await page.getByText('Add cards').click()
    await look('cards')
  },
)
