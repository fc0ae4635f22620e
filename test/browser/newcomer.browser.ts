/** The first ten minutes of README.md on the page alone: from nothing to a backup that was restored. */
import { expect, test } from 'bun:test'
import { browserSession, make, send } from './session'
import { picture, readDownload, startServer, untilText } from './support'

const { open } = browserSession({}, startServer)

test('a key, a note, a chat with a citation, a task, a card studied, a calendar, and a backup restored', async () => {
  const page = await open()
  const pick = (name: string) => page.locator('#try-form').getByText(name, { exact: true }).click()
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const shown = page.locator('#answer-parts')
  await make(page, 'Laptop')

  await send(page)
  await untilText(page, '#answer-words', 'Your note is stored. Now ask the chat about it.')
  await pick('Ask the chat')
  await send(page)
  await shown.locator('cite').waitFor()
  expect(await shown.textContent()).toBe('[1] First noteThe boiler warranty ends on 3 May 2027.')
  await pick('Add a task')
  await send(page)
  await shown.getByRole('heading', { name: 'Call mum' }).waitFor()
  await pick('Learn a card')
  await send(page)
  await press('Show the answer')
  await shown.getByRole('button', { name: /^Good/ }).click()
  await untilText(page, '#answer-words', 'Good: the card comes back in 10 minutes. Nothing more to learn now.')
  await picture(page, 'newcomer')

  await page.getByLabel('Program', { exact: true }).selectOption('calendar')
  await press('Make an address')
  await untilText(page, '#feed-state', 'It is shown this once: copy it now.')

  const saving = page.waitForEvent('download')
  await press('Export everything')
  const backup = await readDownload(await saving)
  await press('Erase everything')
  const dialog = page.getByRole('dialog', { name: 'Erase the workspace of “Laptop”?' })
  await dialog.getByLabel('To erase it, write erase').fill('erase')
  await dialog.getByRole('button', { name: 'Erase everything' }).click()
  await untilText(page, '#leave-state', 'Everything is erased.')
  await page.locator('#upload-file').setInputFiles({
    name: 'satchel.zip',
    mimeType: 'application/zip',
    buffer: backup,
  })
  await press('Import')
  await page
    .locator('#upload-state')
    .filter({ hasText: /^Imported: / })
    .waitFor()
  await picture(page, 'newcomer-restored')
  await pick('List notes')
  await send(page)
  await shown.getByText('First note').waitFor()
  await pick('Ask the chat')
  await page.locator('#try-question').fill('What do I have to do tomorrow?')
  await send(page)
  await shown.getByText('Call mum').first().waitFor()
})
