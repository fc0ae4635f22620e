/** A server that is set back to a backup while a device has later copies, and changes that it has not sent. */
import { expect } from 'bun:test'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { backup, restore } from '../../src/cli/backup'
import { makeDevices } from '../support/device'
import { makeFolder } from '../support/folder'
import { onSqlite } from '../support/full'
import { MANY_CALLERS, makeWorld } from '../support/world'

const PLAN = '01980000-0000-7000-8000-000000000001'
const BODY = 'Pack the bag.\n\nCall Ana.'

const top = makeFolder()
const [folder, file] = [join(top, 'data'), join(top, 'backup.db')]
const kept = { DATA_DIR: folder, SATCHEL_SECRET: undefined }
mkdirSync(folder)
const before = await makeWorld({ settings: MANY_CALLERS, folder })
const { openDevice, stranger, until, clock, replaceServer } = makeDevices(before)

onSqlite('the device has what the server has, and all that it had not sent arrives', async () => {
  const { key, ask, listTitles } = stranger()
  await ask('POST', 'api/notes', { id: PLAN, title: 'Porto', body: BODY })
  await ask('POST', 'api/tasks', { title: 'Of before' })
  const device = openDevice([key])
  const [tab, other] = [await device.openTab(), await device.openTab()]
  const shown = () => [...other.workspace.copy.shown.task.peek().values()].map(({ title }) => title).toSorted()
  await until(() => tab.workspace.copy.shown.note.peek().has(PLAN))
  const note = await tab.app.editNote(PLAN)
  const read = async (): Promise<string> => (await ask('GET', `api/notes/${PLAN}`)).body

  backup(kept, file, { now: () => clock.now, random: (bytes) => crypto.getRandomValues(bytes) })
  note.typeInto('first line', ' The blue one.')
  await until(read, (body) => body.includes('The blue one.'))
  await ask('POST', 'api/tasks', { title: 'Undone by the backup' })
  await until(shown, ['Of before', 'Undone by the backup'])
  device.setOnline(false)
  await before.close()
  note.typeInto('first line', ' Not the red one.')
  await tab.untilWaiting()
  other.app.addTask(other.workspace, 'Not sent', null, null)
  await other.untilWaiting()
  renameSync(folder, join(top, 'before'))
  restore(kept, file)
  await using after = await makeWorld({ settings: MANY_CALLERS, folder, start: clock.now })
  replaceServer(after)
  // The feed gets further than it was.
  const later = ['Later 1', 'Later 2', 'Later 3', 'Later 4', 'Later 5']
  for (const title of later) await ask('POST', 'api/tasks', { title })
  device.setOnline(true)
  await until(() => listTitles('api/notes'), ['Porto', 'Porto (conflicting copy)'])
  await until(() => listTitles('api/tasks'), [...later, 'Not sent', 'Of before'])
  await until(shown, [...later, 'Not sent', 'Of before'])
  // Its line is another one than the one that was typed on.
  expect(await read()).toBe(BODY)
  expect(JSON.stringify(await ask('GET', 'api/notes?include=body'))).toContain('bag. The blue one. Not the red one.')
})
