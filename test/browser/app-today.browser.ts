/** The frame of the app, its palette and keys, Today and quick add. */
import { expect, test } from 'bun:test'
import { type Ask, appSession } from './app-session'
import { LOOKS, picture, violations } from './support'

const { openApp } = appSession()

const day = (offset: number) =>
  new Date(Date.now() + offset * 86_400_000).toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })

async function fill(ask: Ask) {
  const add = (title: string, due: string, more = {}) =>
    ask('POST', 'api/tasks', { title, due: { date: due }, ...more })
  await add('Pay the electricity bill', day(-2), { priority: 1, labels: ['bills'] })
  await add('Call mum', day(0), { due: { date: day(0), time: '23:59' } })
  await add('Water the plants', day(0), { recurrence: { rrule: 'FREQ=WEEKLY' } })
  await add('Plan the trip to Porto', day(3))
  const deck = await ask('POST', 'api/flashcards/decks', { name: 'Capitals' })
  await ask('POST', 'api/flashcards/facts', { type: 'basic', deck_id: deck.id, front: 'Peru', back: 'Lima' })
  await ask('PUT', `api/notes/daily/${day(0)}`, { body: 'Slept well. The heating is fixed.' })
}

test.each(LOOKS)(
  'Today in $name has no fault that axe finds, and fits the window',
  async ({ name, viewport, colorScheme }) => {
    const { page } = await openApp('', fill, { viewport, colorScheme })
    await page.getByText('Study 1 card').waitFor()
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
    await picture(page, `app-today-${name}`)
  },
)
