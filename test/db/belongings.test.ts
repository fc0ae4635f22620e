import { Database } from 'bun:sqlite'
import { afterAll, expect } from 'bun:test'
import { join } from 'node:path'
import { makeFinders } from '../search/finders'
import { onSqlite } from '../support/full'
import { contradictions } from '../support/recount'

/** That rows have the workspace of what they belong to, and that the check tells of those that have not. */

const { world, stranger, note, task } = await makeFinders()
afterAll(world.close)

// In PostgreSQL foreign keys have the workspace, too, and refuse such rows.
onSqlite('each row is of the workspace of what it belongs to, and the check names those that are not', async () => {
  for (const me of [stranger(), stranger()]) {
    const { id } = await note(me, { title: 'A note', body: 'before' })
    await world.call(me, 'PATCH', `/api/notes/${id}`, { body: 'after' })
    await task(me, { title: 'A task', labels: ['home', 'work'] })
  }
  expect(await contradictions(world.folder)).toEqual([])
  const db = new Database(join(world.folder, 'satchel.db'))
  for (const table of ['note_bodies', 'note_revision_bodies', 'note_revisions', 'task_label_uses']) {
    const [one, other, ...more] = db.query(`SELECT DISTINCT workspace FROM ${table}`).values().flat() as string[]
    expect([table, typeof other, more]).toEqual([table, 'string', []])
    db.run(`UPDATE ${table} SET workspace = ? || ? WHERE workspace = ?`, ['x', one ?? '', one ?? ''])
    const told = (await contradictions(world.folder)).filter((line) => line.startsWith('row of another workspace'))
    expect([table, told.length > 0 && told.every((line) => line.includes(`"${table}"`))]).toEqual([table, true])
    db.run(`UPDATE ${table} SET workspace = ? WHERE workspace <> ?`, [one ?? '', other ?? ''])
    expect(await contradictions(world.folder)).toEqual([])
  }
  db.close()
})
