/** A server that is set back to a backup while a browser has later copies, and changes that it has not sent. */
import { expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/server'
import { backup, restore } from '../../src/cli/backup'
import { makeFolder } from '../support/folder'
import { launch, serving } from '../support/process'
import { appSession, until } from './app-session'

const PLAN = '01980000-0000-7000-8000-000000000001'
const BODY = 'Pack the bag.\n\nCall Ana.'

let setBack: (work: () => Promise<void>) => Promise<void>
let keepBackup: () => void

async function start(settings: Readonly<Record<string, string>>) {
  const top = makeFolder()
  const [folder, file] = [join(top, 'data'), join(top, 'backup.db')]
  const kept = { DATA_DIR: folder, SATCHEL_SECRET: undefined }
  const options = { folder, settings: { ...settings, PORT: String(freePort()) } }
  let server = await serving(folder, launch(options))
  keepBackup = () => {
    backup(kept, file, { now: Date.now, random: (bytes) => crypto.getRandomValues(bytes) })
  }
  setBack = async (work) => {
    await server.stop('SIGTERM')
    await work()
    renameSync(folder, join(top, 'before'))
    restore(kept, file)
    server = await serving(folder, launch(options))
  }
  return {
    url: `${server.url}/`,
    stop: async () => {
      await server.stop('SIGKILL')
    },
  }
}

const { openApp } = appSession({ API_LIMIT_PER_HOUR: '100000' }, start)

test('the browser has what the server has, and all that it had not sent arrives', async () => {
  const { page, ask } = await openApp(`#/notes/${PLAN}?edit=1`, async (ask) => {
    await ask('POST', 'api/notes', { id: PLAN, title: 'Porto', body: BODY })
    await ask('POST', 'api/tasks', { title: 'Of before' })
  })
  const text = page.locator('.cm-content')
  await text.getByText('Call Ana').waitFor()
  const type = async (typed: string) => {
    await text.press('Control+Home')
    await page.keyboard.press('End')
    await page.keyboard.insertText(typed)
  }
  const read = async () => String((await ask('GET', `api/notes/${PLAN}`)).body)
  const titles = async (path: string) =>
    ((await ask('GET', path)).items as unknown as { title: string }[]).map(({ title }) => title).toSorted()
  keepBackup()
  await type(' The blue one.')
  await until(read, (body) => body.includes('The blue one.'))
  await ask('POST', 'api/tasks', { title: 'Undone by the backup' })
  const other = await page.context().newPage()
  await other.goto(new URL('#/tasks', page.url()).href)
  await other.locator('[role=row]', { hasText: 'Undone by the backup' }).waitFor()

  await page.context().setOffline(true)
  await setBack(async () => {
    await type(' Not the red one.')
    await page.getByText('waits for the server').waitFor()
    await other.keyboard.press('q')
    await other.locator('dialog textarea').fill('Not sent')
    await other.keyboard.press('Enter')
    await other.getByText('waits for the server').waitFor()
    await other.keyboard.press('Escape')
  })
  // The feed gets further than it was.
  const later = ['Later 1', 'Later 2', 'Later 3', 'Later 4', 'Later 5']
  for (const title of later) await ask('POST', 'api/tasks', { title })
  await page.context().setOffline(false)
  await until(
    () => titles('api/notes'),
    (found) => found.join() === 'Porto,Porto (conflicting copy)',
  )
  const wanted = [...later, 'Not sent', 'Of before']
  await until(
    () => titles('api/tasks'),
    (found) => found.join() === wanted.join(),
  )
  await until(
    async () => (await other.locator('[role=row]').allTextContents()).toSorted(),
    (rows) => rows.length === wanted.length && rows.every((row, place) => row.includes(wanted[place] ?? '?')),
  )
  // Its line is another one than the one that was typed on.
  expect(await read()).toBe(BODY)
  expect(JSON.stringify(await ask('GET', 'api/notes?include=body'))).toContain('bag. The blue one. Not the red one.')
})
