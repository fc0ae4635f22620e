/** The notes of the app: the list and its search, a note to read and to edit, and what belongs to it. */
import { expect, test } from 'bun:test'
import { type Ask, appSession } from './app-session'
import { LOOKS, picture, violations } from './support'

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
    tags: ['travel/lists'],
    pinned: true,
  })
  await add('Bread', { body: 'Flour, water, salt. Twelve hours in the cold.', tags: ['kitchen'] })
  await add(`${'unbroken'.repeat(60)}`, {
    body: `<b onclick="x()">bold</b> ‮reversed‬ ${'x'.repeat(500)}`,
    tags: ['ünïcode'],
  })
  await ask('PATCH', `api/notes/${PORTO}`, { body: BODY.replace('nine', 'ten') })
}

test.each(LOOKS)(
  'the notes in $name have no fault that axe finds, and fit the window',
  async ({ name, viewport, colorScheme }) => {
    const { page } = await openApp('#/notes', fill, { viewport, colorScheme })
    const look = async (part: string) => {
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
      await picture(page, `app-notes-${part}-${name}`)
    }
    await page.getByLabel('Search notes').fill('tra')
    await page.locator('.note-row mark').first().waitFor()
    await page.getByText('notes found').waitFor()
    await look('list')
    await page.getByRole('link', { name: 'Trip to Porto' }).first().click()
    await page.getByRole('heading', { name: 'To do' }).waitFor()
    for (const part of ['Linked from one note', 'History', 'Tags and folder']) {
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
  },
)
