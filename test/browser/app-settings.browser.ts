/** The settings of the app: keys, usage, feeds, import and export, trash. */
import { expect, test } from 'bun:test'
import { type Ask, appSession } from './app-session'
import { LOOKS, picture, violations } from './support'

const { openApp } = appSession()

async function fill(ask: Ask) {
  const note = await ask('POST', 'api/notes', { body: '# Garden\n\nBeans and peas.' })
  await ask('POST', 'api/notes', { body: '# Thrown away' }).then(({ id }) => ask('DELETE', `api/notes/${id}`))
  await ask('POST', 'api/tasks', { title: 'Gone' }).then(({ id }) => ask('DELETE', `api/tasks/${id}`))
  await ask('POST', 'api/tasks/feeds', { name: 'Work', filter: 'p1 or p2' })
  return note
}

const PARTS = {
  '': 'in use',
  '/workspace': 'As a table',
  '/import': 'Choose files',
  '/export': 'Flashcards for Anki',
  '/calendars': 'Events: p1 or p2',
  '/trash': 'Thrown away',
}

test.each(LOOKS)(
  'Settings in $name have no fault that axe finds, and fit the window',
  async ({ name, viewport, colorScheme }) => {
    const { page } = await openApp('#/settings', fill, { viewport, colorScheme })
    for (const [part, words] of Object.entries(PARTS)) {
      await page.evaluate((address) => location.assign(address), `#/settings${part}`)
      await page.getByText(words).first().waitFor()
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
      await picture(page, `app-settings${part.replace('/', '-')}-${name}`)
    }
  },
)
