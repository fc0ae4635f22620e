import { expect, test } from 'bun:test'
import { makeNotesWorld } from '../notes/support'
import { spent } from '../support/cost'

test('tags and folders of 10,000 notes are renamed in under 5 seconds of work', async () => {
  const { call, stranger, close } = await makeNotesWorld()
  const me = stranger()
  const body = `#work in the first of the lines\n\n${'a few words more of no weight\n'.repeat(30)}`
  const op = { op: 'create', data: { tags: ['work', 'other'], folder: 'Work/Plans', body } }
  for (let i = 0; i < 100; i += 1)
    await call(me, 'POST', '/api/notes/batch', { ops: Array.from({ length: 100 }, () => op) })
  for (const [what, from, to] of [
    ['tags', 'work', 'job'],
    ['folders', 'Work', 'Job'],
  ]) {
    const { ms, value } = await spent(async () => {
      let { body: run } = await call(me, 'POST', `/api/notes/${what}/rename`, { from, to }, { Prefer: 'respond-async' })
      while (!['done', 'failed', 'cancelled'].includes(run.state))
        run = (await call(me, 'GET', `/api/imports/${run.id}`)).body
      return run
    })
    expect(value).toMatchObject({ state: 'done', result: { notes_changed: 10_000 } })
    expect(ms).toBeLessThan(5000)
  }
  await close()
})
