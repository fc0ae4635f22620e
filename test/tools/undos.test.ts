import { afterAll, expect, test } from 'bun:test'
import type { ChatAction } from '../../src/tools/schema'
import { findUndo, KEPT_UNDOS, keepUndo, UNDO_MS, undosJob } from '../../src/tools/undos'
import { makeTools, ok } from './support'

/** What is kept of how to undo answers, and how long. */

const tools = await makeTools()
afterAll(tools.close)

async function makeKeeper() {
  const me = tools.caller()
  const { session } = me.context()
  const { action } = ok(await me.call('create_note', { title: 'Plan', body: 'Secret words.' }))
  const actions = [action] as ChatAction[]
  return {
    keep: (answer: string, done = actions) => keepUndo(session, answer, done, tools.world.clock.now),
    find: (...answers: string[]) => findUndo(session, answers, tools.world.clock.now),
    steps: [{ method: 'DELETE', path: `/api/notes/${action?.target?.id}`, body: null, if_match: '"1-0"' }],
    workspace: session.workspace.id,
  }
}

const count = async (workspace: string) =>
  (await tools.world.db.get<{ n: number }>('SELECT count(*) AS n FROM chat_undos WHERE workspace = $1', [workspace]))?.n

test('an answer finds its undo, whatever white space a client leaves out', async () => {
  const { keep, find, steps } = await makeKeeper()
  await keep('Created it.\n')
  expect(await find('Created it.')).toEqual(steps as never)
  expect(await find(' Created it. ')).toEqual(steps as never)
  expect(await find('No.', 'Created it.')).toEqual(steps as never)
  expect(await find('Created  it.')).toBeNull()
  expect(await find('created it.')).toBeNull()
  expect(await find()).toBeNull()
  const stored = JSON.stringify(await tools.world.db.all('SELECT * FROM chat_undos'))
  expect(stored).not.toContain('Created it')
  expect(stored).not.toContain('Secret')
})

test('nothing is kept of an answer that changed nothing', async () => {
  const { keep, workspace } = await makeKeeper()
  await keep('Hello.', [])
  expect(await count(workspace)).toBe(0)
})

test('the newest are kept, for a day', async () => {
  const { keep, find, workspace } = await makeKeeper()
  for (let i = 0; i <= KEPT_UNDOS.count; i++) await keep(`Answer ${i}.`)
  expect(await count(workspace)).toBe(KEPT_UNDOS.count)
  expect(await find('Answer 0.')).toBeNull()
  expect(await find('Answer 1.')).not.toBeNull()
  tools.world.clock.now += UNDO_MS - 1
  expect(await find('Answer 1.')).not.toBeNull()
  tools.world.clock.now++
  expect(await find('Answer 1.')).toBeNull()
  await keep('A new one.')
  expect(await count(workspace)).toBe(1)
})

test('the job deletes what has expired, of all workspaces', async () => {
  const [one, other] = [await makeKeeper(), await makeKeeper()]
  await one.keep('Old.')
  await other.keep('Old.')
  tools.world.clock.now += UNDO_MS / 2
  await other.keep('New.')
  tools.world.clock.now += UNDO_MS / 2
  const job = undosJob({ db: tools.world.db, now: () => tools.world.clock.now })
  await job.run(new AbortController().signal)
  expect([await count(one.workspace), await count(other.workspace)]).toEqual([0, 1])
})
